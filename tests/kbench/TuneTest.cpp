// Which points a search takes.
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

} // namespace
