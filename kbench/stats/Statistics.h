// Statistics of repeated timings. Nothing here assumes a distribution: medians, and confidence intervals from
// order statistics.
#pragma once
#include <cstddef>
#include <vector>

namespace phobos::kbench {

struct Summary {
  size_t count = 0;
  double median = 0;
  double mad = 0; ///< median absolute deviation from the median
  double least = 0;
  double low = 0, high = 0; ///< 95% confidence interval of the median; the whole range where there are fewer
                            ///< than 6 samples
  /// MAD over median: what is printed as the spread.
  double spread() const { return median > 0 ? mad / median : 0; }
};

double medianOf(std::vector<double> samples);
Summary summarize(const std::vector<double> &samples);

/// One finalist: its samples, and what it costs in resources, the most important first.
struct Finalist {
  size_t id = 0;
  std::vector<double> samples;
  std::vector<double> resources;
  bool isOut = false; ///< slower beyond doubt, or it failed
};

/// How the finals stand.
struct Standing {
  size_t best = 0;          ///< index into the finalists
  bool isDecided = false;   ///< every other one is out or slower beyond doubt
  std::vector<size_t> tied; ///< indices, `best` among them, that the samples do not tell apart
};

/// Marks those whose interval lies wholly above the leader's as out, unless their medians are nearer to each
/// other than either's samples spread: what is within noise is not told apart. The leader has the least
/// median.
Standing judge(std::vector<Finalist> &finalists);
/// The winner of a tie: fewest resources in their order, then the least median.
size_t breakTie(const std::vector<Finalist> &finalists, const std::vector<size_t> &tied);

} // namespace phobos::kbench
