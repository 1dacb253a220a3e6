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
