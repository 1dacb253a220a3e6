// What a point must compute at the size at which it is timed: what the plain point computed there.
//
// The plain point is the smallest of the space, right at small sizes by the interpreter, run once at full
// size on the same target. Both it and the point that is compared with it may be off by the bound of
// Oracle.h, with S from a second run of the plain point on the absolute values of all inputs: elements may
// differ by twice the bound. Integers and bools must be equal.
#pragma once
#include "kbench/verify/Oracle.h"

namespace phobos::kbench {

/// One output of the plain point.
struct FullOutput {
  size_t param = 0;
  HostArray values;
  std::vector<float> bounds; ///< an element; empty for integers
};

/// `sizes` is the output of the run on absolute values (not looked at for integers).
FullOutput makeFullOutput(size_t param, HostArray values, const HostArray &sizes, const Effort &effort);
Comparison compareFull(const HostArray &got, const FullOutput &expected, const std::string &name);

} // namespace phobos::kbench
