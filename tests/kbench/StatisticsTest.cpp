// Medians, their confidence intervals, and how finals are decided.
#include "kbench/stats/Agreement.h"
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

/// `rounds` rounds of a contender that takes `time`, on a machine whose rounds are slow by `drift` together
/// and whose samples vary by `noise` alone.
Finalist finalist(double time, std::vector<double> resources, size_t rounds = 20, double noise = 0.001,
                  unsigned seed = 1) {
  Finalist f;
  std::mt19937 shared(99), own(seed);
  std::normal_distribution<double> normal;
  for (size_t r = 0; r < rounds; ++r) {
    const double drift = 1 + 0.2 * std::abs(normal(shared));
    std::vector<double> samples;
    for (int k = 0; k < 3; ++k)
      samples.push_back(time * drift * (1 + noise * normal(own)));
    f.samples.insert(f.samples.end(), samples.begin(), samples.end());
    f.rounds.push_back(medianOf(samples));
  }
  f.resources = std::move(resources);
  return f;
}

TEST(Finals, TheSignTestIsTheBinomialOne) {
  EXPECT_DOUBLE_EQ(signProbability(6, 6), 2.0 / 64);
  EXPECT_DOUBLE_EQ(signProbability(0, 6), 2.0 / 64);
  EXPECT_DOUBLE_EQ(signProbability(7, 8), 2.0 * 9 / 256);
  EXPECT_DOUBLE_EQ(signProbability(4, 8), 1);
  EXPECT_DOUBLE_EQ(signProbability(0, 0), 1);
}

TEST(Finals, AClearlySlowerOneIsOut) {
  std::vector<Finalist> f = {finalist(2, {}), finalist(1, {}), finalist(3, {})};
  Standing s = judge(f, doubtOnTheWay);
  EXPECT_EQ(s.best, 1u);
  EXPECT_TRUE(s.isDecided);
  EXPECT_TRUE(f[0].isOut);
  EXPECT_TRUE(f[2].isOut);
}

TEST(Finals, ASmallDifferenceThatEveryRoundShowsIsNoTie) {
  // 349 us beside 355 us on a machine that drifts by 20%: their intervals overlap, the rounds do not.
  std::vector<Finalist> f = {finalist(355, {1}, 20, 0.002, 1), finalist(349, {9}, 20, 0.002, 2)};
  EXPECT_GT(summarize(f[1].samples).high, summarize(f[0].samples).low);
  Standing s = judge(f, doubtOnTheWay);
  EXPECT_EQ(s.best, 1u);
  EXPECT_TRUE(s.isDecided);
}

TEST(Finals, EqualOnesTie) {
  int told = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<Finalist> f = {finalist(1, {64, 2}, 40, 0.01, 2 * seed),
                               finalist(1, {64, 1}, 40, 0.01, 2 * seed + 1)};
    told += judge(f, doubtAtTheEnd).isDecided;
  }
  EXPECT_LE(told, 20) << "one of twenty, and the leader is the luckier one of two";
}

TEST(Finals, ATieGoesToFewerResources) {
  std::vector<Finalist> f = {finalist(1.0, {64, 2}), finalist(1.0, {64, 1}), finalist(1.0, {128, 0})};
  Standing s = judge(f, doubtOnTheWay);
  EXPECT_FALSE(s.isDecided);
  ASSERT_EQ(s.tied.size(), 3u);
  EXPECT_EQ(breakTie(f, s.tied), 1u);
}

TEST(Finals, FewRoundsDecideNothing) {
  std::vector<Finalist> f = {finalist(1, {}, 5), finalist(9, {}, 5)};
  EXPECT_FALSE(judge(f, doubtAtTheEnd).isDecided);
}

TEST(Finals, OneThatFailedIsNoCandidate) {
  std::vector<Finalist> f = {finalist(1, {}), finalist(2, {})};
  f[0].isOut = true;
  Standing s = judge(f, doubtOnTheWay);
  EXPECT_EQ(s.best, 1u);
  EXPECT_TRUE(s.isDecided);
}

TEST(LargestOf, IsBelievedWhereAnotherIsNear) {
  LargestOf r;
  EXPECT_FALSE(r.agree());
  r.add(120); // half, in a bad moment
  EXPECT_FALSE(r.agree()) << "one says nothing";
  r.add(236);
  EXPECT_FALSE(r.agree());
  r.add(118);
  EXPECT_FALSE(r.agree()) << "those that agree are not the largest";
  r.add(230);
  EXPECT_TRUE(r.agree());
  EXPECT_EQ(r.largest(), 236);
  LargestOf none;
  none.add(0);
  none.add(0);
  EXPECT_FALSE(none.agree());
}

TEST(Agreement, MeasuresWhatDoesNotAgreeAgain) {
  const std::vector<double> first = {50, 100, 99}, second = {10, 10};
  std::vector<int> order;
  size_t a = 0, b = 0;
  const std::vector<Measure> measures = {[&] { return order.push_back(1), std::optional(first.at(a++)); },
                                         [&] { return order.push_back(2), std::optional(second.at(b++)); }};
  const auto rates =
      measureUntilTheyAgree(measures, {std::chrono::milliseconds(0), std::chrono::milliseconds(0)});
  ASSERT_TRUE(rates);
  EXPECT_TRUE(agree(*rates));
  EXPECT_EQ((*rates)[0].largest(), 100);
  EXPECT_EQ((*rates)[1].largest(), 10);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 1, 2, 1})) << "in turns, and no more than needed";
}

TEST(Agreement, Ends) {
  double rate = 1;
  int asked = 0;
  const auto rates = measureUntilTheyAgree({[&] { return ++asked, std::optional(rate *= 2); }}, {{}, {}});
  ASSERT_TRUE(rates);
  EXPECT_FALSE(agree(*rates));
  EXPECT_EQ(asked, mostTries);
  asked = 0;
  EXPECT_FALSE(measureUntilTheyAgree({[&] { return ++asked, std::optional<double>(); }}, {}));
  EXPECT_EQ(asked, 1);
}

TEST(Agreement, PausesBetweenTwoOfTheSame) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::steady_clock::now();
  double rate = 1;
  measureUntilTheyAgree({[&] { return std::optional(rate *= 2); }}, {milliseconds(30), milliseconds(10)});
  EXPECT_GE(std::chrono::steady_clock::now() - since, milliseconds(30 + (mostTries - 2) * 10));
}

} // namespace
