// T(x) between any two scalar types (spec/types.md).
#include "compiler/target/common/NarrowFloat.h"
#include "compiler/target/common/Scalar.h"
#include "compiler/target/common/Shape.h"

namespace phobos::target {
using llvm::Value;
namespace ID = llvm::Intrinsic;

namespace {

bool isNarrowFloat(ScalarType t) { return isFloat(t) && t != ScalarType::F32 && t != ScalarType::F64; }

/// The float 1 as a constant of type `vt`: its bits where that is an integer.
llvm::Constant *one(llvm::Type *vt, ScalarType t) {
  if (vt->isFPOrFPVectorTy())
    return floatConst(vt, 1);
  return intConst(vt, t == ScalarType::F8E4M3   ? 0x38
                      : t == ScalarType::F8E5M2 ? 0x3C
                      : t == ScalarType::F16    ? 0x3C00
                                                : 0x3F80);
}

Value *floatToFloat(llvm::IRBuilderBase &b, Value *x, ScalarType from, ScalarType to,
                    const ScalarTarget &target) {
  llvm::Type *shape = x->getType();
  if (isNarrowFloat(from)) {
    x = narrowToF32(b, x, from, target);
    from = ScalarType::F32;
  }
  if (from == to)
    return x;
  if (to == ScalarType::F64)
    return b.CreateFPExt(x, f64Like(shape));
  if (to == ScalarType::F32)
    return b.CreateFPTrunc(x, f32Like(shape));
  if (from == ScalarType::F64 && to == ScalarType::F16 && target.nvptx)
    return b.CreateFPTrunc(x, likeShape(shape, b.getHalfTy())); // cvt.rn.f16.f64
  return f32ToNarrow(b, from == ScalarType::F64 ? f64ToOddF32(b, x) : x, to, target);
}

Value *floatToInt(llvm::IRBuilderBase &b, Value *x, ScalarType from, ScalarType to,
                  const ScalarTarget &target) {
  if (isNarrowFloat(from))
    x = narrowToF32(b, x, from, target);
  llvm::Type *result = likeShape(x->getType(), valueType(b.getContext(), to, target));
  return b.CreateIntrinsic(isSigned(to) ? ID::fptosi_sat : ID::fptoui_sat, {result, x->getType()}, {x});
}

/// A 64-bit integer whose double is exact and rounds to any narrow type as the integer does: from 2^40 up,
/// the low 16 bits are folded into bit 16, which is far below the last place of a type of 11 bits or fewer.
Value *foldLowBits(llvm::IRBuilderBase &b, Value *x) {
  llvm::Type *t = x->getType();
  Value *magnitude = b.CreateBinaryIntrinsic(ID::abs, x, b.getFalse());
  Value *low = b.CreateAnd(magnitude, intConst(t, 0xFFFF));
  Value *sticky = b.CreateSelect(b.CreateICmpEQ(low, intConst(t, 0)), intConst(t, 0), intConst(t, 0x10000));
  Value *folded = b.CreateOr(b.CreateAnd(magnitude, intConst(t, ~uint64_t(0xFFFF))), sticky);
  Value *isLarge = b.CreateICmpUGE(magnitude, intConst(t, uint64_t(1) << 40));
  Value *m = b.CreateSelect(isLarge, folded, magnitude);
  return b.CreateSelect(b.CreateICmpSLT(x, intConst(t, 0)), b.CreateNeg(m), m);
}

Value *intToFloat(llvm::IRBuilderBase &b, Value *x, ScalarType from, ScalarType to,
                  const ScalarTarget &target) {
  auto cast = [&](Value *v, llvm::Type *t) {
    return isSigned(from) ? b.CreateSIToFP(v, t) : b.CreateUIToFP(v, t);
  };
  llvm::Type *shape = x->getType();
  if (to == ScalarType::F64 || to == ScalarType::F32)
    return cast(x, likeShape(shape, valueType(b.getContext(), to, target)));
  if (bitWidth(from) == 8)
    return f32ToNarrow(b, cast(x, f32Like(shape)), to, target); // exact in f32
  if (bitWidth(from) == 64)
    x = foldLowBits(b, x);
  return floatToFloat(b, cast(x, f64Like(shape)), ScalarType::F64, to, target);
}

Value *toBool(llvm::IRBuilderBase &b, Value *x, ScalarType from, const ScalarTarget &target) {
  if (isNarrowFloat(from))
    x = narrowToF32(b, x, from, target);
  if (isFloat(from))
    return b.CreateFCmpUNE(x, floatConst(x->getType(), 0)); // NaN is not zero
  return b.CreateICmpNE(x, intConst(x->getType(), 0));
}

} // namespace

Value *emitConvert(llvm::IRBuilderBase &b, Value *x, ScalarType from, ScalarType to,
                   const ScalarTarget &target) {
  if (from == to)
    return x;
  ExactFloats exact(b);
  llvm::Type *result = likeShape(x->getType(), valueType(b.getContext(), to, target));
  if (to == ScalarType::Bool)
    return toBool(b, x, from, target);
  if (from == ScalarType::Bool)
    return isFloat(to) ? b.CreateSelect(x, one(result, to), llvm::Constant::getNullValue(result))
                       : b.CreateZExt(x, result);
  if (isFloat(from))
    return isFloat(to) ? floatToFloat(b, x, from, to, target) : floatToInt(b, x, from, to, target);
  if (isFloat(to))
    return intToFloat(b, x, from, to, target);
  return isSigned(from) ? b.CreateSExtOrTrunc(x, result) : b.CreateZExtOrTrunc(x, result);
}

} // namespace phobos::target
