// tanh, sigmoid, erf. Coefficients: tests/common/fit_polynomials.py.
#include "compiler/target/common/Real.h"

namespace phobos::target {
using llvm::Value;

namespace {

// erf(x) = x + x q(x^2), x <= 1.
constexpr double erfSmallF32[] = {0x1.06eba8p-3, -0x1.812740p-2,  0x1.ce2d50p-4, -0x1.b7fe8ep-6,
                                  0x1.542deep-8, -0x1.a5099ep-11, 0x1.4c2f4cp-14};
constexpr double erfSmallF64[] = {0x1.06eba8214db69p-3,   -0x1.812746b037a02p-2,  0x1.ce2f21a043b39p-4,
                                  -0x1.b82ce312c9040p-6,  0x1.565bcd17e78b1p-8,   -0x1.c02db5bf44215p-11,
                                  0x1.f9a35d6154cf9p-14,  -0x1.f4d6e39d4c49fp-17, 0x1.ba29d078221cbp-20,
                                  -0x1.622465af90574p-23, 0x1.11289c19070a9p-26,  -0x1.fbaaf18836880p-30,
                                  0x1.46d476713e659p-32,  -0x1.371953252d2fdp-35};
// -log(1 - erf(x)), 1 <= x <= 4.
constexpr double erfLargeF32[] = {0x1.507d7ep-12, 0x1.208e56p+0, 0x1.46a91cp-1,  0x1.a6ce08p-4,
                                  -0x1.66b54cp-6, 0x1.842d6cp-9, -0x1.89d670p-13};
// (1 - erf(x)) e^(x^2) (1 + 2 x) as a polynomial of (x - 3) / (x + 3), 1 <= x <= 6.
constexpr double erfLargeF64[] = {0x1.40c522d7e4987p+0,   -0x1.15c084bb9e8f5p-3,  -0x1.85a15c58a9eb6p-5,
                                  0x1.098366a5b4a0bp-3,   -0x1.e88b803a5bafep-4,  0x1.17ca2877c4619p-4,
                                  -0x1.8574c401623bcp-6,  0x1.4b884f423efd4p-9,   0x1.ef1bd201a096dp-10,
                                  -0x1.98dbaa2b92081p-11, -0x1.b90d3e803c3fap-14, 0x1.066a3db36d77fp-13,
                                  0x1.4c3cc11e1a017p-18,  -0x1.53f0f6f154ee0p-16, -0x1.f796fecc2a138p-21,
                                  0x1.f16f10805db90p-19,  0x1.2cd9d558303a6p-20,  0x1.54481e46fe143p-25};

Value *erfLarge(Real &real, Value *a) {
  if (!real.isDouble)
    return real.sub(real.c(1), accurateExp(real, real.neg(real.polynomial(a, erfLargeF32))));
  Value *t = real.div(real.sub(a, real.c(3)), real.add(a, real.c(3)));
  Value *p = real.div(real.polynomial(t, erfLargeF64), real.fma(a, real.c(2), real.c(1)));
  Value *square = real.mul(a, a);
  Value *lost = real.fma(a, a, real.neg(square)); // e^-(square + lost) = e^-square (1 - lost)
  Value *e = accurateExp(real, real.neg(square));
  return real.sub(real.c(1), real.mul(p, real.fma(real.neg(e), lost, e)));
}

} // namespace

/// With u = e^(2|x|) - 1, tanh |x| = u / (u + 2); u = 2^n p + (2^n - 1) is accurate for small x, where n = 0,
/// and for large. Beyond the clamp the result is 1 (2 e^-20 and 2 e^-40 are below half its last place).
Value *emitTanh(Real &real, Value *x) {
  Value *a = real.abs(x);
  a = real.atMost(real.add(a, a), real.isDouble ? 40 : 20);
  ExpParts e = expParts(real, a);
  Value *power = real.powerOfTwo(e.n);
  Value *u = real.fma(power, e.p, real.sub(power, real.c(1)));
  return real.withSign(quotient(real, u, real.add(u, real.c(2))), x);
}

/// With t = e^-|x|: 1 / (1 + t), and t / (1 + t) of a negative x, which keeps the small results that 1 / (1 +
/// e^-x) would lose.
Value *emitSigmoid(Real &real, Value *x) {
  Value *t = accurateExp(real, real.neg(real.abs(x)));
  Value *above = real.select(real.b.CreateFCmpOLT(x, real.c(0)), t, real.c(1));
  return quotient(real, above, real.add(t, real.c(1)));
}

Value *emitErf(Real &real, Value *x) {
  Value *a = real.abs(x), *z = real.mul(x, x);
  Value *q = real.isDouble ? real.polynomial(z, erfSmallF64) : real.polynomial(z, erfSmallF32);
  Value *small = real.fma(x, q, x);
  Value *large = erfLarge(real, real.atMost(a, real.isDouble ? 6 : 4));
  return real.select(real.b.CreateFCmpOLT(a, real.c(1)), small, real.withSign(large, x));
}

} // namespace phobos::target
