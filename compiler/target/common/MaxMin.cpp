// max and min that return NaN if either operand is NaN, on every target (spec/arithmetic.md).
#include "compiler/target/common/NarrowFloat.h"
#include "compiler/target/common/Scalar.h"
#include "compiler/target/common/Shape.h"

namespace phobos::target {
using llvm::Value;

namespace {
/// f32 and f64, and from sm_80 (max.NaN) the 16-bit types. Before, those go through f32, whose result is one
/// of the operands and comes back exactly.
bool isDirect(llvm::Type *t, const ScalarTarget &target) {
  return t->isFloatTy() || t->isDoubleTy() || target.sm >= 80;
}

/// One comparison decides which operand is returned; of equal ones (zeros of two signs) the bits of both
/// combine: `and` gives +0 unless both are -0, `or` -0 if either is. A NaN is returned through x + y.
Value *compareForm(llvm::IRBuilderBase &b, Value *x, Value *y, bool isMax) {
  llvm::Type *bits = bitsType(x->getType());
  Value *xi = b.CreateBitCast(x, bits), *yi = b.CreateBitCast(y, bits);
  Value *ordered = isMax ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  Value *both = b.CreateBitCast(isMax ? b.CreateAnd(xi, yi) : b.CreateOr(xi, yi), x->getType());
  Value *r = b.CreateSelect(ordered, x, b.CreateSelect(b.CreateFCmpOEQ(x, y), both, y));
  return b.CreateSelect(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), r);
}

Value *maxMin(llvm::IRBuilderBase &b, Value *x, Value *y, bool isMax, const ScalarTarget &target) {
  ExactFloats exact(b);
  llvm::Type *scalar = x->getType()->getScalarType();
  if (!isDirect(scalar, target)) {
    ScalarType t = scalar->isBFloatTy() ? ScalarType::BF16 : ScalarType::F16;
    Value *wide = maxMin(b, narrowToF32(b, x, t, target), narrowToF32(b, y, t, target), isMax, target);
    return f32ToNarrow(b, wide, t, target);
  }
  bool hasInstruction = !target.nvptx || (target.sm >= 80 && !scalar->isDoubleTy());
  if (!hasInstruction)
    return compareForm(b, x, y, isMax);
  return b.CreateBinaryIntrinsic(isMax ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
}
} // namespace

Value *emitMaxF(llvm::IRBuilderBase &b, Value *x, Value *y, const ScalarTarget &target) {
  return maxMin(b, x, y, true, target);
}
Value *emitMinF(llvm::IRBuilderBase &b, Value *x, Value *y, const ScalarTarget &target) {
  return maxMin(b, x, y, false, target);
}

} // namespace phobos::target
