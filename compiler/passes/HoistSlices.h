// Moves tensor reads that do not depend on a loop out of it.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace phobos::passes {

/// A load whose operands are the same in every iteration moves before the loop, so that attention's query
/// tile is read once. Legal where the loop does not write the view, because a block's own accesses are
/// ordered and no other block may write what it reads; with a barrier inside, the kernel must not write the
/// view at all (another thread's store may become visible there). Reading in a loop that runs no iteration is
/// harmless: a read never traps.
std::unique_ptr<mlir::Pass> createHoistSlices();

} // namespace phobos::passes
