#include "compiler/target/cpu/Emitter.h"

namespace phobos::cpu {

mlir::Type elementType(mlir::Type t) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(t))
    return tensor.getElementType();
  if (auto view = mlir::dyn_cast<pho::ViewType>(t))
    return view.getElementType();
  return t;
}

mlir::Type elementType(mlir::Value v) { return elementType(v.getType()); }

ScalarType scalarTypeOf(mlir::Type elem, bool isUnsigned) {
  if (elem.isIndex())
    return ScalarType::Index;
  if (elem.isInteger(1))
    return ScalarType::Bool;
  if (elem.isInteger(8))
    return isUnsigned ? ScalarType::U8 : ScalarType::I8;
  if (elem.isInteger(32))
    return isUnsigned ? ScalarType::U32 : ScalarType::I32;
  if (elem.isInteger(64))
    return ScalarType::I64;
  if (mlir::isa<mlir::Float8E4M3FNType>(elem))
    return ScalarType::F8E4M3;
  if (mlir::isa<mlir::Float8E5M2Type>(elem))
    return ScalarType::F8E5M2;
  if (elem.isF16())
    return ScalarType::F16;
  if (elem.isBF16())
    return ScalarType::BF16;
  return elem.isF64() ? ScalarType::F64 : ScalarType::F32;
}

llvm::Type *KernelEmitter::valueType(mlir::Type t) {
  mlir::Type elem = elementType(t);
  llvm::LLVMContext &c = module_.getContext();
  return elem.isInteger() ? llvm::Type::getIntNTy(c, elem.getIntOrFloatBitWidth())
                          : target::valueType(c, scalarTypeOf(elem, false), target_.scalar);
}

llvm::Type *KernelEmitter::memoryType(mlir::Value v) {
  llvm::Type *t = valueType(v);
  return t->isIntegerTy(1) ? llvm::Type::getInt8Ty(module_.getContext()) : t;
}

llvm::Type *KernelEmitter::vectorOf(llvm::Type *t, unsigned lanes) {
  return lanes == 1 ? t : llvm::FixedVectorType::get(t, lanes);
}

llvm::Value *KernelEmitter::splat(llvm::Value *v, unsigned lanes) {
  return lanes == 1 || v->getType()->isVectorTy() ? v : builder_.CreateVectorSplat(lanes, v);
}

llvm::Value *KernelEmitter::toMemory(llvm::Value *v) {
  llvm::Type *t = v->getType();
  if (!t->getScalarType()->isIntegerTy(1))
    return v;
  return builder_.CreateZExt(v, t->getWithNewType(builder_.getInt8Ty()));
}

llvm::Value *KernelEmitter::fromMemory(llvm::Value *v, bool isBool) {
  return isBool ? builder_.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType())) : v;
}

llvm::Value *KernelEmitter::laneIndex(unsigned lanes) {
  llvm::SmallVector<llvm::Constant *> index;
  for (unsigned l = 0; l < lanes; ++l)
    index.push_back(builder_.getInt64(l));
  return lanes == 1 ? index[0] : llvm::ConstantVector::get(index);
}

} // namespace phobos::cpu
