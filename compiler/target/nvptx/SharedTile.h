// A tile in shared memory as the emitter addresses it.
#pragma once
#include "compiler/target/nvptx/Emitter.h"

namespace phobos::nvptx {

struct Emitter::SharedTile {
  Reg base = nullptr; ///< address of its first byte
  SharedLayout layout;
};

} // namespace phobos::nvptx
