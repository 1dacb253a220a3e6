// Where the elements of a tile live: which thread holds which element in which register, and where a shared
// buffer keeps it.
//
// A distributed layout is a map (warp, lane, register) -> (i, j). Each of the three numbers is read as a
// mixed-radix number, fastest digit first; a digit of a mode `size:stride@axis` adds digit * stride to that
// coordinate. Stride 0 makes copies: threads that differ only in such digits hold the same element. So
//
//   (i, j) = warpOffset(warp) + laneOffset(lane) + registerOffset(register)
//
// and a thread needs one pair of base coordinates, to which every register adds constants. Sizes need not be
// powers of two (those of lanes multiply to 32). Coordinates at or past the tile's shape are padding:
// computed, never seen. A tile of rank 1 is laid out as one row.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phobos::nvptx {

using Coord = std::array<int64_t, 2>;

/// `size` steps of `stride` along `axis` (0: i, 1: j).
struct Mode {
  int64_t size = 1, stride = 0;
  int axis = 0;
  bool operator==(const Mode &) const = default;
};
using Modes = std::vector<Mode>;

/// What the number `n` adds to (i, j) when read through `modes`.
Coord offsetOf(const Modes &modes, int64_t n);
int64_t sizeOf(const Modes &modes);

struct Layout {
  Coord shape{1, 1}; ///< of the tile
  Modes reg, lane, warp;

  int64_t registers() const { return sizeOf(reg); }
  int64_t warps() const { return sizeOf(warp); }
  Coord registerOffset(int64_t r) const { return offsetOf(reg, r); }
  /// What (warp, lane) adds.
  Coord threadOffset(int64_t w, int64_t l) const;
  Coord at(int64_t w, int64_t l, int64_t r) const;
  /// One past the largest coordinate on `axis`, padding included.
  int64_t extent(int axis) const;
  bool isPadded(int axis) const { return extent(axis) > shape[axis]; }
  /// Several threads hold the same element.
  bool isReplicated() const;
  /// Every thread holds every element.
  bool isUniform() const;
  /// The map with size-1 modes dropped, neighbouring modes joined, and copies named alike, so that equal maps
  /// compare equal.
  Layout normalized() const;
  /// How many registers from each multiple of it on hold neighbours along j, at most `limit`; a power of two.
  int64_t vectorWidth(int64_t limit) const;
  bool operator==(const Layout &) const = default;
  /// `reg[2:1j 2:8i] lane[4:2j 8:1i] warp[4:16i]`
  std::string str() const;
};

/// Of `layout`, what a reduction over `axis` leaves: the axis has extent 1, digits along it make copies.
Layout slice(const Layout &layout, int axis);
Layout transposed(const Layout &layout);

/// For memory: `vector` neighbours along j to a thread, lanes along j and then i, warps along i and then j,
/// registers over the rest. `vector` is at most what 16 bytes hold; less where the tile has fewer elements
/// than that for each thread.
Layout blocked(Coord shape, int64_t elementBytes, int64_t warps);

/// How an accumulator tile is spread: each warp has `warpTile`, laid `warpGrid` times.
struct WarpGrid {
  int64_t m = 1, n = 1;
  bool operator==(const WarpGrid &) const = default;
};

/// Accumulators of mma.m16n8 (f64: m8n8): row = lane / 4 (+ 8), column = 2 (lane % 4) + {0, 1}.
Layout mmaAccumulator(Coord shape, WarpGrid grid, bool isF64);
/// An operand of mma as registers. A is [m, k]; B is kept as [k, n]. `perRegister` elements of k share a
/// 32-bit register; f64: one a register.
Layout mmaOperandA(Coord shape, WarpGrid grid, int64_t perRegister, bool isF64);

/// The plain product: each thread has `tm` x `tn` accumulators, each warp `laneM` x `laneN` threads. Rows go
/// lane first (row = lane + laneM * register) if A is read along k; columns in vectors of `vecN` neighbours.
/// Wide reads of shared memory by the lanes of a warp are then neighbours, too.
struct SimtTile {
  WarpGrid grid;
  int64_t laneM = 1, laneN = 32;
  int64_t tm = 1, tn = 1;
  int64_t vecM = 1, vecN = 1;
};
Layout simtAccumulator(Coord shape, const SimtTile &tile);

/// Accumulators of wgmma.m64: of each 64 rows a warp of the warpgroup has 16, laid out as those of mma.m16n8.
/// `grid` counts warpgroups (four warps each); it divides the shape in multiples of 64 rows and 8 columns.
Layout wgmmaAccumulator(Coord shape, WarpGrid grid);

/// If `to` needs only elements that the same thread already holds in `from`: for each register of `to`, the
/// register of `from`.
std::optional<std::vector<int64_t>> registerMap(const Layout &from, const Layout &to);

/// A tile in shared memory: row `r` at r * pitchBytes, its 16-byte chunks permuted: chunk c of row r lies at
/// c ^ ((r / rowsPerStep) & mask). A row longer than its pitch goes on in the next panel, rows * pitchBytes
/// further, at the same place.
struct SharedLayout {
  int64_t rows = 1, cols = 1; ///< padding included
  int64_t elementBytes = 4;
  int64_t pitchBytes = 4;
  int64_t rowsPerStep = 1, mask = 0; ///< mask 0: no permutation
  int64_t panels() const { return (cols * elementBytes + pitchBytes - 1) / pitchBytes; }
  int64_t sizeBytes() const { return rows * pitchBytes * panels(); }
  int64_t address(int64_t r, int64_t c) const;
  bool operator==(const SharedLayout &) const = default;
};

/// For operands of products: eight rows at one chunk column, and neighbouring chunks of one row, lie in
/// different banks.
SharedLayout operandBuffer(int64_t rows, int64_t cols, int64_t elementBytes);
/// For operands of wgmma, which takes swizzled panels of 128 bytes a row, or rows of 64 or 32 bytes (PTX ISA,
/// "Asynchronous Warpgroup Level Matrix Shared Memory Layout"). `cols * elementBytes` is 32, 64 or a multiple
/// of 128, `rows` a multiple of 8.
SharedLayout panelBuffer(int64_t rows, int64_t cols, int64_t elementBytes);
/// For moving a tile between layouts: plain rows, padded so that a column of 16-byte accesses does not
/// conflict.
SharedLayout scratchBuffer(int64_t rows, int64_t cols, int64_t elementBytes);

/// How many wavefronts the hardware needs for one access of a warp: `addresses` are byte addresses, one a
/// lane, each of `accessBytes`. 32 banks of 4 bytes; accesses of 8 and 16 bytes go half and quarter warps at
/// a time; equal words are read once.
int64_t wavefronts(const std::vector<int64_t> &addresses, int64_t accessBytes);

} // namespace phobos::nvptx
