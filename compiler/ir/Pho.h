// The tile IR dialect `pho`. Heavy: include it where the dialect's operations are built or matched.
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/ir/PhoDialect.h.inc"
#include "compiler/ir/PhoEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/ir/PhoAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/ir/PhoTypes.h.inc"
#define GET_OP_CLASSES
#include "compiler/ir/PhoOps.h.inc"

namespace phobos::pho {

/// A scalar of the language: i1, i8, i32, i64, index, f8E4M3FN, f8E5M2, f16, bf16, f32, f64.
bool isElementType(mlir::Type t);
/// A ranked tensor of rank 1 or 2 with constant extents, of such scalars.
bool isTileType(mlir::Type t);
/// What products and sums of elements `t` accumulate in (spec/types.md): f8, f16, bf16 in f32, i1 and i8 in
/// i32, the rest in themselves.
mlir::Type accumulatorType(mlir::Type t);

} // namespace phobos::pho
