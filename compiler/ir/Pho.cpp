#include "compiler/ir/Pho.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

#pragma clang diagnostic ignored "-Wshadow" // in what tablegen writes
#include "compiler/ir/PhoDialect.cpp.inc"
#include "compiler/ir/PhoEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/ir/PhoAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/ir/PhoTypes.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/ir/PhoOps.cpp.inc"

namespace phobos::pho {

void PhoDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/ir/PhoAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/ir/PhoTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/ir/PhoOps.cpp.inc"
      >();
}

} // namespace phobos::pho
