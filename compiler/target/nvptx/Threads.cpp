#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"
#include <algorithm>

using namespace mlir;

namespace phobos::nvptx {

// A lone product on tensor cores likes 128 accumulators a thread (a 64 x 64 warp tile reads least); where
// several values live beside each other, or on the plain path, there is room for about 64. Tiles without
// products like some 16 elements a thread. Measured on an H200.
int64_t chooseThreads(Operation *func, unsigned sm) {
  if (auto threads = func->getAttrOfType<IntegerAttr>("pho.threads"))
    return threads.getInt();
  if (func->hasAttr("pho.per_thread"))
    return 256;
  int64_t products = 0, elements = 0, dots = 0;
  bool isPlain = false;
  func->walk([&](Operation *op) {
    for (Type t : op->getResultTypes())
      if (auto tile = dyn_cast<RankedTensorType>(t))
        elements = std::max(elements, tile.getNumElements());
    if (auto dot = dyn_cast<pho::DotOp>(op)) {
      ++dots;
      Type elem = elementOf(dot.getA().getType());
      isPlain |= (sm < 80 && !elem.isF16() && !elem.isInteger(8)) || elem.isF64() ||
                 (elem.isF32() && !func->hasAttr("pho.tensorcore")) || elem.isInteger(32) ||
                 elem.isInteger(64);
      products = std::max(products, cast<RankedTensorType>(dot.getAcc().getType()).getNumElements());
    }
  });
  int64_t warps = products ? products / (32 * (dots == 1 && !isPlain ? 128 : 64)) : elements / (32 * 16);
  int64_t pow2 = 1;
  while (pow2 * 2 <= warps)
    pow2 *= 2;
  return 32 * std::clamp<int64_t>(pow2, elements <= 32 ? 1 : 4, 8);
}

} // namespace phobos::nvptx
