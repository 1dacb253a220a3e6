// Medians, their confidence intervals, and how finals are decided.
#include "kbench/stats/Statistics.h"
#include <gtest/gtest.h>
#include <random>

using namespace phobos::kbench;

namespace {

TEST(Statistics, MedianAndMad) {
  Summary s = summarize({5, 1, 3});
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.mad, 2);
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(medianOf({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(summarize({}).count, 0u);
  EXPECT_EQ(summarize({7}).low, 7);
}

TEST(Statistics, TheIntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937 random(3);
  std::exponential_distribution<double> skewed(1);
  for (size_t n : {6, 11, 30, 101}) {
    int covered = 0, rounds = 4000;
    for (int i = 0; i < rounds; ++i) {
      std::vector<double> samples;
      for (size_t k = 0; k < n; ++k)
        samples.push_back(skewed(random));
      Summary s = summarize(samples);
      covered += s.low <= std::log(2.0) && std::log(2.0) <= s.high;
    }
    EXPECT_GE(covered, rounds * 94 / 100) << n;
  }
}

Finalist finalist(double around, std::vector<double> resources, size_t n = 20) {
  Finalist f;
  for (size_t i = 0; i < n; ++i)
    f.samples.push_back(around + 0.01 * static_cast<double>(i % 5));
  f.resources = std::move(resources);
  return f;
}

TEST(Finals, AClearlySlowerOneIsOut) {
  std::vector<Finalist> f = {finalist(2, {}), finalist(1, {}), finalist(3, {})};
  Standing s = judge(f);
  EXPECT_EQ(s.best, 1u);
  EXPECT_TRUE(s.isDecided);
  EXPECT_TRUE(f[0].isOut);
  EXPECT_TRUE(f[2].isOut);
}

TEST(Finals, ATieGoesToFewerResources) {
  std::vector<Finalist> f = {finalist(1.0, {64, 2}), finalist(1.005, {64, 1}), finalist(1.002, {128, 0})};
  Standing s = judge(f);
  EXPECT_FALSE(s.isDecided);
  ASSERT_EQ(s.tied.size(), 3u);
  EXPECT_EQ(breakTie(f, s.tied), 1u);
}

TEST(Finals, FewSamplesDecideNothing) {
  std::vector<Finalist> f = {finalist(1, {}, 3), finalist(9, {}, 3)};
  EXPECT_FALSE(judge(f).isDecided);
}

TEST(Finals, OneThatFailedIsNoCandidate) {
  std::vector<Finalist> f = {finalist(1, {}), finalist(2, {})};
  f[0].isOut = true;
  Standing s = judge(f);
  EXPECT_EQ(s.best, 1u);
  EXPECT_TRUE(s.isDecided);
}

} // namespace
