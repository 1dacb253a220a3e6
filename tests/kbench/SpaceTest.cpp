// Enumerating and counting a space, against brute force (spec/shape-environment.md).
#include "kbench/space/Count.h"
#include "kbench/space/Interval.h"
#include "kbench/space/Walk.h"
#include "tests/kbench/Expressions.h"
#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace phobos;
using namespace phobos::kbench;
using Op = ast::BinaryOp;
using std::chrono::milliseconds;

namespace {

sema::Dimension dimension(std::string name, std::vector<int64_t> choices) {
  return {std::move(name), std::move(choices), true, {}};
}
sema::Constraint require(ast::ExprP e) {
  sema::Constraint c;
  c.expr = e;
  return c;
}

std::vector<int64_t> upTo(int64_t n) {
  std::vector<int64_t> v;
  for (int64_t i = 1; i <= n; ++i)
    v.push_back(i);
  return v;
}

// As sema evaluates it, to check the formulas against.
int64_t evaluate(ast::ExprP e, const Point &p) {
  return *sema::evaluateConstant(e, [&](std::string_view name) { return p.get(name); });
}

std::vector<Point> bruteForce(const sema::Space &space) {
  std::vector<Point> result;
  std::vector<size_t> index(space.dimensions.size());
  while (true) {
    Point p;
    for (size_t i = 0; i < index.size(); ++i)
      p.set(space.dimensions[i].name, space.dimensions[i].choices[index[i]]);
    bool holds = true;
    for (auto &c : space.constraints)
      holds = holds && evaluate(c.expr, p) != 0;
    if (holds)
      result.push_back(p);
    size_t d = index.size();
    while (d > 0 && ++index[d - 1] == space.dimensions[d - 1].choices.size())
      index[--d] = 0;
    if (d == 0)
      return result;
  }
}

std::vector<Point> walkAll(const SearchSpace &space) {
  std::vector<Point> result;
  Walk walk(space);
  while (auto p = walk.next())
    result.push_back(*p);
  return result;
}

TEST(Space, NoConstraintsGiveTheProductInDeclarationOrder) {
  sema::Space space;
  space.dimensions = {dimension("A", {1, 2}), dimension("B", {8, 4}), dimension("C", {7})};
  SearchSpace s = makeSearchSpace(space, {});
  auto points = walkAll(s);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].str(), "A=1 B=8 C=7");
  EXPECT_EQ(points[1].str(), "A=1 B=4 C=7");
  EXPECT_EQ(points[3].str(), "A=2 B=4 C=7");
  EXPECT_EQ(countPoints(s, milliseconds(1000)).points, 4);
}

TEST(Space, NoNamesIsOnePoint) {
  sema::Space space;
  SearchSpace s = makeSearchSpace(space, {});
  EXPECT_EQ(walkAll(s).size(), 1u);
  EXPECT_EQ(countPoints(s, milliseconds(1000)).points, 1);
}

TEST(Space, RandomConstraintsAgreeWithBruteForce) {
  std::mt19937 random(7);
  const std::vector<std::string> names = {"A", "B", "C", "D", "E"};
  for (int round = 0; round < 300; ++round) {
    test::Trees t;
    auto pick = [&](size_t n) { return random() % n; };
    std::function<ast::ExprP(int)> value = [&](int depth) -> ast::ExprP {
      if (depth == 0 || pick(4) == 0)
        return pick(4) ? t.name(names[pick(names.size())]) : t.number(static_cast<int64_t>(pick(20)));
      if (pick(10) == 0)
        return t.call(std::vector<std::string>{"min", "max", "cdiv"}[pick(3)],
                      {value(depth - 1), value(depth - 1)});
      if (pick(12) == 0)
        return t.conditional(value(depth - 1), t.binary(Op::Lt, value(depth - 1), value(depth - 1)),
                             value(depth - 1));
      static const Op ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem,
                               Op::And, Op::Or,  Op::Xor, Op::Shl, Op::Shr};
      return t.binary(ops[pick(10)], value(depth - 1), value(depth - 1));
    };
    auto condition = [&] {
      static const Op compares[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};
      auto one = [&] { return t.binary(compares[pick(6)], value(2), value(2)); };
      return pick(3) ? one() : t.binary(pick(2) ? Op::LogicalAnd : Op::LogicalOr, one(), one());
    };
    sema::Space space;
    for (auto &n : names) {
      std::vector<int64_t> choices;
      for (size_t i = 0, count = 1 + pick(5); i < count; ++i)
        choices.push_back(static_cast<int64_t>(1 + pick(6) + i * 7));
      space.dimensions.push_back(dimension(n, choices));
    }
    for (size_t i = 0, count = pick(4); i < count; ++i)
      space.constraints.push_back(require(condition()));
    SearchSpace s = makeSearchSpace(space, {});
    auto expected = bruteForce(space);
    EXPECT_EQ(walkAll(s), expected) << "round " << round;
    SpaceCount count = countPoints(s, milliseconds(2000));
    EXPECT_TRUE(count.isExact);
    EXPECT_EQ(count.points, static_cast<double>(expected.size())) << "round " << round;

    // Ignoring two names leaves one point for each choice of the others that some choice of theirs allows.
    SearchSpace projected = makeSearchSpace(space, {{}, {}, {"B", "D"}});
    std::set<std::vector<int64_t>> kept;
    for (auto &p : expected)
      kept.insert({*p.get("A"), *p.get("C"), *p.get("E")});
    auto seen = walkAll(projected);
    EXPECT_EQ(seen.size(), kept.size()) << "round " << round;
    for (auto &p : seen)
      EXPECT_TRUE(std::find(expected.begin(), expected.end(), p) != expected.end());
    EXPECT_EQ(countPoints(projected, milliseconds(2000)).points, static_cast<double>(kept.size()))
        << "round " << round;
  }
}

TEST(Space, PinsFixNamesAndNeedNotBeChoices) {
  test::Trees t;
  sema::Space space;
  space.dimensions = {dimension("A", {1, 2, 4}), dimension("B", {1, 2, 4})};
  space.constraints = {require(t.binary(Op::Le, t.product({"A", "B"}), t.number(6)))};
  SpaceOptions options;
  options.pinned.set("A", 3);
  auto points = walkAll(makeSearchSpace(space, options));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1].str(), "A=3 B=2");
}

TEST(Space, RuntimeDimensionsCountWhereTheyAreKnown) {
  test::Trees t;
  sema::Space space;
  space.dimensions = {dimension("T", {8, 16, 32})};
  space.constraints = {require(t.binary(Op::Eq, t.binary(Op::Rem, t.name("M"), t.name("T")), t.number(0)))};
  EXPECT_EQ(walkAll(makeSearchSpace(space, {})).size(), 3u);
  SpaceOptions options;
  options.runtimeDims.set("M", 48);
  EXPECT_EQ(walkAll(makeSearchSpace(space, options)).size(), 2u);
}

// 10^9 points: nine names of ten choices.
sema::Space billion() {
  sema::Space space;
  for (char c = 'A'; c <= 'I'; ++c)
    space.dimensions.push_back(dimension(std::string(1, c), upTo(10)));
  return space;
}

struct Billion : testing::Test {
  test::Trees t;
  sema::Space space = billion();
  // The first page comes at once and the count is exact within the ten seconds that the issue allows.
  double measure() {
    SearchSpace s = makeSearchSpace(space, {});
    Walk walk(s);
    for (int i = 0; i < 100 && walk.next(); ++i) {
    }
    EXPECT_LT(walk.steps(), 3000000u);
    SpaceCount count = countPoints(s, milliseconds(9000));
    EXPECT_TRUE(count.isExact);
    return count.points;
  }
};

TEST_F(Billion, ProductOfAllNamesBelowABound) {
  space.constraints = {
      require(t.binary(Op::Le, t.product({"A", "B", "C", "D", "E", "F", "G", "H", "I"}), t.number(500)))};
  // Checked against a table of how often each product occurs.
  std::map<int64_t, double> products{{1, 1}};
  for (int n = 0; n < 9; ++n) {
    std::map<int64_t, double> next;
    for (auto [p, c] : products)
      for (int64_t v = 1; v <= 10; ++v)
        next[p * v] += c;
    products = next;
  }
  double expected = 0;
  for (auto [p, c] : products)
    expected += p <= 500 ? c : 0;
  EXPECT_EQ(measure(), expected);
}

TEST_F(Billion, AnEqualityThatLinksEveryName) {
  auto left = t.product({"A", "B", "C", "D"}), right = t.product({"F", "G", "H", "I"});
  space.constraints = {require(t.binary(Op::Eq, left, right)),
                       require(t.binary(Op::Eq, t.binary(Op::Rem, t.name("E"), t.name("A")), t.number(0)))};
  EXPECT_GT(measure(), 0);
}

TEST_F(Billion, LastPointOnly) {
  space.constraints = {require(
      t.binary(Op::Ge, t.product({"A", "B", "C", "D", "E", "F", "G", "H", "I"}), t.number(1000000000)))};
  EXPECT_EQ(measure(), 1);
}

TEST_F(Billion, MixedOperators) {
  // ((A ^ B) * C + D) % (E + F) == (G * H) % (I + 1)
  auto left =
      t.binary(Op::Rem,
               t.binary(Op::Add, t.binary(Op::Mul, t.binary(Op::Xor, t.name("A"), t.name("B")), t.name("C")),
                        t.name("D")),
               t.binary(Op::Add, t.name("E"), t.name("F")));
  auto right = t.binary(Op::Rem, t.product({"G", "H"}), t.binary(Op::Add, t.name("I"), t.number(1)));
  space.constraints = {require(t.binary(Op::Eq, left, right))};
  EXPECT_GT(measure(), 0);
}

TEST_F(Billion, HardlyAnyStateRepeats) {
  // Sums of distinct powers: every prefix is a state of its own, so all 10^9 points are looked at, as
  // vectors.
  ast::ExprP sum = nullptr;
  int64_t weight = 1;
  for (char c = 'A'; c <= 'I'; ++c, weight *= 11) {
    auto term = t.binary(Op::Mul, t.name(std::string(1, c)), t.number(weight));
    sum = sum ? t.binary(Op::Add, sum, term) : term;
  }
  space.constraints = {require(t.binary(Op::Eq, t.binary(Op::Rem, sum, t.number(1009)), t.number(3)))};
  SearchSpace s = makeSearchSpace(space, {});
  SpaceCount count = countPoints(s, milliseconds(300));
  // Here too little time is given on purpose: what comes is marked as an estimate, and is near.
  if (!count.isExact) {
    EXPECT_GT(count.samples, 100u);
    EXPECT_NEAR(count.points, 1e9 / 1009, 5 * count.error + 1);
  }
}

TEST(Space, ThreeLongListsAreCountedExactly) {
  test::Trees t;
  sema::Space space;
  for (const char *n : {"A", "B", "C"})
    space.dimensions.push_back(dimension(n, upTo(1000)));
  space.constraints = {require(t.binary(Op::Eq, t.product({"A", "B"}), t.name("C")))};
  SearchSpace s = makeSearchSpace(space, {});
  double expected = 0;
  for (int64_t a = 1; a <= 1000; ++a)
    expected += static_cast<double>(1000 / a);
  SpaceCount count = countPoints(s, milliseconds(9000));
  EXPECT_TRUE(count.isExact);
  EXPECT_EQ(count.points, expected);
}

TEST(Interval, HoldsEveryValue) {
  using O = FormulaOp;
  const auto inside = [](int64_t v, Interval i) { return i.lo <= v && v <= i.hi; };
  std::vector<Interval> operands;
  for (int64_t lo = -5; lo <= 5; ++lo)
    for (int64_t hi = lo; hi <= 5; ++hi)
      operands.push_back({lo, hi});
  for (O op : {O::Add, O::Mul, O::And, O::Or, O::Xor, O::LogicalAnd, O::LogicalOr, O::Min, O::Max, O::Div,
               O::Rem, O::CDiv, O::Shl, O::Shr, O::Eq, O::Ne, O::Lt, O::Le})
    for (Interval a : operands)
      for (Interval b : operands) {
        const Interval found = bound(op, std::array{a, b});
        for (int64_t x = a.lo; x <= a.hi; ++x)
          for (int64_t y = b.lo; y <= b.hi; ++y) {
            const int64_t v =
                isChain(op) ? combine(op, x, y) : FormulaPool::apply(op, std::array{x, y}.data());
            ASSERT_TRUE(inside(v, found)) << int(op) << ": " << x << ", " << y << " is " << v << ", not in "
                                          << found.lo << " to " << found.hi;
          }
      }
  // A mask bounds what is not known at all.
  const Interval masked = bound(O::And, std::array{Interval{}, Interval::exactly(255)});
  EXPECT_EQ(masked.lo, 0);
  EXPECT_EQ(masked.hi, 255);
}

TEST(Interval, JoinsAndEnds) {
  const Interval anything;
  const auto same = [](Interval a, Interval b) { return a.lo == b.lo && a.hi == b.hi; };
  EXPECT_TRUE(same(join({-3, 2}, {5, 9}), {-3, 9}));
  EXPECT_TRUE(same(join({5, 9}, {-3, 2}), {-3, 9}));
  EXPECT_TRUE(same(join({0, 9}, {2, 3}), {0, 9}));
  EXPECT_TRUE(same(join(Interval::exactly(4), anything), anything));
  EXPECT_EQ(addOrEnd(3, -5), -2);
  EXPECT_EQ(addOrEnd(anything.hi, 1), anything.hi);
  EXPECT_EQ(addOrEnd(anything.hi, -1), anything.hi - 1);
  EXPECT_EQ(addOrEnd(anything.lo, -1), anything.lo);
  EXPECT_EQ(addOrEnd(anything.lo, 1), anything.lo + 1);
  EXPECT_EQ(addOrEnd(anything.lo, anything.lo), anything.lo);
  EXPECT_EQ(addOrEnd(anything.hi, anything.hi), anything.hi);
}

} // namespace
