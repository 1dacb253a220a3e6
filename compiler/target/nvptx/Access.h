// A slice of a tensor as the emitter addresses it.
#pragma once
#include "compiler/target/nvptx/Emitter.h"

namespace phobos::nvptx {

/// The address of its element (0, 0) in 64 bits, the steps along i and j, and what must hold to be inside.
struct Emitter::Access {
  Reg base = nullptr;                ///< may point outside
  Reg stride[2] = {};                ///< elements; null: the tile does not extend along it
  Reg step[2] = {};                  ///< the same in bytes where it is below kNarrowStride, zext of an i32
  Reg start[2] = {}, extent[2] = {}; ///< of an axis that may leave the tensor; else null
  Reg pointsInside = nullptr;        ///< the dropped axes are inside; null: always
  Reg whole = nullptr;               ///< every element is inside; null: always
  int64_t bytes = 4;
  int64_t runMultiple = 1; ///< elements: (0, 0) and every row start at a multiple of it; 16 bytes at most
};

} // namespace phobos::nvptx
