// How a launch on a GPU is counted: grids in parts, workspaces, the order of parameters.
#include "runtime/contract/GpuAbi.h"
#include <gtest/gtest.h>

using namespace phobos;

namespace {

using Grid = std::array<int64_t, 3>;
using Hardware = std::array<uint32_t, 3>;

GpuEntry entry(bool native, uint32_t parts, uint64_t workspace = 0) {
  GpuEntry e;
  e.nativeGrid = native;
  e.parts = parts;
  e.workspaceBytes = workspace;
  return e;
}

TEST(GpuParts, PartsMultiplyTheHardwaresGrid) {
  const GpuKernel kernel;
  EXPECT_EQ(hardwareGrid(kernel, entry(true, 1), {5, 6, 7}, 1), (Hardware{5, 6, 7}));
  EXPECT_EQ(hardwareGrid(kernel, entry(true, 4), {5, 6, 7}, 1), (Hardware{20, 6, 7}));
  EXPECT_EQ(hardwareGrid(kernel, entry(false, 4), {5, 70000, 2}, 1), (Hardware{5 * 70000 * 2 * 4, 1, 1}));
  // Past 2^31 - 1 the flat grid goes on along y, and stops at what the hardware has.
  EXPECT_EQ(hardwareGrid(kernel, entry(false, 4), {1 << 30, 1, 1}, 1), (Hardware{2147483647u, 3, 1}));
  EXPECT_EQ(hardwareGrid(kernel, entry(false, kMostParts), {2147483647, 2147483647, 2147483647}, 1),
            (Hardware{2147483647u, 65535, 1}));
}

TEST(GpuParts, TheNativeGridHoldsThePartsToo) {
  EXPECT_TRUE(isNativeGrid({2147483647, 65535, 65535}, 1));
  EXPECT_FALSE(isNativeGrid({1, 65536, 1}, 1));
  EXPECT_FALSE(isNativeGrid({1, 1, 65536}, 1));
  EXPECT_TRUE(isNativeGrid({2147483647 / 8, 1, 1}, 8));
  EXPECT_FALSE(isNativeGrid({2147483647 / 8 + 1, 1, 1}, 8));
  GpuKernel kernel;
  kernel.entries = {entry(true, 8), entry(false, 8)};
  EXPECT_TRUE(chooseEntry(kernel, {}, {}, {1000, 1, 1}).nativeGrid);
  EXPECT_FALSE(chooseEntry(kernel, {}, {}, {1 << 29, 1, 1}).nativeGrid);
}

TEST(GpuParts, AWorkspaceIsCountersAndThenTheParts) {
  auto of = [](uint64_t bytes, Grid grid) { return workspaceOf(entry(true, 2, bytes), grid); };
  EXPECT_EQ(of(0, {5, 6, 7})->bytes, 0u);
  auto small = of(1000, {5, 6, 7});
  ASSERT_TRUE(small);
  EXPECT_EQ(small->counterBytes, 1024u); // 210 counters of 4 bytes
  EXPECT_EQ(small->bytes, 1024u + 210 * 1000);
  EXPECT_EQ(of(1000, {64, 1, 1})->counterBytes, 256u);
  EXPECT_EQ(of(1000, {65, 1, 1})->counterBytes, 512u);
  EXPECT_EQ(of(1000, {0, 6, 7})->bytes, 0u);
}

TEST(GpuParts, AWorkspaceLargerThanAnAddressSpaceIsNone) {
  constexpr int64_t most = 2147483647;
  auto of = [](uint64_t bytes, Grid grid) { return workspaceOf(entry(true, 2, bytes), grid); };
  EXPECT_FALSE(of(16, {most, most, most}));
  EXPECT_FALSE(of(16, {most, most, 1}));
  EXPECT_FALSE(of(uint64_t(1) << 40, {most, 1, 1}));
  EXPECT_FALSE(of(UINT64_MAX, {1, 1, 1}));
  EXPECT_FALSE(of(INT64_MAX, {1, 1, 1})); // with its counter
  EXPECT_TRUE(of(uint64_t(1) << 30, {most, 1, 1}));
}

TEST(GpuParts, TheWorkspaceIsTheLastParameter) {
  Contract c;
  c.dims = {"N"};
  c.params = {{"X", true, ScalarType::F32, {{false, 0}, {true, 4}}, true, false},
              {"a", false, ScalarType::I32, {}, true, false}};
  EXPECT_EQ(gpuParams(c, false).size(), 7u); // X, its stride, a, N, the grid
  GpuKernel kernel = gpuKernel(c, {entry(true, 2, 0), entry(false, 2, 64)}, false);
  ASSERT_EQ(kernel.params.size(), 8u);
  EXPECT_EQ(kernel.params.back().kind, GpuParam::Kind::Workspace);
  EXPECT_EQ(gpuKernel(c, {entry(true, 1)}, false).params.size(), 7u);
  TensorShape x{ScalarType::F32, {8, 4}, {4, 1}, nullptr};
  const int32_t a = -3;
  BoundLaunch bound;
  bound.dims = {8};
  bound.grid = {2, 3, 4};
  GpuArguments packed(kernel, {&x, nullptr}, {4096, 0}, {nullptr, &a}, bound, uint64_t(1) << 45);
  auto word = [&](size_t k) { return *static_cast<uint64_t *>(packed.pointers()[k]); };
  EXPECT_EQ(word(0), 4096u);
  EXPECT_EQ(word(1), 4u);
  EXPECT_EQ(static_cast<int32_t>(word(2)), -3);
  EXPECT_EQ(word(3), 8u);
  EXPECT_EQ(word(6), 4u);
  EXPECT_EQ(word(7), uint64_t(1) << 45);
}

} // namespace
