// What a place in a loop is computed by, for passes that compute it ahead of its iteration.
#pragma once
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace phobos::nvptx {

/// Adds to `slice` the operations of the loop's body that `v` needs, in order; false if one of them may not
/// be done ahead of its time.
bool collectSlice(mlir::Value v, mlir::scf::ForOp loop, llvm::SetVector<mlir::Operation *> &slice);

} // namespace phobos::nvptx
