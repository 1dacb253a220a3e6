// What is known about an integer at compile time: bounds and a divisor.
#pragma once
#include "mlir/IR/Value.h"
#include <cstdint>

namespace mlir {
class Operation;
}

namespace phobos::passes {

/// lo <= value <= hi, and value is a multiple of `divisor`. Bounds at the ends of 64 bits say nothing.
struct Range {
  int64_t lo = INT64_MIN, hi = INT64_MAX;
  int64_t divisor = 1; ///< at least 1; of the constant 0 it is 0, which every number divides

  bool isConstant() const { return lo == hi; }
  bool isMultipleOf(int64_t n) const { return divisor == 0 || divisor % n == 0; }
  /// Neither the value nor a sum of a few such values can come near the ends of 64 bits.
  bool isModest() const { return lo > -(int64_t(1) << 60) && hi < (int64_t(1) << 60); }
};

/// An extent of a tensor that can be addressed.
inline constexpr int64_t kMaxExtent = int64_t(1) << 48;

/// The range of a scalar integer or index, from constants, coordinates, extents (the index arguments of the
/// kernel), loop counters and arithmetic on them.
Range rangeOf(mlir::Value v);

/// Of a loop that runs a part of another one's iterations: that loop's counter, bounds and step are modest,
/// though the part's own bounds, which are computed, do not tell it.
void markModestPart(mlir::Operation *loop);
bool isModestPart(mlir::Operation *loop);

/// Whether `v` < `bound` is known because `v` counts a loop up to it.
bool isCountedBelow(mlir::Value v, mlir::Value bound);

} // namespace phobos::passes
