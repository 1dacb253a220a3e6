// What is read off the results of a search.
#include "kbench/tune/Finals.h"
#include <algorithm>
#include <tuple>

namespace phobos::kbench {

std::optional<SearchOutcome::RoofShare> SearchOutcome::shareOfRoof(const PointResult &point) const {
  const Measurement &m = point.measurement;
  const double ns = point.summary().median, surely = m.bytes * (1 - unsurePart),
               copyNs = roof.bytesPerNs > 0 ? surely / roof.bytesPerNs : 0;
  double dotNs = 0;
  std::string types;
  for (const auto &[type, part] : products) {
    const ProductRoof *known = roof.of(type);
    if (!known || known->flopsPerNs <= 0) {
      dotNs = 0;
      break;
    }
    dotNs += m.flops * part / known->flopsPerNs;
    types += (types.empty() ? "dot " : " + ") + type;
  }
  if (!m.isComputeBound && !unknownTraffic().empty())
    return std::nullopt;
  if (ns <= 0 || (m.isComputeBound ? dotNs : copyNs) <= 0)
    return std::nullopt;
  return RoofShare{100 * std::max(copyNs, dotNs) / ns, dotNs > copyNs ? types : "copy"};
}

std::string SearchOutcome::unknownTraffic() const {
  return unsurePart > mostUnsure
             ? "which elements of " + unsure + " are touched depends on data, or on arguments"
             : "";
}

void SearchOutcome::takeEffort(const Reply &compiled) {
  products = compiled.products;
  unsurePart = compiled.unsurePart;
  unsure = compiled.unsure;
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

std::vector<size_t> finalistsOf(const std::vector<PointResult> &results, size_t most) {
  std::vector<size_t> chosen;
  Summary best;
  for (size_t i : rankAll(results)) {
    const Summary own = results[i].summary();
    if (chosen.empty())
      best = own;
    if (own.median <= nearEnough * best.median || overlap(own, best))
      chosen.push_back(i);
    if (chosen.size() == most)
      break;
  }
  return chosen;
}

} // namespace phobos::kbench
