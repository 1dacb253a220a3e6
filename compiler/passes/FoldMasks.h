// Makes comparisons of coordinates 32 bits wide.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace phobos::passes {

/// Coordinates are of type index and meet iota's i32 as i64: `kt + iota(1, [1, BC]) < Nk` would cost 64-bit
/// arithmetic a lane. Such a comparison of sums becomes
///
///     (sum of the iota terms, in i32)  <  clamp(the rest, in i64, once a block)
///
/// The iota terms are at most [lo, hi] with both in 32 bits, so clamping the rest to [lo - 1, hi + 1] changes
/// no outcome of any comparison. The scalar terms must be known not to come near the ends of 64 bits
/// (coordinates, extents, counters), since moving them over the comparison would change what a wrapped sum
/// gives.
std::unique_ptr<mlir::Pass> createFoldMasks();

} // namespace phobos::passes
