// Entry points of GPU kernels: each assumption alone sends a launch to the entry that assumes nothing, and
// the grids that the hardware gets.
#include "runtime/contract/GpuAbi.h"
#include <gtest/gtest.h>

using namespace phobos;

namespace {

GpuKernel twoEntries() {
  GpuKernel k;
  k.entries = {{"fast", true, true, kNarrowStride, 128, 0}, {"any", false, false, 0, 128, 0}};
  return k;
}

std::string chosen(TensorShape t, uint64_t address = 1 << 20, std::array<int64_t, 3> grid = {1, 1, 1}) {
  return chooseEntry(twoEntries(), {&t, nullptr}, {address, 0}, grid).symbol;
}

TensorShape rows(int64_t stride, ScalarType elem = ScalarType::F32) {
  return {elem, {2, 8}, {stride, 1}, nullptr};
}

} // namespace

TEST(GpuAbi, AlignmentIsOfAddressesAndRowsButNotOfTheLastAxis) {
  EXPECT_EQ(chosen(rows(8)), "fast");
  EXPECT_EQ(chosen(rows(8), (1 << 20) + 4), "any");
  EXPECT_EQ(chosen(rows(9)), "any");
  EXPECT_EQ(chosen({ScalarType::F32, {7}, {1}, nullptr}), "fast");
}

TEST(GpuAbi, RowsFurtherApartThan32BitsReachGoToTheOtherEntry) {
  const int64_t limit = kNarrowStride / 4;
  EXPECT_EQ(chosen(rows(limit - 4)), "fast"); // 2^32 - 16 bytes
  EXPECT_EQ(chosen(rows(limit)), "any");
  EXPECT_EQ(chosen(rows(limit - 4, ScalarType::F64)), "any"); // twice the bytes
  EXPECT_EQ(chosen(rows(-8)), "any");
  EXPECT_EQ(chosen(rows(0)), "fast");
  EXPECT_EQ(longestStride(rows(INT64_MAX)), INT64_MAX);
  EXPECT_EQ(longestStride({ScalarType::I8, {1, 2, 3}, {6, 300, 1}, nullptr}), 300);
}

TEST(GpuAbi, TheGridDecidesToo) {
  EXPECT_EQ(chosen(rows(8), 1 << 20, {1 << 30, 65535, 65535}), "fast");
  EXPECT_EQ(chosen(rows(8), 1 << 20, {1, 65536, 1}), "any");
  EXPECT_EQ(chosen(rows(8), 1 << 20, {1, 1, 65536}), "any");
}

TEST(GpuAbi, GridsOfTheHardware) {
  GpuKernel k = twoEntries();
  using Grid = std::array<uint32_t, 3>;
  EXPECT_EQ(hardwareGrid(k, k.entries[0], {5, 6, 7}, 1), (Grid{5, 6, 7}));
  EXPECT_EQ(hardwareGrid(k, k.entries[1], {5, 6, 7}, 1), (Grid{210, 1, 1}));
  EXPECT_EQ(hardwareGrid(k, k.entries[1], {1, int64_t(1) << 31, 1}, 1), (Grid{(1u << 31) - 1, 2, 1}));
  k.persistent = true;
  EXPECT_EQ(hardwareGrid(k, k.entries[0], {5, 6, 7}, 64), (Grid{64, 1, 1}));
  EXPECT_EQ(hardwareGrid(k, k.entries[0], {5, 1, 1}, 64), (Grid{5, 1, 1}));
  EXPECT_EQ(hardwareGrid(k, k.entries[0], {5, 1, 1}, 0), (Grid{1, 1, 1}));
}
