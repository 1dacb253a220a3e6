// Which scalars differ between the threads of a block.
#pragma once
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir {
class Operation;
}

namespace phobos::cpu {

/// Scalars that may differ between threads: the thread's number, loads at such a place, results of atomics
/// done once a thread, and what is computed from them or chosen by control flow that depends on them.
/// Everything else is one value a block.
llvm::DenseSet<mlir::Value> findPerThreadValues(mlir::Operation *function);

} // namespace phobos::cpu
