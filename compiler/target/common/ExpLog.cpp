// exp, exp2, log, log2. Coefficients: tests/common/fit_polynomials.py.
#include "compiler/target/common/Real.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace phobos::target {
using llvm::Value;

namespace {

// e^r = 1 + r + r^2 q(r), |r| <= log(2) / 2.
constexpr double expTailF32[] = {0x1.000000p-1, 0x1.5554a6p-3, 0x1.5554ecp-5, 0x1.122f1cp-7, 0x1.6d4954p-10};
constexpr double expTailF64[] = {0x1.0000000000000p-1,  0x1.5555555555559p-3,  0x1.5555555555557p-5,
                                 0x1.111111110f5abp-7,  0x1.6c16c16c1570dp-10, 0x1.a01a01b07765ap-13,
                                 0x1.a01a01ab5a985p-16, 0x1.71ddf68a96750p-19, 0x1.27e4d063b9f3ap-22,
                                 0x1.af625eb652cb8p-26, 0x1.1f85a5ebca31dp-29};
// 2^r = 1 + r q(r), |r| <= 1/2.
constexpr double exp2TailF32[] = {0x1.62e430p-1, 0x1.ebfbe0p-3,  0x1.c6af74p-5,
                                  0x1.3b2a48p-7, 0x1.5f0cb0p-10, 0x1.4424b0p-13};
constexpr double exp2TailF64[] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a186p-5,
                                  0x1.3b2ab6fba4d7ep-7,  0x1.5d87fe788808cp-10, 0x1.430912f8aa0fcp-13,
                                  0x1.ffcbfcdf0d2f9p-17, 0x1.62c0215f816c5p-20, 0x1.b5241b5b6b919p-24,
                                  0x1.e4d210baa6e43p-28, 0x1.eb08cc9196a6ep-32, 0x1.c0cd382cec130p-36};
// log(1 + f) = f + f^2 q(f) and log2(1 + f) = f log2(e) + f^2 q(f), |f| <= 1/3.
constexpr double logTailF32[] = {-0x1.000000p-1, 0x1.555500p-2,  -0x1.ffff06p-3,
                                 0x1.99d27ep-3,  -0x1.559a78p-3, 0x1.1eb6cap-3,
                                 -0x1.f3643cp-4, 0x1.1ef280p-3,  -0x1.075f98p-3};
constexpr double log2TailF32[] = {-0x1.715478p-1, 0x1.ec7022p-2,  -0x1.7152a0p-2,
                                  0x1.279feep-2,  -0x1.ed118ep-3, 0x1.9da0a4p-3,
                                  -0x1.65af26p-3, 0x1.9e094cp-3,  -0x1.855c5cp-3};
// q of 2 atanh(s) = 2 s + s^3 (2/3 + z q(z)), z = s^2.
constexpr double atanhTailF32[] = {0x1.999a04p-2, 0x1.24511cp-2, 0x1.dfdce8p-3};
constexpr double atanhTailF64[] = {0x1.9999999999995p-2, 0x1.2492492493157p-2, 0x1.c71c71c562ddfp-3,
                                   0x1.745d183ecbbd0p-3, 0x1.3b135fb98c667p-3, 0x1.11211e6a3822cp-3,
                                   0x1.de241acd9f962p-4, 0x1.eb881e150d828p-4};

constexpr double ln2 = 0x1.62e42fefa39efp-1, ln2Low = 0x1.abc9e3b39803fp-56; // ln2 + ln2Low to 107 bits
constexpr double log2e = 0x1.71547652b82fep+0, log2eLow = 0x1.777d0ffda0d24p-56;

/// A constant of more bits than the type has, as two numbers of it.
struct Split {
  double high, low;
};
Split split(const Real &real, double value, double low) {
  if (real.isDouble)
    return {value, low};
  float high = float(value);
  return {high, value - high};
}

/// ex2.approx.ftz.f32 of what has a normal result: relative error below 2^-22.9, measured over all operands
/// on Hopper.
Value *ex2Approx(Real &real, Value *x) {
  return eachLane(real.b, x, real.type->getScalarType(), [&](Value *lane) {
    return real.b.CreateIntrinsic(llvm::Intrinsic::nvvm_ex2_approx_ftz, {lane->getType()}, {lane});
  });
}

/// 2^(x log2 e). The product's rounding and that of log2 e move the result by |x| (2^-24 + 2^-26) of itself;
/// what remains of the stated 2^-22 + |x| 2^-23 is more than ex2.approx errs. A denormal result comes from
/// 2^64 times it, so that it is rounded once, and the 64 is added by the same fma, which halves the product's
/// rounding: together below 0.9 of the denormal's last place.
Value *fastExp(Real &real, Value *x) {
  Value *isSmall = real.b.CreateFCmpOLT(x, real.c(-87));
  Value *t = real.fma(x, real.c(log2e), real.select(isSmall, real.c(64), real.c(0)));
  return real.mul(ex2Approx(real, t), real.select(isSmall, real.c(0x1p-64), real.c(1)));
}

} // namespace

/// n = round(x / log 2) and r = x - n log 2. The first fma of r is exact: n ln2 has no bit below x's last
/// place or 2^-24 (2^-53), and r is below 1/2. The second brings in the rest of log 2.
ExpParts expParts(Real &real, Value *x) {
  auto n = real.nearestProduct(x, real.c(log2e));
  Split k = split(real, ln2, ln2Low);
  Value *r = real.fma(n.f, real.c(-k.high), x);
  r = real.fma(n.f, real.c(-k.low), r);
  Value *q = real.isDouble ? real.polynomial(r, expTailF64) : real.polynomial(r, expTailF32);
  return {real.fma(real.mul(r, r), q, r), n.n};
}

/// Beyond the clamps the result is 0 or infinite, as it is at them.
Value *accurateExp(Real &real, Value *x) {
  x = real.isDouble ? real.atLeast(real.atMost(x, 710), -746) : real.atLeast(real.atMost(x, 89), -104.5);
  ExpParts e = expParts(real, x);
  return real.scale(real.add(e.p, real.c(1)), e.n);
}

Value *emitExp(Real &real, Value *x) {
  return real.target.nvptx && !real.isDouble ? fastExp(real, x) : accurateExp(real, x);
}

Value *exp2Fraction(Real &real, Value *r) {
  Value *q = real.isDouble ? real.polynomial(r, exp2TailF64) : real.polynomial(r, exp2TailF32);
  return real.fma(r, q, real.c(1));
}

/// On NVPTX too: ex2.approx errs by up to 2.06 ulp.
Value *emitExp2(Real &real, Value *x) {
  x = real.isDouble ? real.atLeast(real.atMost(x, 1025), -1077) : real.atLeast(real.atMost(x, 129), -151);
  auto n = real.nearest(x);
  Value *r = real.sub(x, n.f); // exact
  return real.scale(exp2Fraction(real, r), n.n);
}

/// The exponent's bits of x / lowest, taken off x. A denormal is made normal first.
LogParts logParts(Real &real, Value *x, double lowest) {
  unsigned mantissa = real.mantissaBits();
  double up = real.isDouble ? 0x1p54 : 0x1p25;
  Value *isDenormal = real.b.CreateFCmpOLT(x, real.c(real.minNormal()));
  x = real.select(isDenormal, real.mul(x, real.c(up)), x);
  Value *offset = real.select(isDenormal, real.c(real.isDouble ? -54 : -25), real.c(0));
  Value *base = real.b.CreateBitCast(real.c(lowest), real.ints);
  Value *e = real.b.CreateAShr(real.b.CreateSub(real.bits(x), base), real.i(mantissa));
  Value *m = real.fromBits(real.b.CreateSub(real.bits(x), real.b.CreateShl(e, real.i(mantissa))));
  return {m, real.add(real.b.CreateSIToFP(e, real.type), offset)};
}

Value *atanhTail(Real &real, Value *z) {
  return real.isDouble ? real.polynomial(z, atanhTailF64) : real.polynomial(z, atanhTailF32);
}

namespace {

/// The logarithm's values at what is not a positive number: -inf of a zero, NaN of a negative, infinity and
/// NaN themselves.
Value *logSpecials(Real &real, Value *x, Value *r) {
  r = real.select(real.b.CreateFCmpOLT(x, real.inf()), r, real.add(x, x)); // infinity, NaN
  r = real.select(real.b.CreateFCmpOLT(x, real.c(0)), real.nan(), r);
  return real.select(real.b.CreateFCmpOEQ(x, real.c(0)), real.neg(real.inf()), r);
}

/// log(1 + f) in f64, 1 + f within sqrt(1/2) and sqrt(2): with s = f / (2 + f), log(1 + f) = 2 atanh(s) = 2 s
/// + s R, R = z (2/3 + z q(z)); 2 s is written f - f^2/2 + s f^2/2, so that the division's error enters only
/// in small terms.
struct Log1p {
  Value *f, *minus; ///< log(1 + f) = f - minus
};
Log1p log1pF64(Real &real, Value *f) {
  Value *s = real.div(f, real.add(f, real.c(2)));
  Value *z = real.mul(s, s);
  Value *big = real.mul(z, real.fma(z, atanhTail(real, z), real.c(2.0 / 3)));
  Value *half = real.mul(real.mul(f, f), real.c(0.5));
  return {f, real.sub(half, real.mul(s, real.add(half, big)))};
}

constexpr double sqrtHalf = 0x1.6a09e667f3bcdp-1;

} // namespace

Value *emitLog(Real &real, Value *x) {
  LogParts l = logParts(real, x, real.isDouble ? sqrtHalf : 2.0 / 3);
  Value *f = real.sub(l.m, real.c(1));
  Value *r;
  if (real.isDouble) {
    Log1p p = log1pF64(real, f);
    Value *low = real.fma(l.e, real.c(-ln2Low), p.minus);
    r = real.fma(l.e, real.c(ln2), real.sub(p.f, low));
  } else {
    r = real.fma(real.mul(f, f), real.polynomial(f, logTailF32), f);
    r = real.fma(l.e, real.c(ln2), r);
  }
  return logSpecials(real, x, r);
}

/// From [2/3, 4/3) (f64: about sqrt(2)) the logarithm near 1 has no exponent to cancel with: its relative
/// error stays small.
Value *emitLog2(Real &real, Value *x) {
  LogParts l = logParts(real, x, real.isDouble ? sqrtHalf : 2.0 / 3);
  Value *f = real.sub(l.m, real.c(1));
  Split k = split(real, log2e, log2eLow);
  Value *r;
  if (real.isDouble) {
    Log1p p = log1pF64(real, f);
    Value *high = real.sub(p.f, p.minus);
    Value *rest = real.sub(real.sub(p.f, high), p.minus); // what the subtraction lost
    Value *low = real.fma(high, real.c(k.low), real.mul(rest, real.c(k.high)));
    r = real.add(l.e, real.fma(high, real.c(k.high), low));
  } else {
    Value *tail = real.fma(f, real.polynomial(f, log2TailF32), real.c(k.low));
    r = real.add(l.e, real.fma(f, real.c(k.high), real.mul(f, tail)));
  }
  return logSpecials(real, x, r);
}

} // namespace phobos::target
