// What verification rests on: sizes, work and sums counted off the tree, bounds, comparisons, inputs.
#include "compiler/driver/Compile.h"
#include "kbench/analysis/Effort.h"
#include "kbench/verify/FullSize.h"
#include "kbench/verify/Inputs.h"
#include "kbench/verify/Oracle.h"
#include "kbench/verify/Sizes.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::kbench;

namespace {

struct Checked {
  std::unique_ptr<driver::LoadedFile> loaded;
  std::unique_ptr<sema::TypedKernel> kernel;
  Contract contract;
};

Checked check(const std::string &text, const std::string &pointText = "") {
  Checked c;
  Diagnostics diags;
  Point point;
  std::string error;
  parsePoint(pointText, point, error);
  c.loaded = driver::loadText("test.pho", text, {}, diags);
  const ast::Kernel *kernel = driver::selectKernel(*c.loaded->file, "", diags);
  c.kernel = kernel ? driver::checkAt(*c.loaded, *kernel, point, diags) : nullptr;
  EXPECT_TRUE(c.kernel) << renderText(diags, c.loaded->sources);
  if (c.kernel)
    c.contract = driver::contractOf(*c.kernel);
  return c;
}

std::vector<int64_t> dims(const Checked &c, std::vector<std::pair<std::string, int64_t>> values) {
  std::vector<int64_t> result;
  for (const std::string &n : c.kernel->dims)
    for (auto &[name, v] : values)
      if (name == n)
        result.push_back(v);
  return result;
}

const char *gemm = R"(
@autotune(TILE_M in [32, 64], TILE_N in [16, 32], TILE_K in [8, 16])
kernel gemm(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {
  var acc: tile<f32>[TILE_M, TILE_N] = 0.0
  for kt in range(0, K, TILE_K) {
    acc += dot(A[ctx.block.x * TILE_M :+ TILE_M, kt :+ TILE_K], B[kt :+ TILE_K, ctx.block.y * TILE_N :+ TILE_N])
  }
  C[ctx.block.x * TILE_M :+ TILE_M, ctx.block.y * TILE_N :+ TILE_N] = acc
}
)";

TEST(Effort, OfAGemmDoesNotDependOnItsTiles) {
  for (const char *point : {"", "TILE_M=64 TILE_N=32 TILE_K=16"}) {
    Checked c = check(gemm, point);
    int64_t m = 100, n = 50, k = 30;
    auto d = dims(c, {{"M", m}, {"N", n}, {"K", k}});
    int64_t tm = *c.kernel->point.get("TILE_M"), tn = *c.kernel->point.get("TILE_N");
    Effort e = measureEffort(*c.kernel, d, {(m + tm - 1) / tm, (n + tn - 1) / tn, 1}, false);
    EXPECT_NEAR(e.dotFlops, 2.0 * 100 * 50 * 30, 1);
    EXPECT_EQ(e.bytes, 4.0 * (100 * 30 + 30 * 50 + 100 * 50));
    EXPECT_NEAR(e.longestSum, 30, 1e-9);
    EXPECT_EQ(e.accumulatorRoundoff, unitRoundoff(ScalarType::F32));
    EXPECT_FALSE(e.isApproximate);
  }
}

TEST(Effort, LoopsThatGrowWithTheBlockAreAveraged) {
  Checked c = check(R"(
kernel lower(A: tensor<f32>[N, N], B: tensor<f32>[N, N], C: tensor<f32>[N, N]) {
  let r = ctx.block.x * 16
  var acc: tile<f32>[16, 16] = 0.0
  for k in range(0, r + 16, 16) {
    acc += dot(A[r :+ 16, k :+ 16], B[k :+ 16, 0 :+ 16])
  }
  C[r :+ 16, 0 :+ 16] = acc
}
)");
  Effort e = measureEffort(*c.kernel, {512}, {32, 1, 1}, false);
  EXPECT_NEAR(e.dotFlops, 2.0 * 16 * 16 * 16 * (32 * 33 / 2), 2.0 * 16 * 16 * 16 * 40);
  EXPECT_FALSE(e.isApproximate);
}

TEST(Effort, InPlaceCountsTwiceAndMemoryBindsElementwise) {
  Checked c = check("kernel k(X: tensor<f32>[N], a: f32) {\n  X[ctx.block.x * 64 :+ 64] = X[ctx.block.x * 64 "
                    ":+ 64] * a\n}\n");
  Effort e = measureEffort(*c.kernel, {1000}, {16, 1, 1}, false);
  EXPECT_EQ(e.bytes, 8000);
  EXPECT_FALSE(e.isComputeBound());
  EXPECT_FALSE(e.hasContraction);
}

TEST(Sizes, AreRaggedThenSmallThenWholeThenRaggedInAlignedRows) {
  Checked c = check(gemm);
  auto sizes = smallSizes(*c.kernel, c.contract, {1024, 1024, 1024});
  ASSERT_EQ(sizes.size(), 4u);
  auto tile = dims(c, {{"M", 32}, {"N", 16}, {"K", 8}});
  for (size_t d = 0; d < 3; ++d) {
    EXPECT_GT(sizes[0][d], tile[d]);
    EXPECT_NE(sizes[0][d] % tile[d], 0);
    EXPECT_LT(sizes[1][d], tile[d]);
    EXPECT_GE(sizes[1][d], 1);
    EXPECT_EQ(sizes[2][d] % tile[d], 0);
    EXPECT_EQ(sizes[3][d] % 16, 0); // rows of the narrowest type begin at multiples of 16 bytes
    if (tile[d] > 16)
      EXPECT_NE(sizes[3][d] % tile[d], 0);
  }
}

TEST(Sizes, KeepAlignedAndRequire) {
  Checked c = check(R"(
@autotune(T in [32, 64])
@aligned(N = T)
@require(N >= 3 * T)
kernel k(X: tensor<f32>[N]) {
  X[ctx.block.x * T :+ T] = 1.0
}
)");
  for (auto &size : smallSizes(*c.kernel, c.contract, {960})) {
    EXPECT_EQ(size[0] % 32, 0);
    EXPECT_GE(size[0], 96);
  }
  Checked plain = check("kernel k(X: tensor<f32>[8]) {\n  X[0 :+ 8] = 1.0\n}\n");
  EXPECT_EQ(smallSizes(*plain.kernel, plain.contract, {}).size(), 1u);
}

TEST(Oracle, BoundsARightResultAndRefusesAWrongOne) {
  Checked c = check(gemm);
  auto d = dims(c, {{"M", 40}, {"N", 20}, {"K", 64}});
  InputRules rules;
  std::string error;
  auto inputs = makeInputs(c.contract, d, rules, 5, error);
  ASSERT_TRUE(inputs) << error;
  std::array<int64_t, 3> grid{2, 2, 1};
  Effort effort = measureEffort(*c.kernel, d, grid, false);
  auto expected = interpret(*c.kernel, c.contract, *inputs, d, grid, effort, error);
  ASSERT_TRUE(expected) << error;
  ASSERT_EQ(expected->size(), 1u);
  const ExpectedOutput &out = expected->front();
  // A plain f32 product passes, with room but not much of it.
  HostArray got(ScalarType::F32, {40, 20});
  for (int64_t i = 0; i < 40; ++i)
    for (int64_t j = 0; j < 20; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < 64; ++k)
        sum += static_cast<float>((*inputs)[0].array.getFloat(i * 64 + k)) *
               static_cast<float>((*inputs)[1].array.getFloat(k * 20 + j));
      got.setFloat(i * 20 + j, sum);
    }
  Comparison right = compare(got, out, "C");
  EXPECT_EQ(right.failure, "");
  EXPECT_GT(right.worst, 1e-4);
  EXPECT_LT(right.worst, 1);
  // One product too few is far outside.
  HostArray wrong = got;
  wrong.setFloat(3 * 20 + 7, got.getFloat(3 * 20 + 7) -
                                 (*inputs)[0].array.getFloat(3 * 64) * (*inputs)[1].array.getFloat(7));
  EXPECT_NE(compare(wrong, out, "C").failure.find("C[3, 7]"), std::string::npos);
  // Poison that nobody overwrote is not a number.
  HostArray untouched = got;
  poison(untouched);
  EXPECT_NE(compare(untouched, out, "C").failure, "");
}

TEST(Oracle, IntegersMustBeEqualAndNanMeetsNan) {
  ExpectedOutput ints{0, HostArray(ScalarType::I32, {3}), {}};
  HostArray got(ScalarType::I32, {3});
  EXPECT_EQ(compare(got, ints, "I").failure, "");
  got.setInt(1, 1);
  EXPECT_EQ(compare(got, ints, "I").failure, "I[1] = 1, expected 0");
  ExpectedOutput floats{0, HostArray(ScalarType::F32, {2}), {1e-6, 1e-6}};
  floats.values.setFloat(0, NAN);
  floats.values.setFloat(1, INFINITY);
  HostArray f(ScalarType::F32, {2});
  f.setFloat(0, NAN);
  f.setFloat(1, INFINITY);
  EXPECT_EQ(compare(f, floats, "X").failure, "");
  f.setFloat(1, -INFINITY);
  EXPECT_NE(compare(f, floats, "X").failure, "");
}

TEST(Oracle, LeavesFreeWhatDependsOnSinesFarOut) {
  Checked c = check(
      "kernel k(X: tensor<f64>[N], Y: tensor<f64>[N], I: tensor<i32>[N]) {\n"
      "  let y = sin(X[0 :+ 4]) + 1.0\n  Y[0 :+ 4] = y\n  I[0 :+ 4] = i32(cos(X[0 :+ 4]) * 1000.0)\n}\n");
  InputRules rules;
  std::string error;
  auto inputs = makeInputs(c.contract, {4}, rules, 1, error);
  ASSERT_TRUE(inputs) << error;
  const double x[] = {0.5, 1e300, 0x1p46, 0x1.8p60};
  for (int i = 0; i < 4; ++i)
    (*inputs)[0].array.setFloat(i, x[i]);
  Effort effort = measureEffort(*c.kernel, {4}, {1, 1, 1}, false);
  auto expected = interpret(*c.kernel, c.contract, *inputs, {4}, {1, 1, 1}, effort, error);
  ASSERT_TRUE(expected) << error;
  ASSERT_EQ(expected->size(), 2u);
  for (ExpectedOutput &out : *expected)
    for (int i = 0; i < 4; ++i) {
      HostArray got = out.values;
      isFloat(got.elem()) ? got.setFloat(i, 0.25) : got.setInt(i, 7);
      const bool isFree = i == 1 || i == 3;
      EXPECT_EQ(compare(got, out, "Y").failure.empty(), isFree) << i;
    }
}

TEST(FullSize, ElementsMayDifferByTwiceTheBound) {
  Effort effort;
  effort.middleRoundoff = unitRoundoff(ScalarType::F32);
  HostArray values(ScalarType::F32, {3}), sizes(ScalarType::F32, {3});
  for (int i = 0; i < 3; ++i)
    values.setFloat(i, 1 + i), sizes.setFloat(i, 4);
  FullOutput out = makeFullOutput(0, values, sizes, effort);
  EXPECT_EQ(compareFull(values, out, "C").failure, "");
  const double bound = 2 * (8 * 0x1p-24 * 4 + 2 * 0x1p-24 * 2);
  EXPECT_NEAR(out.bounds[1], bound, 1e-3 * bound);
  HostArray got = values;
  got.setFloat(1, 2 + 0.9 * bound);
  Comparison near = compareFull(got, out, "C");
  EXPECT_EQ(near.failure, "");
  EXPECT_GT(near.worst, 0.5);
  got.setFloat(1, 2 + 3 * bound);
  EXPECT_NE(compareFull(got, out, "C").failure.find("C[1]"), std::string::npos);
  got.setFloat(1, NAN);
  EXPECT_NE(compareFull(got, out, "C").failure, "");
  FullOutput ints = makeFullOutput(0, HostArray(ScalarType::I32, {2}), HostArray(), effort);
  HostArray other(ScalarType::I32, {2});
  EXPECT_EQ(compareFull(other, ints, "I").failure, "");
  other.setInt(1, 5);
  EXPECT_EQ(compareFull(other, ints, "I").failure, "I[1] = 5, expected 0");
}

TEST(Inputs, DefaultsAndRules) {
  Checked c = check("kernel k(X: tensor<f32>[N], I: tensor<i32>[N], Y: tensor<f32>[N], n: i32, a: f32) {\n"
                    "  Y[0 :+ 8] = X[0 :+ 8] * a + f32(I[0 :+ 8] * n)\n}\n");
  InputRules rules;
  std::string error;
  ASSERT_TRUE(rules.parse({"a=0.25"}, c.contract, error)) << error;
  auto inputs = makeInputs(c.contract, {100}, rules, 1, error);
  ASSERT_TRUE(inputs) << error;
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_LE(std::abs((*inputs)[0].array.getFloat(i)), 1);
    EXPECT_LE(std::abs((*inputs)[1].array.getInt(i)), 8);
    EXPECT_TRUE(std::isnan((*inputs)[2].array.getFloat(i))) << "only written: poisoned";
  }
  EXPECT_EQ((*inputs)[3].i, 1);
  EXPECT_EQ((*inputs)[4].f, 0.25);
  auto same = makeInputs(c.contract, {100}, rules, 1, error),
       other = makeInputs(c.contract, {100}, rules, 2, error);
  EXPECT_EQ((*inputs)[0].array.getFloat(17), (*same)[0].array.getFloat(17));
  EXPECT_NE((*inputs)[0].array.getFloat(17), (*other)[0].array.getFloat(17));
  EXPECT_FALSE(rules.parse({"Q=1"}, c.contract, error));
  EXPECT_NE(error.find("its parameters are X, I, Y, n, a"), std::string::npos);
}

} // namespace
