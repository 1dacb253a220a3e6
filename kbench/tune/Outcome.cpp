// What is read off the results of a search.
#include "kbench/tune/Finals.h"
#include <algorithm>
#include <tuple>

namespace phobos::kbench {

std::optional<double> SearchOutcome::percentOfRoof(const PointResult &point) const {
  const Measurement &m = point.measurement;
  const double peak = arithmetic == "f32"   ? roof.f32FlopsPerNs
                      : arithmetic == "f64" ? roof.f64FlopsPerNs
                                            : 0,
               ns = point.summary().median;
  if (ns <= 0 || (m.isComputeBound ? peak : roof.bytesPerNs) <= 0)
    return std::nullopt;
  const double least =
      std::max(roof.bytesPerNs > 0 ? m.bytes / roof.bytesPerNs : 0, peak > 0 ? m.flops / peak : 0);
  return 100 * least / ns;
}

std::vector<size_t> rankAll(const std::vector<PointResult> &results) {
  std::vector<size_t> order;
  std::vector<double> medians(results.size());
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].status() == Status::Ok && !results[i].measurement.samplesNs.empty()) {
      order.push_back(i);
      medians[i] = results[i].summary().median;
    }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const bool aLater = !results[a].wasInFinals(), bLater = !results[b].wasInFinals();
    return std::tuple(aLater, medians[a], a) < std::tuple(bLater, medians[b], b);
  });
  return order;
}

} // namespace phobos::kbench
