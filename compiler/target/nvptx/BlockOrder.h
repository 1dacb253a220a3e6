// GROUP_M and CLUSTER_*: how blocks share a product's result.
#pragma once
#include "compiler/legality/Legality.h"

namespace mlir {
class Operation;
}

namespace phobos::nvptx {

/// Where the kernel accumulates a product in a recognised loop, and its point sets GROUP_M: `phog.group`
/// becomes {GROUP_M, the block axis along the product's rows, the one along its columns}, by which the
/// emitter walks the blocks. A cluster, which these paths do not know, breaks a rule of the list `gpu`.
legality::Verdict orderBlocks(mlir::Operation *func);

} // namespace phobos::nvptx
