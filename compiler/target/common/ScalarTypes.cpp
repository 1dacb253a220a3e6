#include "compiler/target/common/Scalar.h"
#include "llvm/IR/Type.h"

namespace phobos::target {

llvm::Type *valueType(llvm::LLVMContext &context, ScalarType t, const ScalarTarget &target) {
  switch (t) {
  case ScalarType::Bool:
    return llvm::Type::getInt1Ty(context);
  case ScalarType::I8:
  case ScalarType::U8:
  case ScalarType::F8E4M3:
  case ScalarType::F8E5M2:
    return llvm::Type::getInt8Ty(context);
  case ScalarType::I32:
  case ScalarType::U32:
    return llvm::Type::getInt32Ty(context);
  case ScalarType::I64:
  case ScalarType::Index:
    return llvm::Type::getInt64Ty(context);
  case ScalarType::F16:
    return target.nvptx ? llvm::Type::getHalfTy(context) : llvm::Type::getInt16Ty(context);
  case ScalarType::BF16:
    return target.nvptx ? llvm::Type::getBFloatTy(context) : llvm::Type::getInt16Ty(context);
  case ScalarType::F32:
    return llvm::Type::getFloatTy(context);
  case ScalarType::F64:
    return llvm::Type::getDoubleTy(context);
  }
  llvm_unreachable("a scalar type of the language");
}

llvm::Type *memoryType(llvm::LLVMContext &context, ScalarType t, const ScalarTarget &target) {
  return t == ScalarType::Bool ? llvm::Type::getInt8Ty(context) : valueType(context, t, target);
}

} // namespace phobos::target
