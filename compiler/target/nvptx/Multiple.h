// What an index is known to be a multiple of.
#pragma once
#include "mlir/IR/Value.h"
#include <cstdint>

namespace phobos::nvptx {

/// The largest power of two, up to 2^30, that is known to divide `index`.
int64_t multipleOf(mlir::Value index);

} // namespace phobos::nvptx
