// sin and cos. Coefficients: tests/common/fit_polynomials.py.
#include "compiler/target/common/Real.h"
#include <array>

namespace phobos::target {
using llvm::Value;

namespace {

// sin r = r + r z q(z) and cos r = 1 - z/2 + z^2 q(z), z = r^2, |r| <= pi / 4.
constexpr double sinTailF32[] = {-0x1.555546p-3, 0x1.11077ap-7, -0x1.9954a8p-13};
constexpr double cosTailF32[] = {0x1.55554ap-5, -0x1.6c0c2cp-10, 0x1.99e9d4p-16};
constexpr double sinTailF64[] = {-0x1.5555555555548p-3, 0x1.111111110f76cp-7,   -0x1.a01a019bf47c8p-13,
                                 0x1.71de356101f76p-19, -0x1.ae5e55ce16221p-26, 0x1.5d8e865cf0aa1p-33};
constexpr double cosTailF64[] = {0x1.555555555554bp-5,   -0x1.6c16c16c1503fp-10, 0x1.a01a019c95689p-16,
                                 -0x1.27e4f7f6ea6fcp-22, 0x1.1ee9dfb7cf91ep-29,  -0x1.8fa8985847226p-37};

/// |x| = n pi/2 + r, |r| <= pi/4; `n` modulo 4 or more of it.
struct Reduced {
  Value *r, *n;
};

/// f64, |x| < 2^46, where the rounding of 2/pi leaves n the nearest or r at most 0.8. pi/2 is three doubles;
/// x - n times the first is exact (a multiple of 2^-52 below 2), and each of the others is brought in by one
/// fma, so that r keeps its relative accuracy under cancellation.
Reduced reduceF64(Real &real, Value *a) {
  auto n = real.nearestProduct(a, real.c(0x1.45f306dc9c883p-1));
  Value *r = real.fma(n.f, real.c(-0x1.921fb54442d18p+0), a);
  r = real.fma(n.f, real.c(-0x1.1a62633145c07p-54), r);
  return {real.fma(n.f, real.c(0x1.f1976b7ed8fbcp-110), r), n.n};
}

/// f32, every finite a from 1/2 up. a = m 2^s with m of 24 bits. Bits of 2/pi whose product with m 2^s is a
/// multiple of 4 do not matter; of the rest, the 96 bits that begin at the weight 2^(1-s) are taken, w. The
/// top two bits of the 96-bit m w are the quadrant and what follows is the fraction of a quarter turn, in
/// error by 2^24 of its last places: below 2^-68, where the least fraction of any f32 is above 2^-31.
Reduced reduceF32(Real &real, Value *a) {
  llvm::IRBuilderBase &b = real.b;
  llvm::Type *i32 = real.ints, *i64 = intLike(i32, 64);
  Value *bits = real.bits(a);
  Value *m = b.CreateOr(b.CreateAnd(bits, real.i(0x7FFFFF)), real.i(0x800000));
  // Bit k of 2/pi (weight 2^-k) is bit 31 + k of `digits`, counted from the top; s = exponent - 150, the
  // first bit is k = s - 1.
  Value *start = b.CreateSub(b.CreateLShr(bits, real.i(23)), real.i(120));
  Value *word = b.CreateLShr(start, real.i(5)), *shift = b.CreateAnd(start, real.i(31));
  constexpr std::array<uint32_t, 8> digits = {0,          0xA2F9836E, 0x4E441529, 0xFC2757D1,
                                              0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB};
  std::array<Value *, 4> isPast; // word >= 1 .. 4
  for (unsigned k = 0; k < 4; ++k)
    isPast[k] = b.CreateICmpUGE(word, real.i(k + 1));
  std::array<Value *, 4> taken; // digits[word] .. digits[word + 3]
  for (unsigned j = 0; j < 4; ++j) {
    taken[j] = real.i(digits[j]);
    for (unsigned k = 0; k < 4; ++k)
      taken[j] = b.CreateSelect(isPast[k], real.i(digits[j + k + 1]), taken[j]);
  }
  std::array<Value *, 3> product;
  for (unsigned j = 0; j < 3; ++j) {
    Value *w = b.CreateIntrinsic(llvm::Intrinsic::fshl, {i32}, {taken[j], taken[j + 1], shift});
    product[j] = b.CreateMul(b.CreateZExt(m, i64), b.CreateZExt(w, i64));
  }
  Value *top = b.CreateAdd(b.CreateShl(product[0], intConst(i64, 32)),
                           b.CreateAdd(product[1], b.CreateLShr(product[2], intConst(i64, 32))));
  // The two bits above the fraction, rounded to the nearest quarter turn; what is left, as a signed fraction
  // of 2^64.
  Value *n = b.CreateLShr(b.CreateAdd(top, intConst(i64, uint64_t(1) << 61)), intConst(i64, 62));
  Value *fraction = b.CreateSIToFP(b.CreateShl(top, intConst(i64, 2)), real.type);
  Value *r = real.mul(fraction, real.c(0x1.921fb54442d18p-64)); // pi/2 2^-64
  Value *isSmall = b.CreateFCmpOLT(a, real.c(0.5));
  return {real.select(isSmall, a, r), b.CreateSelect(isSmall, real.i(0), b.CreateTrunc(n, i32))};
}

} // namespace

/// cos is sin a quarter turn on. Beyond 2^46, where an f64's neighbours are 2^-6 apart, the result is a
/// number in [-1, 1] only.
Value *emitSinCos(Real &real, Value *x, bool isCos) {
  llvm::IRBuilderBase &b = real.b;
  Value *a = real.abs(x);
  Reduced p = real.isDouble ? reduceF64(real, a) : reduceF32(real, a);
  Value *r = real.isDouble ? real.atLeast(real.atMost(p.r, 0.8), -0.8) : p.r;
  Value *n = isCos ? b.CreateAdd(p.n, real.i(1)) : p.n;
  Value *z = real.mul(r, r);
  Value *sinTail = real.isDouble ? real.polynomial(z, sinTailF64) : real.polynomial(z, sinTailF32);
  Value *cosTail = real.isDouble ? real.polynomial(z, cosTailF64) : real.polynomial(z, cosTailF32);
  Value *sine = real.fma(real.mul(r, z), sinTail, r);
  // 1 - z/2 is rounded; what it lost is added with the tail.
  Value *half = real.mul(z, real.c(0.5)), *top = real.sub(real.c(1), half);
  Value *lost = real.sub(real.sub(real.c(1), top), half);
  Value *cosine = real.add(top, real.fma(real.mul(z, z), cosTail, lost));
  Value *odd = b.CreateICmpNE(b.CreateAnd(n, real.i(1)), real.i(0));
  Value *magnitude = real.select(odd, cosine, sine);
  // The second bit of the quadrant is the sign, and sin is odd.
  Value *sign = b.CreateShl(b.CreateAnd(n, real.i(2)), real.i(real.isDouble ? 62 : 30));
  if (!isCos)
    sign = b.CreateXor(sign, b.CreateAnd(real.bits(x), real.i(real.signMask())));
  Value *result = real.fromBits(b.CreateXor(real.bits(magnitude), sign));
  return real.select(b.CreateFCmpOLT(a, real.inf()), result, real.sub(x, x)); // NaN of infinities and NaN
}

} // namespace phobos::target
