// Products of warpgroups that are under way.
#pragma once
#include "tests/emulate/Machine.h"

namespace phobos::emulate {

/// One wgmma.mma_async.
struct Product {
  const Operation *op = nullptr;
  uint64_t a = 0, b = 0;              ///< descriptors
  std::vector<uint16_t> aBits, bBits; ///< the operands when it was begun
  std::vector<uint32_t> sums; ///< of 128 threads: before it is done what goes in, after it what comes out
  uint32_t group = 0, firstToken = 0;
  bool isDone = false;
};

struct Warpgroup {
  std::vector<Product> products;
  uint32_t committed = 0; ///< groups that are closed
  bool isFenced = false;  ///< since then
};

} // namespace phobos::emulate
