#include "compiler/ir/Types.h"
#include "mlir/IR/BuiltinTypes.h"

namespace phobos::ir {

mlir::Type elementType(mlir::MLIRContext *context, ScalarType t) {
  switch (t) {
  case ScalarType::Bool:
    return mlir::IntegerType::get(context, 1);
  case ScalarType::I8:
  case ScalarType::U8:
    return mlir::IntegerType::get(context, 8);
  case ScalarType::I32:
  case ScalarType::U32:
    return mlir::IntegerType::get(context, 32);
  case ScalarType::I64:
    return mlir::IntegerType::get(context, 64);
  case ScalarType::Index:
    return mlir::IndexType::get(context);
  case ScalarType::F8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case ScalarType::F8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case ScalarType::F16:
    return mlir::Float16Type::get(context);
  case ScalarType::BF16:
    return mlir::BFloat16Type::get(context);
  case ScalarType::F32:
    return mlir::Float32Type::get(context);
  case ScalarType::F64:
    return mlir::Float64Type::get(context);
  }
  return {};
}

mlir::Type valueType(mlir::MLIRContext *context, const Type &t) {
  mlir::Type elem = elementType(context, t.elem);
  return t.isTile() ? mlir::RankedTensorType::get(t.shape, elem) : elem;
}

ScalarType scalarTypeOf(mlir::Type element, bool readUnsigned) {
  if (element.isInteger(1))
    return ScalarType::Bool;
  if (element.isInteger(8))
    return readUnsigned ? ScalarType::U8 : ScalarType::I8;
  if (element.isInteger(32))
    return readUnsigned ? ScalarType::U32 : ScalarType::I32;
  if (element.isInteger(64))
    return ScalarType::I64;
  if (mlir::isa<mlir::IndexType>(element))
    return ScalarType::Index;
  if (mlir::isa<mlir::Float8E4M3FNType>(element))
    return ScalarType::F8E4M3;
  if (mlir::isa<mlir::Float8E5M2Type>(element))
    return ScalarType::F8E5M2;
  if (element.isF16())
    return ScalarType::F16;
  if (element.isBF16())
    return ScalarType::BF16;
  return element.isF64() ? ScalarType::F64 : ScalarType::F32;
}

bool isUnsigned(ScalarType t) { return t == ScalarType::U8 || t == ScalarType::U32; }

} // namespace phobos::ir
