// Which operations work through shared memory, and how much of it they need.
#pragma once
#include "compiler/target/nvptx/Phog.h"

namespace phobos::nvptx {

/// Bytes of scratch that `op` needs between its own barriers; 0: none.
int64_t scratchBytes(mlir::Operation *op, int64_t threads);

} // namespace phobos::nvptx
