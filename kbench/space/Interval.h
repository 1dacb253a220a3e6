// Bounds of a formula's value while some of its names are not bound yet: what lets a constraint be decided
// early.
#pragma once
#include "kbench/space/Formula.h"
#include <limits>
#include <span>

namespace phobos::kbench {

/// Closed; the value is somewhere inside.
struct Interval {
  int64_t lo = std::numeric_limits<int64_t>::min();
  int64_t hi = std::numeric_limits<int64_t>::max();
  static Interval exactly(int64_t v) { return {v, v}; }
  bool isExact() const { return lo == hi; }
  bool isTrue() const { return lo > 0 || hi < 0; }
  bool isFalse() const { return lo == 0 && hi == 0; }
};

/// The smallest that holds both.
Interval join(Interval a, Interval b);
/// a + b, or the end of the range that it is past: of a bound, past which there is nothing to tell.
int64_t addOrEnd(int64_t a, int64_t b);

/// Bounds of `op` over operands in these bounds; sound under wrapping. A chain folds its operands.
Interval bound(FormulaOp op, std::span<const Interval> args);

} // namespace phobos::kbench
