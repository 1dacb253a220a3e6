// What every emission here needs to work on scalars and on vectors alike: types and constants in the shape of
// a value.
#pragma once
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"

namespace phobos::target {

/// `scalar`, or a vector of it as wide as `shape` is.
inline llvm::Type *likeShape(llvm::Type *shape, llvm::Type *scalar) {
  if (auto *v = llvm::dyn_cast<llvm::FixedVectorType>(shape))
    return llvm::FixedVectorType::get(scalar, v->getNumElements());
  return scalar;
}

/// The integer type of the same width, in the shape of `t`.
inline llvm::Type *bitsType(llvm::Type *t) {
  return likeShape(t, llvm::IntegerType::get(t->getContext(), t->getScalarSizeInBits()));
}

inline llvm::Type *f32Like(llvm::Type *shape) {
  return likeShape(shape, llvm::Type::getFloatTy(shape->getContext()));
}
inline llvm::Type *f64Like(llvm::Type *shape) {
  return likeShape(shape, llvm::Type::getDoubleTy(shape->getContext()));
}
inline llvm::Type *intLike(llvm::Type *shape, unsigned bits) {
  return likeShape(shape, llvm::IntegerType::get(shape->getContext(), bits));
}

/// The integer or float constant in every lane of type `t`.
inline llvm::Constant *intConst(llvm::Type *t, uint64_t v) {
  return llvm::ConstantInt::get(t, llvm::APInt(t->getScalarSizeInBits(), v, false, true));
}
inline llvm::Constant *floatConst(llvm::Type *t, double v) { return llvm::ConstantFP::get(t, v); }

inline llvm::Value *intrinsic(llvm::IRBuilderBase &b, llvm::Intrinsic::ID id,
                              llvm::ArrayRef<llvm::Type *> types, llvm::ArrayRef<llvm::Value *> args) {
  return b.CreateIntrinsic(id, types, args);
}

/// No fast-math flag of the caller may reach what is emitted here: the bit tricks depend on each rounding.
class ExactFloats {
public:
  explicit ExactFloats(llvm::IRBuilderBase &b) : guard_(b) { b.clearFastMathFlags(); }

private:
  llvm::IRBuilderBase::FastMathFlagGuard guard_;
};

/// Applies `f` to each lane of a vector of type `lane` results, or once to a scalar.
template <typename F>
llvm::Value *eachLane(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Type *resultScalar, F f) {
  auto *v = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!v)
    return f(x);
  llvm::Value *result = llvm::PoisonValue::get(likeShape(v, resultScalar));
  for (unsigned i = 0; i < v->getNumElements(); ++i)
    result = b.CreateInsertElement(result, f(b.CreateExtractElement(x, i)), i);
  return result;
}

} // namespace phobos::target
