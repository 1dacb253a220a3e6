// Statistics of repeated timings. Nothing here assumes a distribution: medians, and confidence intervals from
// order statistics.
#pragma once
#include <cstddef>
#include <string>
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

/// Repeats that spread by more than this: the machine is noisy.
inline constexpr double noisySpread = 0.05;
/// Medians this near are worth a second look.
inline constexpr double nearEnough = 1.10;

/// Whether the medians' confidence intervals have a value in common.
bool overlap(const Summary &a, const Summary &b);
/// Why noise allows no statement of how many times as fast one is as the other: either spreads too much, or
/// they are far apart by their medians and not by their intervals. Empty: it allows one.
std::string whyNoRatio(const Summary &a, const Summary &b);

double medianOf(std::vector<double> samples);
Summary summarize(const std::vector<double> &samples);

/// Of repeated measurements of a rate, which what else runs can only make smaller.
class LargestOf {
public:
  /// The largest is believed where another is no further below it.
  static constexpr double agreement = 0.85;
  void add(double rate);
  double largest() const { return largest_; }
  bool agree() const { return second_ >= agreement * largest_ && second_ > 0; }

private:
  double largest_ = 0, second_ = 0;
};

/// One finalist: its samples, and what it costs in resources, the most important first.
struct Finalist {
  size_t id = 0;
  std::vector<double> samples;
  std::vector<double> rounds; ///< the median of each round's samples; all finalists were in the same rounds
  std::vector<double> resources;
  bool isOut = false; ///< slower beyond doubt, or it failed
};

/// How the finals stand.
struct Standing {
  size_t best = 0;          ///< index into the finalists: the one with the least median
  bool isDecided = false;   ///< every other one is out or slower beyond doubt
  std::vector<size_t> tied; ///< indices, `best` among them, that the rounds do not tell apart
};

/// The probability that of `rounds` fair coins `ahead` or more, or as few, fall one way: how surprising it is
/// that one of two equally fast contenders is ahead in so many of the rounds.
double signProbability(size_t ahead, size_t rounds);

/// Compares each with the leader round by round: what disturbs a round disturbs both, so a difference that
/// has the same sign in nearly all rounds is real however small it is beside the spread of the samples. One
/// that is behind in so many rounds that chance would do it in fewer than `doubt` of all cases is marked as
/// out; where the sign is not consistent, the two are tied.
Standing judge(std::vector<Finalist> &finalists, double doubt);
/// While rounds go on each look is another chance to be wrong: a look asks for more than the last judgement.
inline constexpr double doubtOnTheWay = 0.005, doubtAtTheEnd = 0.05;
/// The winner of a tie: fewest resources in their order, then the least median.
size_t breakTie(const std::vector<Finalist> &finalists, const std::vector<size_t> &tied);

} // namespace phobos::kbench
