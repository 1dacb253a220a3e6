// pow: 2^(y log2 |x|) with the logarithm and the product carried in pairs of numbers, and the special values
// of IEEE 754.
#include "compiler/target/common/Real.h"

namespace phobos::target {
using llvm::Value;

namespace {

/// high + low, |low| at most about an ulp of high.
struct Pair {
  Value *high, *low;
};

/// x + y where |x| >= |y| or x = 0, with the rest that the addition lost.
Pair sum(Real &real, Value *x, Value *y) {
  Value *s = real.add(x, y);
  return {s, real.add(real.sub(x, s), y)};
}

Pair product(Real &real, Pair x, Pair y) {
  Value *high = real.mul(x.high, y.high);
  Value *low = real.fma(x.high, y.high, real.neg(high));
  return {high, real.fma(x.high, y.low, real.fma(x.low, y.high, low))};
}

Pair constant(Real &real, double high, double low) {
  if (real.isDouble)
    return {real.c(high), real.c(low)};
  float h = float(high);
  return {real.c(h), real.c(high - h)};
}

/// log2 of a positive x, relative error about 2^-31 in f32 and 2^-61 in f64. x = m 2^e with m within
/// sqrt(1/2) and sqrt(2), s = (m - 1) / (m + 1) as a pair, log m = 2 s + s^3 (2/3 + z q(z)): only z q(z),
/// below 1/80 of the last bracket, is a single number.
Pair log2Pair(Real &real, Value *x) {
  LogParts l = logParts(real, x, 0x1.6a09e667f3bcdp-1);
  Value *one = real.c(1), *f = real.sub(l.m, one);
  Value *d = real.add(l.m, one), *dLow = real.sub(l.m, real.sub(d, one));
  Value *inverse = reciprocal(real, d);
  Value *s = real.mul(f, inverse);
  Value *rest = real.fma(real.neg(s), dLow, real.fma(real.neg(s), d, f));
  Pair sp{s, real.mul(rest, inverse)};
  Pair z = product(real, sp, sp);
  Pair twoThirds = constant(real, 2.0 / 3, 0x1.5555555555555p-55);
  Pair bracket = sum(real, twoThirds.high, real.mul(z.high, atanhTail(real, z.high)));
  bracket.low = real.add(bracket.low, twoThirds.low);
  Pair tail = product(real, product(real, sp, z), bracket);
  Value *twice = real.add(sp.high, sp.high);
  Pair log = sum(real, twice, tail.high);
  log.low = real.add(log.low, real.fma(sp.low, real.c(2), tail.low));
  Pair inTwos = product(real, log, constant(real, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56));
  Pair r = sum(real, l.e, inTwos.high);
  return {r.high, real.add(r.low, inTwos.low)};
}

/// 2^v, clamped where it is 0 or infinite.
Value *exp2Pair(Real &real, Pair v) {
  double limit = real.isDouble ? 1200 : 160;
  Value *inside = real.b.CreateFCmpOLT(real.abs(v.high), real.c(limit));
  Value *high = real.atLeast(real.atMost(v.high, limit), -limit);
  auto n = real.nearest(high);
  Value *r = real.add(real.sub(high, n.f), real.select(inside, v.low, real.c(0)));
  return real.scale(exp2Fraction(real, r), n.n);
}

} // namespace

Value *emitPow(Real &real, Value *x, Value *y) {
  llvm::IRBuilderBase &b = real.b;
  Value *a = real.abs(x), *zero = real.c(0), *one = real.c(1), *inf = real.inf();
  Pair l = log2Pair(real, a);
  Pair v;
  v.high = real.mul(y, l.high);
  v.low = real.fma(y, l.low, real.fma(y, l.high, real.neg(v.high)));
  Value *r = exp2Pair(real, v);
  // |x| of 0 and infinity: infinite or 0 by the sign of y.
  Value *isInf = b.CreateFCmpOEQ(a, inf), *isZero = b.CreateFCmpOEQ(a, zero),
        *isUp = b.CreateFCmpOGT(y, zero);
  Value *edge = real.select(b.CreateICmpEQ(isInf, isUp), inf, zero);
  r = real.select(b.CreateOr(isInf, isZero), edge, r);
  r = real.select(b.CreateFCmpOEQ(a, one), one, r); // an infinite y too
  // A negative x: the sign of an odd y, NaN of one that is not whole.
  auto floor = [&](Value *t) { return emitRound(real, t, MathFunction::Floor); };
  Value *isWhole = b.CreateFCmpOEQ(floor(y), y);
  Value *half = real.mul(y, real.c(0.5));
  Value *isOdd = b.CreateAnd(isWhole, b.CreateFCmpONE(floor(half), half));
  Value *isNegative = b.CreateICmpSLT(real.bits(x), real.i(0));
  r = real.select(b.CreateAnd(isNegative, isOdd), real.neg(r), r);
  Value *noResult =
      b.CreateAnd(b.CreateFCmpOLT(x, zero), b.CreateAnd(b.CreateNot(isWhole), b.CreateNot(isInf)));
  r = real.select(noResult, real.nan(), r);
  r = real.select(b.CreateFCmpUNO(x, y), real.add(x, y), r);
  Value *isOne = b.CreateOr(b.CreateFCmpOEQ(x, one), b.CreateFCmpOEQ(y, zero));
  return real.select(isOne, one, r);
}

} // namespace phobos::target
