// Which points a search takes, in which order.
#pragma once
#include "kbench/space/Walk.h"
#include <functional>
#include <random>
#include <set>

namespace phobos::kbench {

class PointSource {
public:
  virtual ~PointSource() = default;
  virtual std::optional<Point> next() = 0;
};

/// Every point of a space.
std::unique_ptr<PointSource> everyPoint(const SearchSpace &space);
/// Every point, and after them those that the constraints refuse, so that a report can say of each why. For
/// small spaces.
std::unique_ptr<PointSource> everyPointAndRefused(const SearchSpace &space);
/// Points given by hand.
std::unique_ptr<PointSource> listedPoints(std::vector<Point> points);
/// `count` different points spread over a space that may be far too large to walk; the same ones for the same
/// seed.
std::unique_ptr<PointSource> spreadPoints(const SearchSpace &space, size_t count, uint64_t seed);
/// Of another source's points those numbered index, index + of, ..: one machine's share.
std::unique_ptr<PointSource> shardOf(std::unique_ptr<PointSource> all, size_t index, size_t of);

} // namespace phobos::kbench
