// The shape environment: the table of choices, the errors, overrides and constraints.
#include "compiler/sema/Space.h"
#include "tests/syntax/Parsed.h"
#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

struct Built {
  Parsed parsed;
  sema::Space space;
  explicit Built(const std::string &attributes)
      : parsed(attributes + "\nkernel k(X: tensor<f32>[N, T], a: f32) { }\n"),
        space(parsed.file->kernels.empty() ? sema::Space()
                                           : sema::buildSpace(*parsed.file->kernels[0], parsed.diags)) {}
  std::string codes() const { return parsed.codes(); }
};

std::string choices(const std::string &entry) {
  Built b("@autotune(" + entry + ")");
  if (!b.codes().empty())
    return b.codes();
  std::string out;
  for (const sema::Dimension &d : b.space.dimensions) {
    out += d.name + ":";
    for (int64_t c : d.choices)
      out += " " + std::to_string(c);
  }
  return out;
}

} // namespace

TEST(Choices, TwoAscendingValuesDoubleFromTheLowerAndIncludeTheUpper) {
  EXPECT_EQ(choices("T in [32, 128]"), "T: 32 64 128");
  EXPECT_EQ(choices("T in [16, 48]"), "T: 16 32 48");
  EXPECT_EQ(choices("T in [3, 20]"), "T: 3 6 12 20");
  EXPECT_EQ(choices("T in [1073741824, 2147483647]"), "T: 1073741824 2147483647");
}

TEST(Choices, OneValueEqualBoundsAndListsAreTakenAsTheyAre) {
  EXPECT_EQ(choices("T in [64]"), "T: 64");
  EXPECT_EQ(choices("T in [32, 32]"), "T: 32");
  EXPECT_EQ(choices("T in [8, 16, 32]"), "T: 8 16 32");
  EXPECT_EQ(choices("T in [5, 3, 9]"), "T: 5 3 9");
  EXPECT_EQ(choices("T in [0x10, 1_024, 2]"), "T: 16 1024 2");
}

TEST(Choices, TwoDescendingValuesAreAListWithAWarning) {
  Built b("@autotune(T in [256, 16])");
  EXPECT_EQ(b.codes(), "W0209@1:16");
  EXPECT_EQ(b.space.dimensions[0].choices, (std::vector<int64_t>{256, 16}));
}

TEST(Choices, ALongListTakesTimeByItsLength) {
  const auto seconds = [](size_t n) {
    std::string list;
    for (size_t i = 1; i <= n; ++i)
      list += (i > 1 ? "," : "") + std::to_string(i);
    Parsed parsed("@autotune(T in [" + list + "])\nkernel k(X: tensor<f32>[N, T], a: f32) { }\n");
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::clock_t since = std::clock(); // of the processor: what else runs counts for nothing
      EXPECT_EQ(sema::buildSpace(*parsed.file->kernels[0], parsed.diags).dimensions[0].choices.size(), n);
      best = std::min(best, static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC);
    }
    return best;
  };
  // 32 times as long, not 1024 times; where that is a matter of milliseconds, either may be disturbed.
  EXPECT_LT(seconds(160'000), std::max(0.5, 128 * seconds(5'000)));
}

TEST(Choices, EachMistakeHasItsCodeAtTheOffender) {
  EXPECT_EQ(choices("T in []"), "E0201@1:11");
  EXPECT_EQ(choices("T in [4.0, 8.0]"), "E0202@1:17 E0202@1:22");
  EXPECT_EQ(choices("T in [N]"), "E0202@1:17");
  EXPECT_EQ(choices("T in [0, 8]"), "E0203@1:17");
  EXPECT_EQ(choices("T in [-4, 8]"), "E0203@1:17");
  EXPECT_EQ(choices("T in [1, 4294967296]"), "E0204@1:20");
  EXPECT_EQ(choices("T in [99999999999999999999999]"), "E0204@1:17");
  EXPECT_EQ(choices("T in [8, 16, 8]"), "E0205@1:24");
  EXPECT_EQ(choices("T in [9, 16, 8, 16, 9]"), "E0205@1:27"); // the first that stands twice
  EXPECT_EQ(choices("T in [8], T in [9]"), "E0206@1:21");
  EXPECT_EQ(choices("X in [8]"), "E0207@1:11");
  EXPECT_EQ(choices("a in [8]"), "E0207@1:11");
  EXPECT_EQ(choices("T"), "E0211@1:11");
  EXPECT_EQ(choices("T = 3"), "E0211@1:11");
}

TEST(Choices, ASpaceHasAtMost2To40Points) {
  std::string nine = "[1, 256]"; // 9 choices
  std::string entry;
  for (char c = 'A'; c <= 'N'; ++c) // 9^14 > 2^40 > 9^12
    entry += (entry.empty() ? "" : ", ") + std::string("D") + c + " in " + nine;
  Built b("@autotune(" + entry + ")");
  EXPECT_EQ(b.codes().substr(0, 5), "E0208");
  EXPECT_EQ(b.parsed.diags.errorCount(), 1u);
}

TEST(Choices, SeveralAttributesAddUp) {
  Built b("@autotune(T in [1])\n@autotune(U in [2], V in [3, 5, 4])");
  ASSERT_EQ(b.codes(), "");
  EXPECT_EQ(b.space.firstPoint().str(), "T=1 U=2 V=3");
  EXPECT_EQ(b.space.rawSize(), 3.0);
}

TEST(Require, NamesAreSortedAndTheTextKept) {
  Built b("@autotune(T in [8], U in [1, 4])\n@require((T+U) * 2 <= N && STAGES < 4, \"does not fit\")");
  ASSERT_EQ(b.codes(), "");
  const sema::Constraint &c = b.space.constraints[0];
  EXPECT_EQ(c.text, "(T + U) * 2 <= N && STAGES < 4");
  EXPECT_EQ(c.reason, "does not fit");
  EXPECT_EQ(c.names, (std::vector<std::string>{"T", "U", "STAGES"}));
  EXPECT_EQ(c.runtimeNames, (std::vector<std::string>{"N"}));
}

TEST(Require, UnknownRuntimeDimensionsSkipTheConstraint) {
  Built b("@autotune(U in [1, 4])\n@require(U < 4)\n@require(U * 2 <= N)");
  Point dims, small;
  small.set("N", 3);
  Point p = b.space.firstPoint();
  EXPECT_EQ(sema::firstViolated(b.space, p, dims), nullptr);
  p.set("U", 2);
  EXPECT_EQ(sema::firstViolated(b.space, p, dims), nullptr);
  EXPECT_EQ(sema::firstViolated(b.space, p, small), &b.space.constraints[1]);
  p.set("U", 4);
  EXPECT_EQ(sema::firstViolated(b.space, p, dims), &b.space.constraints[0]);
}

TEST(Require, MistakesAreReportedInPlace) {
  EXPECT_EQ(Built("@require()").codes(), "E0212@1:1");
  EXPECT_EQ(Built("@require(\"why\")").codes(), "E0212@1:1");
  EXPECT_EQ(Built("@require(N > 1, N)").codes(), "E0212@1:1");
  EXPECT_EQ(Built("@autotune(TILE in [8])\n@require(TIL <= N)").codes(), "E0213@2:10");
  EXPECT_EQ(Built("@require(a <= N)").codes(), "E0213@1:10");
  EXPECT_EQ(Built("@require(N < 1.5)").codes(), "E0214@1:14");
  EXPECT_EQ(Built("@require(exp(N) < 2)").codes(), "E0214@1:10");
}

TEST(Point, OverridesOfDeclaredAndGemmNamesAreTaken) {
  Built b("@autotune(TILE_M in [32, 128], U in [1])");
  Point overrides, point;
  overrides.set("U", 7);
  overrides.set("WARP_M", 16);
  ASSERT_TRUE(sema::completePoint(b.space, overrides, point, b.parsed.diags));
  EXPECT_EQ(point.str(), "TILE_M=32 U=7 WARP_M=16");
}

TEST(Point, AnotherNameIsAnErrorThatListsAndSuggests) {
  Built b("@autotune(TILE_M in [32, 128], BLOCK in [1])");
  Point overrides, point;
  overrides.set("BLOK", 7);
  EXPECT_FALSE(sema::completePoint(b.space, overrides, point, b.parsed.diags));
  EXPECT_EQ(b.parsed.messages(), "error[E0215]: 'BLOK' is not declared by @autotune; declared: TILE_M, "
                                 "BLOCK\nhelp: did you mean 'BLOCK'?\n");
  Built c("");
  overrides = {};
  overrides.set("TILE_M", 0);
  EXPECT_FALSE(sema::completePoint(c.space, overrides, point, c.parsed.diags));
  EXPECT_EQ(c.parsed.messages(), "error[E0216]: TILE_M=0: the value must be from 1 to 2147483647\n");
}

} // namespace phobos::test
