// Which points a search takes, which of them go to the finals, and what is said of the differences.
#include "kbench/report/Report.h"
#include "kbench/tune/Finals.h"
#include "kbench/tune/PointSource.h"
#include "tests/kbench/Expressions.h"
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::kbench;

namespace {

std::vector<std::string> all(PointSource &source) {
  std::vector<std::string> points;
  while (auto p = source.next())
    points.push_back(p->str());
  return points;
}

/// T and U are searched over, STAGES is not; @require(T * U <= 64 && STAGES * T >= 32).
sema::Space someSpace(test::Trees &t) {
  using Op = ast::BinaryOp;
  sema::Space space;
  space.dimensions = {{"T", {8, 16, 32, 64}, true, {}},
                      {"STAGES", {1, 2, 3, 4, 5, 6, 7, 8}, true, {}},
                      {"U", {1, 2, 4, 8}, true, {}}};
  space.constraints.resize(2);
  space.constraints[0].expr = t.binary(Op::Le, t.binary(Op::Mul, t.name("T"), t.name("U")), t.number(64));
  space.constraints[1].expr =
      t.binary(Op::Ge, t.binary(Op::Mul, t.name("STAGES"), t.name("T")), t.number(32));
  return space;
}

// Names that the target ignores make no second point of one, wherever points come from.
TEST(PointSource, SpreadPointsAreDifferentPointsOfTheSpaceThatIsCounted) {
  test::Trees t;
  const sema::Space space = someSpace(t);
  SpaceOptions options;
  options.ignored = {"STAGES"};
  const SearchSpace searched = makeSearchSpace(space, options);
  const std::vector<std::string> every = all(*everyPoint(searched));
  const std::set<std::string> known(every.begin(), every.end());
  ASSERT_EQ(known.size(), 10u);
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (size_t limit : {size_t(1), size_t(4), size_t(9), every.size(), every.size() + 5}) {
      const std::vector<std::string> points = all(*spreadPoints(searched, limit, seed));
      const std::set<std::string> different(points.begin(), points.end());
      EXPECT_EQ(points.size(), std::min(limit, every.size())) << "seed " << seed;
      EXPECT_EQ(different.size(), points.size()) << "seed " << seed;
      for (const std::string &p : points)
        EXPECT_TRUE(known.count(p)) << p;
      EXPECT_EQ(points, all(*spreadPoints(searched, limit, seed)));
      std::set<std::string> shares;
      for (size_t i = 0; i < 3; ++i)
        for (const std::string &p : all(*shardOf(spreadPoints(searched, limit, seed), i, 3)))
          EXPECT_TRUE(shares.insert(p).second) << p;
      EXPECT_EQ(shares, different);
    }
}

// One that hardly any order of the choices puts first is found all the same.
TEST(PointSource, SpreadPointsLeaveNoneOut) {
  test::Trees t;
  sema::Space space;
  std::vector<int64_t> choices;
  for (int64_t i = 1; i <= 4000; ++i)
    choices.push_back(i);
  space.dimensions = {{"A", choices, true, {}}};
  const SearchSpace searched = makeSearchSpace(space, {});
  EXPECT_EQ(all(*spreadPoints(searched, 3999, 1)).size(), 3999u);
}

/// `count` repeats evenly between `low` and `high`.
std::vector<double> between(double low, double high, int count = 41) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i)
    samples.push_back(low + (high - low) * i / (count - 1));
  return samples;
}
PointResult timed(std::vector<double> search, std::vector<double> finals = {}) {
  PointResult p;
  p.measurement.samplesNs = std::move(search);
  p.measurement.bytes = 1000;
  p.finalsNs = std::move(finals);
  return p;
}

TEST(Finalists, QuietOnesAreThoseOfNearMedians) {
  const std::vector<PointResult> results = {timed(between(125, 127)), timed(between(100, 102)),
                                            timed(between(110, 112)), timed(between(112, 114))};
  EXPECT_EQ(finalistsOf(results, 8), (std::vector<size_t>{1, 2}));
}

TEST(Finalists, WhatNoiseDoesNotTellFromTheBestIsOne) {
  // One that was disturbed half of the time, one that is slower beyond doubt, and a best that spreads.
  const std::vector<PointResult> results = {timed(between(90, 600)), timed(between(60, 400)),
                                            timed(between(900, 950)), timed(between(240, 245))};
  EXPECT_EQ(finalistsOf(results, 8), (std::vector<size_t>{1, 3, 0}));
  EXPECT_EQ(finalistsOf(results, 2), (std::vector<size_t>{1, 3})) << "no more than there is room for";
}

SearchOutcome ended(std::vector<PointResult> results) {
  SearchOutcome o;
  o.results = std::move(results);
  for (size_t i = 0; i < o.results.size(); ++i)
    o.ranking.push_back(i);
  return o;
}
bool says(const SearchOutcome &o, const std::string &words, const ReportContext &context = {}) {
  return reportText(o, context).find(words) != std::string::npos;
}

TEST(Report, ClaimsNoRatioThatNoiseDoesNotAllow) {
  EXPECT_TRUE(says(ended({timed(between(100, 101)), timed(between(300, 301))}), "and is 2.99 times as fast"));
  EXPECT_TRUE(
      says(ended({timed(between(100, 101), between(100, 101)), timed(between(102, 103), between(102, 103))}),
           ": the best is 1.02 times as fast"));
  for (auto &[fast, slow] : {std::pair(between(100, 101), between(1000, 9000)), // either spreads
                             std::pair(between(20, 180), between(4990, 5000)),
                             // Quiet but for some of few, so that the intervals overlap.
                             std::pair(std::vector<double>{100, 100, 100, 101, 400}, between(300, 301))})
    for (bool inFinals : {false, true}) {
      const SearchOutcome o =
          inFinals ? ended({timed(fast, fast), timed(slow, slow)}) : ended({timed(fast), timed(slow)});
      EXPECT_FALSE(says(o, "times as fast")) << reportText(o, {});
      EXPECT_TRUE(says(o, "the noise allows no ratio of the two")) << reportText(o, {});
    }
}

TEST(Report, ClaimsNoShareOfALibraryThatNoiseDoesNotAllow) {
  ReportContext context;
  context.baseline = "openblas";
  SearchOutcome o = ended({timed(between(100, 101), between(100, 101))});
  o.baseline.name = "openblas 0";
  o.baseline.measurement.samplesNs = between(200, 201);
  EXPECT_TRUE(says(o, "the best point reaches 199.5% of its speed", context)) << reportText(o, context);
  o.baseline.measurement.samplesNs = between(200, 20000);
  EXPECT_FALSE(says(o, "of its speed", context));
  EXPECT_TRUE(says(o, "the noise allows no ratio of the best point to it", context));
  EXPECT_NE(reportJson(o, context).find("no_percent"), std::string::npos);
}

TEST(Report, NoiseIsThatOfTheFinalistsToo) {
  const auto quiet = between(300, 301);
  std::vector<PointResult> results = {timed(between(100, 101), between(100, 101)), timed(quiet), timed(quiet),
                                      timed(quiet)};
  EXPECT_FALSE(says(ended(results), "noise  "));
  results[0].finalsNs = between(50, 150);
  EXPECT_TRUE(says(ended(results), "the middle one of all finalists"));
  for (PointResult &p : results)
    p.measurement.samplesNs = between(200, 400);
  EXPECT_TRUE(says(ended(results), "the middle one of all points"));
}

} // namespace
