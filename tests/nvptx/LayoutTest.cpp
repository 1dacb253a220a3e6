#include "compiler/target/nvptx/Layout.h"
#include <gtest/gtest.h>
#include <map>

using namespace phobos::nvptx;

namespace {

bool isFirstCopy(const Modes &modes, int64_t n) {
  for (const Mode &m : modes) {
    if (m.stride == 0 && n % m.size != 0)
      return false;
    n /= m.size;
  }
  return true;
}

/// Each element of the tile is held once, copies aside, and nothing lies past the extents.
void expectCovers(const Layout &l, int64_t warps) {
  SCOPED_TRACE(l.str());
  EXPECT_EQ(sizeOf(l.lane), 32);
  EXPECT_EQ(l.warps(), warps);
  const int64_t rows = l.extent(0), cols = l.extent(1);
  std::vector<int> seen(rows * cols, 0);
  std::vector<Coord> registers;
  for (int64_t r = 0; r < l.registers(); ++r)
    registers.push_back(l.registerOffset(r));
  for (int64_t w = 0; w < l.warps(); ++w)
    for (int64_t lane = 0; lane < 32; ++lane) {
      if (!isFirstCopy(l.warp, w) || !isFirstCopy(l.lane, lane))
        continue;
      const Coord base = l.threadOffset(w, lane);
      for (const Coord &off : registers) {
        ASSERT_LT(base[0] + off[0], rows);
        ASSERT_LT(base[1] + off[1], cols);
        ++seen[(base[0] + off[0]) * cols + base[1] + off[1]];
      }
    }
  for (int64_t i = 0; i < l.shape[0]; ++i)
    for (int64_t j = 0; j < l.shape[1]; ++j)
      if (seen[i * cols + j] != 1)
        FAIL() << "element " << i << ", " << j << " is held " << seen[i * cols + j] << " times";
}

TEST(Layout, BlockedHoldsEachElementOnce) {
  for (Coord shape :
       {Coord{1, 1}, {1, 7}, {1, 1000}, {16, 1}, {48, 80}, {128, 128}, {33, 17}, {4, 4096}, {64, 6}})
    for (int64_t warps : {1, 3, 4, 8})
      for (int64_t bytes : {1, 2, 4, 8})
        expectCovers(blocked(shape, bytes, warps), warps);
}

TEST(Layout, AccumulatorsHoldEachElementOnce) {
  for (Coord shape : {Coord{16, 8}, {48, 80}, {128, 128}, {20, 30}, {64, 256}})
    for (WarpGrid grid : {WarpGrid{1, 1}, {2, 2}, {4, 1}, {1, 8}, {3, 1}}) {
      expectCovers(mmaAccumulator(shape, grid, false), grid.m * grid.n);
      expectCovers(mmaAccumulator(shape, grid, true), grid.m * grid.n);
      for (int64_t perRegister : {1, 2, 4})
        expectCovers(mmaOperandA(shape, grid, perRegister, false), grid.m * grid.n);
    }
  expectCovers(simtAccumulator({128, 128}, {{2, 4}, 8, 4, 8, 8, 1, 4}), 8);
  expectCovers(simtAccumulator({48, 80}, {{2, 2}, 4, 8, 6, 5, 1, 1}), 4);
}

TEST(Layout, AccumulatorsOfWarpgroupsHoldEachElementOnce) {
  for (Coord shape : {Coord{64, 16}, {64, 256}, {128, 64}, {128, 192}, {256, 128}, {384, 32}})
    for (WarpGrid groups : {WarpGrid{1, 1}, {2, 1}, {1, 2}})
      if (shape[0] % (64 * groups.m) == 0 && shape[1] % (8 * groups.n) == 0) {
        const Layout l = wgmmaAccumulator(shape, groups);
        expectCovers(l, 4 * groups.m * groups.n);
        // A warp's rows are 16 of each 64 of its warpgroup.
        for (int64_t w = 0; w < l.warps(); ++w)
          for (int64_t r = 0; r < l.registers(); ++r)
            EXPECT_EQ(l.at(w, 0, r)[0] % 64 / 16, w % 4) << l.str();
      }
}

TEST(Layout, SliceMakesCopiesOfWhatItTakesAway) {
  Layout row = slice(mmaAccumulator({64, 64}, {4, 1}, false), 1);
  EXPECT_EQ(row.shape, (Coord{64, 1}));
  EXPECT_TRUE(row.isReplicated());
  expectCovers(row, 4);
  EXPECT_TRUE(slice(slice(blocked({8, 8}, 4, 4), 0), 1).isUniform());
}

TEST(Layout, TransposedSwapsCoordinates) {
  Layout l = blocked({32, 64}, 4, 4), t = transposed(l);
  for (int64_t r = 0; r < l.registers(); ++r)
    EXPECT_EQ(t.at(3, 17, r), (Coord{l.at(3, 17, r)[1], l.at(3, 17, r)[0]}));
}

TEST(Layout, ScoresAreTheNextProductsOperandWithoutMoving) {
  // Accumulators of a 64 x 64 product, as operand A of the next: the same thread holds the same elements.
  EXPECT_TRUE(registerMap(mmaAccumulator({64, 64}, {4, 1}, false), mmaOperandA({64, 64}, {4, 1}, 2, false)));
  EXPECT_FALSE(registerMap(mmaAccumulator({64, 64}, {4, 1}, false), mmaOperandA({64, 64}, {4, 1}, 4, false)));
  EXPECT_FALSE(registerMap(blocked({64, 64}, 4, 4), mmaAccumulator({64, 64}, {4, 1}, false)));
}

TEST(Layout, VectorWidthFollowsTheRunOfRegisters) {
  EXPECT_EQ(blocked({64, 64}, 4, 4).vectorWidth(4), 4);
  EXPECT_EQ(blocked({64, 64}, 2, 4).vectorWidth(8), 8);
  EXPECT_EQ(blocked({64, 63}, 4, 4).vectorWidth(4), 1);
  EXPECT_EQ(mmaAccumulator({64, 64}, {4, 1}, false).vectorWidth(4), 2);
}

TEST(SharedLayout, AddressesArePermutedNotLost) {
  for (int64_t bytes : {1, 2, 4, 8})
    for (int64_t cols : {8, 16, 20, 32, 48, 64, 80, 128}) {
      SharedLayout s = operandBuffer(32, cols, bytes);
      std::map<int64_t, int> seen;
      for (int64_t r = 0; r < s.rows; ++r)
        for (int64_t c = 0; c < s.cols; ++c) {
          EXPECT_LT(s.address(r, c) + bytes, s.sizeBytes() + 1);
          EXPECT_EQ(++seen[s.address(r, c)], 1);
        }
    }
}

TEST(SharedLayout, PanelsKeepEveryElementAndRepeatTheHardwaresSwizzle) {
  for (int64_t cols : {16, 32, 64, 128, 192, 256}) {
    SharedLayout s = panelBuffer(64, cols, 2);
    EXPECT_LE(s.pitchBytes, 128);
    EXPECT_EQ(s.sizeBytes(), 64 * cols * 2);
    const int64_t chunks = s.pitchBytes / 16;
    std::map<int64_t, int> seen;
    for (int64_t r = 0; r < s.rows; ++r)
      for (int64_t c = 0; c < s.cols; ++c) {
        const int64_t at = s.address(r, c), byte = c * 2, panel = byte / s.pitchBytes;
        EXPECT_EQ(++seen[at], 1);
        // Address bits 4 and up, exclusive-or bits 7 and up, as many as a row has chunks.
        const int64_t plain = (panel * s.rows + r) * s.pitchBytes + byte % s.pitchBytes;
        EXPECT_EQ(at, plain ^ ((plain >> 7 & (chunks - 1)) << 4)) << r << ", " << c << " of " << cols;
      }
  }
}

TEST(SharedLayout, CopiesIntoPanelsDoNotConflict) {
  for (int64_t cols : {16, 32, 64, 128, 256}) {
    SharedLayout s = panelBuffer(64, cols, 2);
    std::vector<int64_t> addresses;
    for (int64_t lane = 0; lane < 32; ++lane)
      addresses.push_back(s.address(lane / (cols / 8), lane % (cols / 8) * 8));
    EXPECT_EQ(wavefronts(addresses, 16), 4) << cols;
  }
}

// Every buffer that a product may read by ldmatrix: 8 lanes give 8 neighbouring rows of one 16-byte column;
// the four groups take four wavefronts.
TEST(SharedLayout, EightRowsOfAColumnDoNotConflict) {
  for (int64_t bytes : {1, 2, 4})
    for (int64_t cols : {16, 32, 48, 64, 80, 128, 256}) {
      if (cols * bytes < 32)
        continue;
      SharedLayout s = operandBuffer(32, cols, bytes);
      for (int64_t chunk = 0; chunk < cols * bytes / 16; ++chunk) {
        std::vector<int64_t> addresses;
        for (int64_t lane = 0; lane < 32; ++lane)
          addresses.push_back(s.address(lane, chunk * 16 / bytes));
        EXPECT_EQ(wavefronts(addresses, 16), 4)
            << cols << " columns of " << bytes << " bytes, chunk " << chunk;
      }
    }
}

TEST(SharedLayout, CopiesOfNeighbouringChunksDoNotConflict) {
  for (int64_t cols : {16, 32, 64, 128}) { // f32: 4 .. 32 chunks a row
    SharedLayout s = operandBuffer(64, cols, 4);
    std::vector<int64_t> addresses;
    for (int64_t lane = 0; lane < 32; ++lane)
      addresses.push_back(s.address(lane / (cols / 4), lane % (cols / 4) * 4));
    EXPECT_EQ(wavefronts(addresses, 16), 4) << cols;
  }
}

TEST(SharedLayout, ScratchColumnsDoNotConflict) {
  SharedLayout s = scratchBuffer(64, 64, 4);
  std::vector<int64_t> addresses;
  for (int64_t lane = 0; lane < 32; ++lane)
    addresses.push_back(s.address(lane, 0));
  EXPECT_EQ(wavefronts(addresses, 16), 4);
}

TEST(Wavefronts, CountsTheWorstBank) {
  std::vector<int64_t> same(32, 0), apart, column;
  for (int64_t lane = 0; lane < 32; ++lane)
    apart.push_back(lane * 4), column.push_back(lane * 128);
  EXPECT_EQ(wavefronts(same, 4), 1);
  EXPECT_EQ(wavefronts(apart, 4), 1);
  EXPECT_EQ(wavefronts(column, 4), 32);
}

} // namespace
