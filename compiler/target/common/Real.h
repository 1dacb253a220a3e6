// Arithmetic on one float type, f32 or f64, on a scalar or a vector: what the math functions are written in.
#pragma once
#include "compiler/target/common/Math.h"
#include "compiler/target/common/Shape.h"
#include "llvm/IR/IntrinsicsX86.h"
#include <initializer_list>
#include <span>

namespace phobos::target {

class Real {
public:
  using Value = llvm::Value;

  Real(llvm::IRBuilderBase &builder, llvm::Type *t, const MathTarget &mathTarget)
      : b(builder), type(t), ints(bitsType(t)), isDouble(t->getScalarType()->isDoubleTy()),
        target(mathTarget) {}

  llvm::IRBuilderBase &b;
  llvm::Type *type, *ints; ///< the float type, and the integers of its width
  bool isDouble;
  const MathTarget &target;

  unsigned mantissaBits() const { return isDouble ? 52 : 23; }
  int64_t bias() const { return isDouble ? 1023 : 127; }
  uint64_t signMask() const { return uint64_t(1) << (isDouble ? 63 : 31); }
  double minNormal() const { return isDouble ? 0x1p-1022 : 0x1p-126; }

  llvm::Constant *c(double v) const { return floatConst(type, v); }
  llvm::Constant *i(uint64_t v) const { return intConst(ints, v); }
  llvm::Constant *inf() const { return llvm::ConstantFP::getInfinity(type); }
  llvm::Constant *nan() const { return llvm::ConstantFP::getNaN(type); }

  Value *add(Value *x, Value *y) { return b.CreateFAdd(x, y); }
  Value *sub(Value *x, Value *y) { return b.CreateFSub(x, y); }
  Value *mul(Value *x, Value *y) { return b.CreateFMul(x, y); }
  Value *div(Value *x, Value *y) { return b.CreateFDiv(x, y); }
  Value *neg(Value *x) { return b.CreateFNeg(x); }
  Value *fma(Value *x, Value *y, Value *z) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x, y, z});
  }
  Value *abs(Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value *withSign(Value *magnitude, Value *sign) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
  }
  Value *bits(Value *x) { return b.CreateBitCast(x, ints); }
  Value *fromBits(Value *x) { return b.CreateBitCast(x, type); }
  Value *select(Value *condition, Value *x, Value *y) { return b.CreateSelect(condition, x, y); }

  /// The smaller of x and the constant, the larger of x and the constant; a NaN x stays NaN (one instruction
  /// of x86 each).
  Value *atMost(Value *x, double limit) { return select(b.CreateFCmpOLT(c(limit), x), c(limit), x); }
  Value *atLeast(Value *x, double limit) { return select(b.CreateFCmpOGT(c(limit), x), c(limit), x); }

  /// c[0] + c[1] x + c[2] x^2 + ..
  Value *polynomial(Value *x, std::span<const double> coefficients) {
    Value *r = c(coefficients.back());
    for (size_t k = coefficients.size() - 1; k-- > 0;)
      r = fma(r, x, c(coefficients[k]));
    return r;
  }

  /// The nearest whole number as a float and as an integer, by adding 1.5 * 2^mantissa, which leaves no place
  /// for a fraction. Below 2^22 (2^51); no conversion, whose result of NaN would be poison.
  struct Whole {
    Value *f, *n;
  };
  Whole nearest(Value *x) { return wholeOf(add(x, roundingConstant())); }
  /// nearest(x * y), one rounding.
  Whole nearestProduct(Value *x, Value *y) { return wholeOf(fma(x, y, roundingConstant())); }

  /// p * 2^n for n within twice the exponent range, one rounding: 2^n is two factors, the first product exact
  /// where the second is not.
  Value *scale(Value *p, Value *n) {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (target.avx512 && vector && !isDouble && vector->getNumElements() == 16)
      return b.CreateIntrinsic(type, llvm::Intrinsic::x86_avx512_mask_scalef_ps_512,
                               {p, b.CreateSIToFP(n, type), p, b.getInt16(0xffff), b.getInt32(4)});
    Value *half = b.CreateAShr(n, i(1));
    return mul(mul(p, powerOfTwo(half)), powerOfTwo(b.CreateSub(n, half)));
  }
  /// 2^n as a normal number.
  Value *powerOfTwo(Value *n) {
    return fromBits(b.CreateShl(b.CreateAdd(n, i(uint64_t(bias()))), i(mantissaBits())));
  }

private:
  llvm::Constant *roundingConstant() { return c(isDouble ? 0x1.8p52 : 0x1.8p23); }
  Whole wholeOf(Value *shifted) {
    return {sub(shifted, roundingConstant()),
            b.CreateSub(bits(shifted), b.CreateBitCast(roundingConstant(), ints))};
  }
};

// The families. Every argument and result is of `real.type`.
llvm::Value *emitExp(Real &real, llvm::Value *x);
llvm::Value *emitExp2(Real &real, llvm::Value *x);
llvm::Value *emitLog(Real &real, llvm::Value *x);
llvm::Value *emitLog2(Real &real, llvm::Value *x);
llvm::Value *emitTanh(Real &real, llvm::Value *x);
llvm::Value *emitSigmoid(Real &real, llvm::Value *x);
llvm::Value *emitErf(Real &real, llvm::Value *x);
llvm::Value *emitSinCos(Real &real, llvm::Value *x, bool isCos);
llvm::Value *emitPow(Real &real, llvm::Value *x, llvm::Value *y);
llvm::Value *emitSqrt(Real &real, llvm::Value *x);
llvm::Value *emitRsqrt(Real &real, llvm::Value *x);
llvm::Value *emitRound(Real &real, llvm::Value *x, MathFunction fn);

// What they share.

/// e^x - 1 = 2^n (1 + p) - 1 with n whole and p = e^r - 1, |r| <= log(2) / 2; |x| within the clamps of
/// emitExp.
struct ExpParts {
  llvm::Value *p, *n;
};
ExpParts expParts(Real &real, llvm::Value *x);
/// e^x to about an ulp on both targets (`emitExp` may be coarser on NVPTX).
llvm::Value *accurateExp(Real &real, llvm::Value *x);
/// x / y for y from 1 to 2^100, and 1 / y, within 1 ulp: on NVPTX without the range checks of an IEEE
/// division.
llvm::Value *quotient(Real &real, llvm::Value *x, llvm::Value *y);
llvm::Value *reciprocal(Real &real, llvm::Value *y);
/// 2^r, |r| <= 1/2.
llvm::Value *exp2Fraction(Real &real, llvm::Value *r);

/// x = m 2^e, x positive (denormals too), m from lowest up to twice that; `e` as a float.
struct LogParts {
  llvm::Value *m, *e;
};
LogParts logParts(Real &real, llvm::Value *x, double lowest);
/// The tail of 2 atanh(s) = 2 s + s^3 (2/3 + z q(z)), z = s^2 <= 0.0295: q(z).
llvm::Value *atanhTail(Real &real, llvm::Value *z);

} // namespace phobos::target
