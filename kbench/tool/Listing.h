// --list: the points of a space, which of them are illegal and why, and how many there are.
#pragma once
#include "kbench/space/Count.h"
#include "kbench/tool/Subject.h"
#include "kbench/tune/Search.h"

namespace phobos::kbench {

/// Of spaces up to this size the points that @require refuses are taken too, each with its reason.
inline constexpr double maxRefusedShown = 4096;

/// `27 points`, `about 1.2e+07 points (estimated from 5000 samples, give or take 3%)`.
std::string countText(const SpaceCount &count);
/// `N=64* M=20`: the extents, with a star on those that nobody gave; empty without runtime dimensions.
std::string dimsText(const Subject &subject);
/// Which points a search or a listing walks: the listed ones, or the space with what @require refuses behind
/// it where that can be shown; of it this shard's.
std::unique_ptr<PointSource> pointsInOrder(const Subject &subject, const Options &options);
/// The points to try as the reference at full size: of the first ones of the space (or of the list) those of
/// the smallest tiles.
std::vector<Point> plainPoints(const Subject &subject);
/// Prints the first page at once, each point judged by a compile worker, then the count. Returns an exit
/// status.
int listPoints(const Subject &subject, const Options &options, const Session &session,
               const SearchOptions &search);

/// `3 listed points (1 more stands twice)`: `number` of them are taken.
std::string listedText(const Subject &subject, double number);

} // namespace phobos::kbench
