// How many points a space has.
//
// Names that no constraint connects multiply. Within a connected group, names are bound in an order that
// keeps few values alive, and what is left of the count depends on those values only: each such state is
// counted once. The last few names are evaluated together, as vectors. Spaces of 10^9 points with selective
// constraints take milliseconds to seconds.
#pragma once
#include "kbench/space/SearchSpace.h"
#include <chrono>
#include <cstdint>

namespace phobos::kbench {

struct SpaceCount {
  bool isExact = true;
  double points = 0;    ///< an integer below 2^53 if exact
  double error = 0;     ///< of an estimate: its standard error
  uint64_t samples = 0; ///< of an estimate: the random points it rests on
};

/// Exact unless that takes longer than `limit` (memory is bounded always); then an estimate from random
/// points.
SpaceCount countPoints(const SearchSpace &space, std::chrono::milliseconds limit);

} // namespace phobos::kbench
