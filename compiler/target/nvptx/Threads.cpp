#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"
#include <algorithm>

using namespace mlir;

namespace phobos::nvptx {

// A warp has room for about 64 accumulators a thread; tiles without products like some 16 elements a thread.
int64_t chooseThreads(Operation *func) {
  if (auto threads = func->getAttrOfType<IntegerAttr>("pho.threads"))
    return threads.getInt();
  if (func->hasAttr("pho.per_thread"))
    return 256;
  int64_t products = 0, elements = 0;
  func->walk([&](Operation *op) {
    for (Type t : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(t))
        elements = std::max(elements, tile.getNumElements());
    if (auto dot = dyn_cast<pho::DotOp>(op))
      products = std::max(products, cast<RankedTensorType>(dot.getAcc().getType()).getNumElements());
  });
  int64_t warps = products ? products / (32 * 64) : elements / (32 * 16);
  int64_t pow2 = 1;
  while (pow2 * 2 <= warps)
    pow2 *= 2;
  return 32 * std::clamp<int64_t>(pow2, elements <= 32 ? 1 : 4, 8);
}

} // namespace phobos::nvptx
