// What an index is known to be a multiple of.
#pragma once
#include "mlir/IR/Value.h"
#include <cstdint>

namespace phobos::nvptx {

/// The largest known divisor of `index` (1 if nothing is known; 0 stands for the value 0, a multiple of
/// everything, as 2^30).
int64_t multipleOf(mlir::Value index);

} // namespace phobos::nvptx
