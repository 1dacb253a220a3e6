#include "kbench/stats/Statistics.h"
#include <algorithm>
#include <cmath>

namespace phobos::kbench {

double medianOf(std::vector<double> samples) {
  if (samples.empty())
    return 0;
  size_t half = samples.size() / 2;
  std::nth_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(half), samples.end());
  double upper = samples[half];
  if (samples.size() % 2)
    return upper;
  return (*std::max_element(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(half)) + upper) / 2;
}

// The number of samples below the median is binomial with p = 1/2, so [x_(j), x_(n+1-j)] covers the median
// with probability 1 - 2 P(B <= j - 1): the largest j that leaves at least 95%.
static size_t intervalRank(size_t n) {
  double probability = std::pow(0.5, static_cast<double>(n)), tail = probability;
  size_t j = 0;
  while (j < n / 2 && 2 * tail <= 0.05) {
    ++j;
    probability *= static_cast<double>(n - j + 1) / static_cast<double>(j);
    tail += probability;
  }
  return j; // 0: not even the extremes do
}

void LargestOf::add(double rate) {
  second_ = std::max(second_, std::min(largest_, rate));
  largest_ = std::max(largest_, rate);
}

Summary summarize(const std::vector<double> &samples) {
  Summary s;
  s.count = samples.size();
  if (samples.empty())
    return s;
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  s.least = sorted.front();
  s.median = medianOf(sorted);
  std::vector<double> deviations;
  for (double x : sorted)
    deviations.push_back(std::abs(x - s.median));
  s.mad = medianOf(deviations);
  // Powers of 1/2 underflow far past any number of repeats; a few hundred are enough to rank by.
  size_t rank = sorted.size() <= 900 ? intervalRank(sorted.size())
                                     : sorted.size() / 2 - static_cast<size_t>(std::sqrt(sorted.size()));
  size_t j = std::max<size_t>(rank, 1);
  s.low = sorted[j - 1];
  s.high = sorted[sorted.size() - j];
  return s;
}

bool overlap(const Summary &a, const Summary &b) { return a.low <= b.high && b.low <= a.high; }

std::string whyNoRatio(const Summary &a, const Summary &b) {
  if (std::max(a.spread(), b.spread()) > noisySpread)
    return "repeats of one of them spread by " +
           std::to_string(std::lround(100 * std::max(a.spread(), b.spread()))) + "%";
  const bool isNear = std::max(a.median, b.median) <= nearEnough * std::min(a.median, b.median);
  return !isNear && overlap(a, b) ? "their 95% intervals overlap" : "";
}

double signProbability(size_t ahead, size_t rounds) {
  const size_t extreme = std::max(ahead, rounds - std::min(ahead, rounds));
  double probability = std::ldexp(1, -static_cast<int>(rounds)), tail = 0; // of 0 heads, of 1, ..
  for (size_t k = 0; k + extreme <= rounds; ++k) {
    tail += probability;
    probability *= static_cast<double>(rounds - k) / static_cast<double>(k + 1);
  }
  return std::min(1.0, 2 * tail);
}

Standing judge(std::vector<Finalist> &finalists, double doubt) {
  Standing standing;
  std::vector<double> medians;
  bool any = false;
  for (size_t i = 0; i < finalists.size(); ++i) {
    medians.push_back(medianOf(finalists[i].samples));
    if (finalists[i].isOut)
      continue;
    if (!any || medians[i] < medians[standing.best])
      standing.best = i;
    any = true;
  }
  if (!any)
    return standing;
  const std::vector<double> &leader = finalists[standing.best].rounds;
  for (size_t i = 0; i < finalists.size(); ++i) {
    if (finalists[i].isOut)
      continue;
    const std::vector<double> &own = finalists[i].rounds;
    size_t behind = 0, told = 0;
    for (size_t r = 0; r < std::min(own.size(), leader.size()); ++r)
      if (own[r] != leader[r]) // a round that a coarse clock calls equal says nothing
        ++told, behind += own[r] > leader[r];
    if (i != standing.best && 2 * behind > told && signProbability(behind, told) < doubt)
      finalists[i].isOut = true;
    else
      standing.tied.push_back(i);
  }
  standing.isDecided = standing.tied.size() == 1;
  return standing;
}

size_t breakTie(const std::vector<Finalist> &finalists, const std::vector<size_t> &tied) {
  auto better = [&](size_t a, size_t b) {
    if (finalists[a].resources != finalists[b].resources)
      return finalists[a].resources < finalists[b].resources;
    return medianOf(finalists[a].samples) < medianOf(finalists[b].samples);
  };
  return *std::min_element(tied.begin(), tied.end(), better);
}

} // namespace phobos::kbench
