#include "kbench/stats/Agreement.h"
#include <algorithm>
#include <thread>

namespace phobos::kbench {

bool agree(const std::vector<LargestOf> &rates) {
  return std::all_of(rates.begin(), rates.end(), [](const LargestOf &r) { return r.agree(); });
}

std::optional<std::vector<LargestOf>> measureUntilTheyAgree(const std::vector<Measure> &measures,
                                                            Pauses pauses) {
  std::vector<LargestOf> rates(measures.size());
  for (int attempt = 0; attempt < mostTries && !agree(rates); ++attempt) {
    if (attempt > 0)
      std::this_thread::sleep_for(attempt == 1 ? pauses.first : pauses.later);
    for (size_t i = 0; i < measures.size(); ++i) {
      if (rates[i].agree())
        continue;
      const auto rate = measures[i]();
      if (!rate)
        return std::nullopt;
      rates[i].add(*rate);
    }
  }
  return rates;
}

} // namespace phobos::kbench
