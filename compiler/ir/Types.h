// The language's types in the tile IR. Integers are signless there: whether one is unsigned is known from the
// operation.
#pragma once
#include "compiler/support/Types.h"
#include "mlir/IR/Types.h"

namespace phobos::ir {

/// The type of an element or a scalar: bool is i1, u8 is i8, index is index.
mlir::Type elementType(mlir::MLIRContext *context, ScalarType t);
/// A scalar, or a ranked tensor. `t` is not void.
mlir::Type valueType(mlir::MLIRContext *context, const Type &t);
/// The language's type of an element of the IR, read as signed or unsigned.
ScalarType scalarTypeOf(mlir::Type element, bool isUnsigned = false);
bool isUnsigned(ScalarType t);

} // namespace phobos::ir
