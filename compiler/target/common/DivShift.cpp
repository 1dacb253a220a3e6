// Division and shifts that no value of data can trap or poison (spec/arithmetic.md).
#include "compiler/target/common/Scalar.h"
#include "compiler/target/common/Shape.h"

namespace phobos::target {
using llvm::Value;

namespace {
/// The divisor with 0 (and -1, where the least integer would overflow) replaced by 1, and where that
/// happened.
struct SafeDivisor {
  Value *y, *isZero, *isMinusOne = nullptr;
};

SafeDivisor makeSafe(llvm::IRBuilderBase &b, Value *y, bool isSigned) {
  llvm::Type *t = y->getType();
  SafeDivisor s{y, b.CreateICmpEQ(y, intConst(t, 0))};
  Value *replaced = s.isZero;
  if (isSigned) {
    s.isMinusOne = b.CreateICmpEQ(y, intConst(t, ~uint64_t(0)));
    replaced = b.CreateOr(s.isZero, s.isMinusOne);
  }
  s.y = b.CreateSelect(replaced, intConst(t, 1), y);
  return s;
}

/// x / y truncated, y safe. No CPU divides vectors of integers, but all divide vectors of floats: the
/// quotient of two 32-bit integers rounded to 53 bits is off by at most 2^-21 / y, while a quotient that is
/// not whole lies 1 / y or more from the next whole number, so truncating it is exact. The same holds for 8
/// bits in f32. Constant divisors are left to the compiler's multiplications.
Value *divide(llvm::IRBuilderBase &b, Value *x, Value *y, bool isSigned) {
  llvm::Type *t = x->getType();
  unsigned bits = t->getScalarSizeInBits();
  if (!t->isVectorTy() || bits > 32 || llvm::isa<llvm::Constant>(y))
    return isSigned ? b.CreateSDiv(x, y) : b.CreateUDiv(x, y);
  ExactFloats exact(b);
  llvm::Type *ft = bits <= 8 ? f32Like(t) : f64Like(t);
  auto toFloat = [&](Value *v) { return isSigned ? b.CreateSIToFP(v, ft) : b.CreateUIToFP(v, ft); };
  Value *q = b.CreateFDiv(toFloat(x), toFloat(y));
  return isSigned ? b.CreateFPToSI(q, t) : b.CreateFPToUI(q, t);
}
} // namespace

Value *emitDiv(llvm::IRBuilderBase &b, Value *x, Value *y, bool isSigned) {
  llvm::Type *t = x->getType();
  SafeDivisor s = makeSafe(b, y, isSigned);
  Value *q = divide(b, x, s.y, isSigned);
  if (s.isMinusOne)
    q = b.CreateSelect(s.isMinusOne, b.CreateNeg(x), q);
  return b.CreateSelect(s.isZero, intConst(t, 0), q);
}

Value *emitRem(llvm::IRBuilderBase &b, Value *x, Value *y, bool isSigned) {
  SafeDivisor s = makeSafe(b, y, isSigned);
  Value *r;
  if (!x->getType()->isVectorTy() || llvm::isa<llvm::Constant>(y))
    r = isSigned ? b.CreateSRem(x, s.y) : b.CreateURem(x, s.y);
  else
    r = b.CreateSub(x, b.CreateMul(divide(b, x, s.y, isSigned), s.y));
  return b.CreateSelect(s.isZero, x, r); // by -1 the safe divisor is 1 and the remainder 0, as it should be
}

namespace {
/// A count in the type of `x`, and whether it is the width or more. Read as unsigned, a negative count of any
/// width is larger than 64 too, so one comparison decides for both.
std::pair<Value *, Value *> splitCount(llvm::IRBuilderBase &b, Value *x, Value *count) {
  Value *over = b.CreateICmpUGE(count, intConst(count->getType(), x->getType()->getScalarSizeInBits()));
  return {b.CreateZExtOrTrunc(count, x->getType()), over};
}

/// LLVM's NVPTX back end folds select(count >= 64, 0, x << count) into a shift that clamps, but by the low
/// half of a 64-bit count. So there the value is chosen before it is shifted, by a count that is always in
/// range.
bool foldsWrongly(Value *count) { return count->getType()->isIntegerTy(64); }

std::pair<Value *, Value *> inRange(llvm::IRBuilderBase &b, Value *x, Value *over, Value *c) {
  llvm::Type *t = x->getType();
  return {b.CreateSelect(over, intConst(t, 0), x), b.CreateAnd(c, intConst(t, t->getScalarSizeInBits() - 1))};
}
} // namespace

Value *emitShl(llvm::IRBuilderBase &b, Value *x, Value *count, bool countSigned) {
  auto [c, over] = splitCount(b, x, count);
  if (foldsWrongly(count)) {
    auto [value, by] = inRange(b, x, over, c);
    return b.CreateShl(value, by);
  }
  return b.CreateSelect(over, intConst(x->getType(), 0), b.CreateShl(x, c));
}

Value *emitShr(llvm::IRBuilderBase &b, Value *x, Value *count, bool isSigned, bool countSigned) {
  llvm::Type *t = x->getType();
  auto [c, over] = splitCount(b, x, count);
  if (!isSigned && foldsWrongly(count)) {
    auto [value, by] = inRange(b, x, over, c);
    return b.CreateLShr(value, by);
  }
  if (!isSigned)
    return b.CreateSelect(over, intConst(t, 0), b.CreateLShr(x, c));
  return b.CreateAShr(x, b.CreateSelect(over, intConst(t, t->getScalarSizeInBits() - 1), c));
}

} // namespace phobos::target
