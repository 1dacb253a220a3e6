// Rates that what else runs can only make smaller, measured until they are believed.
#pragma once
#include "kbench/stats/Statistics.h"
#include <chrono>
#include <functional>
#include <optional>

namespace phobos::kbench {

/// What lies between a measurement and the next one of the same: both in one bad moment would agree too.
struct Pauses {
  std::chrono::milliseconds first{0};   ///< before the second measurement
  std::chrono::milliseconds later{200}; ///< before each of the others
};

/// A rate; nullopt where it cannot be measured.
using Measure = std::function<std::optional<double>()>;

/// All of them twice, in turns; then those whose largest two do not agree again, after a pause, at most
/// `mostTries` times each in all. One a measure; nullopt as soon as one cannot be measured.
inline constexpr int mostTries = 6;
std::optional<std::vector<LargestOf>> measureUntilTheyAgree(const std::vector<Measure> &measures,
                                                            Pauses pauses);
bool agree(const std::vector<LargestOf> &rates);

} // namespace phobos::kbench
