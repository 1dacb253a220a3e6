#include "compiler/target/nvptx/Layout.h"
#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace phobos::nvptx {

namespace {
int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t pow2Floor(int64_t n) {
  return n < 1 ? 1 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(n)));
}
int64_t pow2Ceil(int64_t n) {
  return n < 1 ? 1 : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n)));
}

/// The largest divisor of `n` that is at most `limit`.
int64_t divisorUpTo(int64_t n, int64_t limit) {
  for (int64_t d = std::min(n, limit); d > 1; --d)
    if (n % d == 0)
      return d;
  return 1;
}

void add(Modes &modes, int64_t size, int64_t stride, int axis) {
  if (size > 1)
    modes.push_back({size, stride, axis});
}

Modes joined(const Modes &modes) {
  Modes out;
  for (Mode m : modes) {
    if (m.size == 1)
      continue;
    if (m.stride == 0)
      m.axis = 0;
    if (!out.empty() && out.back().axis == m.axis && m.stride == out.back().stride * out.back().size)
      out.back().size *= m.size;
    else
      out.push_back(m);
  }
  return out;
}
} // namespace

int64_t sizeOf(const Modes &modes) {
  int64_t n = 1;
  for (const Mode &m : modes)
    n *= m.size;
  return n;
}

Coord offsetOf(const Modes &modes, int64_t n) {
  Coord c{0, 0};
  for (const Mode &m : modes) {
    c[m.axis] += n % m.size * m.stride;
    n /= m.size;
  }
  return c;
}

Coord Layout::threadOffset(int64_t w, int64_t l) const {
  Coord a = offsetOf(warp, w), b = offsetOf(lane, l);
  return {a[0] + b[0], a[1] + b[1]};
}

Coord Layout::at(int64_t w, int64_t l, int64_t r) const {
  Coord a = threadOffset(w, l), b = registerOffset(r);
  return {a[0] + b[0], a[1] + b[1]};
}

int64_t Layout::extent(int axis) const {
  int64_t last = 0;
  for (const Modes *modes : {&reg, &lane, &warp})
    for (const Mode &m : *modes)
      if (m.axis == axis)
        last += (m.size - 1) * m.stride;
  return last + 1;
}

bool Layout::isReplicated() const {
  for (const Modes *modes : {&lane, &warp})
    for (const Mode &m : *modes)
      if (m.stride == 0 && m.size > 1)
        return true;
  return false;
}

bool Layout::isUniform() const {
  for (const Modes *modes : {&lane, &warp})
    for (const Mode &m : *modes)
      if (m.stride != 0 && m.size > 1)
        return false;
  return true;
}

Layout Layout::normalized() const { return {shape, joined(reg), joined(lane), joined(warp)}; }

int64_t Layout::vectorWidth(int64_t limit) const {
  Modes modes = joined(reg);
  if (modes.empty() || modes[0].axis != 1 || modes[0].stride != 1)
    return 1;
  int64_t width = std::min(modes[0].size & -modes[0].size, pow2Floor(limit));
  auto fits = [&](const Modes &all) {
    for (const Mode &m : all)
      if (m.axis == 1 && m.stride != 1 && m.stride % width != 0)
        return false;
    return true;
  };
  while (width > 1 && !(fits(modes) && fits(lane) && fits(warp) && shape[1] % width == 0))
    width /= 2;
  // A lane that steps by one along j would split the run.
  for (const Modes *all : {&lane, &warp})
    for (const Mode &m : *all)
      if (m.axis == 1 && m.stride == 1 && m.size > 1)
        return 1;
  return width;
}

std::string Layout::str() const {
  std::string out;
  auto put = [&](const char *name, const Modes &modes) {
    out += out.empty() ? "" : " ";
    out += std::string(name) + "[";
    for (size_t k = 0; k < modes.size(); ++k)
      out += (k ? " " : "") + std::to_string(modes[k].size) + ":" + std::to_string(modes[k].stride) +
             (modes[k].axis ? "j" : "i");
    out += "]";
  };
  put("reg", reg);
  put("lane", lane);
  put("warp", warp);
  return out;
}

Layout slice(const Layout &layout, int axis) {
  Layout out = layout;
  out.shape[axis] = 1;
  std::erase_if(out.reg, [&](const Mode &m) { return m.axis == axis || m.stride == 0; });
  for (Modes *modes : {&out.lane, &out.warp})
    for (Mode &m : *modes)
      if (m.axis == axis)
        m.stride = 0;
  return out.normalized();
}

Layout transposed(const Layout &layout) {
  Layout out = layout;
  std::swap(out.shape[0], out.shape[1]);
  for (Modes *modes : {&out.reg, &out.lane, &out.warp})
    for (Mode &m : *modes)
      m.axis = m.stride == 0 ? 0 : 1 - m.axis;
  return out;
}

Layout blocked(Coord shape, int64_t elementBytes, int64_t warps) {
  const auto [rows, cols] = shape;
  Layout out{shape, {}, {}, {}};
  int64_t perThread = rows * cols / (32 * warps);
  int64_t vector =
      std::min<int64_t>(std::max<int64_t>(1, 16 / elementBytes), pow2Floor(std::max<int64_t>(1, perThread)));
  while (cols % vector != 0)
    vector /= 2;
  int64_t runs = cols / vector;
  int64_t laneJ = std::min<int64_t>(32, runs & -runs);
  if (laneJ < runs && laneJ * vector * elementBytes < 32)
    laneJ = std::min<int64_t>(32, pow2Ceil(runs)); // short runs would scatter a warp's accesses: pad instead
  int64_t laneI = std::min<int64_t>(32 / laneJ, pow2Ceil(rows));
  if (laneJ * laneI < 32 && laneJ < runs)
    laneJ = std::min<int64_t>(32 / laneI, pow2Ceil(runs));
  int64_t stepsI = ceilDiv(rows, laneI), stepsJ = ceilDiv(cols, vector * laneJ);
  int64_t warpI = divisorUpTo(warps, stepsI);
  int64_t warpJ = divisorUpTo(warps / warpI, stepsJ);
  add(out.reg, vector, 1, 1);
  add(out.reg, ceilDiv(stepsJ, warpJ), vector * laneJ * warpJ, 1);
  add(out.reg, ceilDiv(stepsI, warpI), laneI * warpI, 0);
  add(out.lane, laneJ, vector, 1);
  add(out.lane, laneI, 1, 0);
  add(out.lane, 32 / (laneJ * laneI), 0, 0);
  add(out.warp, warpI, laneI, 0);
  add(out.warp, warpJ, vector * laneJ, 1);
  add(out.warp, warps / (warpI * warpJ), 0, 0);
  return out;
}

// mma.m16n8: lane = 4 g + t holds (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1) of each 16 x 8 block;
// f64's m8n8 the first two.
Layout mmaAccumulator(Coord shape, WarpGrid grid, bool isF64) {
  int64_t blockM = isF64 ? 8 : 16;
  int64_t stepsM = ceilDiv(ceilDiv(shape[0], blockM), grid.m), stepsN = ceilDiv(ceilDiv(shape[1], 8), grid.n);
  Layout out{shape, {}, {}, {}};
  add(out.reg, 2, 1, 1);
  if (!isF64)
    add(out.reg, 2, 8, 0);
  add(out.reg, stepsN, 8, 1);
  add(out.reg, stepsM, blockM, 0);
  add(out.lane, 4, 2, 1);
  add(out.lane, 8, 1, 0);
  add(out.warp, grid.m, stepsM * blockM, 0);
  add(out.warp, grid.n, stepsN * 8, 1);
  return out;
}

// A of m16n8k(8 e): register q of lane 4 g + t holds k = e t + {0 .. e - 1} + 4 e (q / 2), row g + 8 (q % 2).
// f64's m8n8k4: (g, t).
Layout mmaOperandA(Coord shape, WarpGrid grid, int64_t perRegister, bool isF64) {
  int64_t blockM = isF64 ? 8 : 16, blockK = isF64 ? 4 : 8 * perRegister;
  int64_t stepsM = ceilDiv(ceilDiv(shape[0], blockM), grid.m), stepsK = ceilDiv(shape[1], blockK);
  Layout out{shape, {}, {}, {}};
  if (!isF64) {
    add(out.reg, perRegister, 1, 1);
    add(out.reg, 2, 8, 0);
    add(out.reg, 2, 4 * perRegister, 1);
  }
  add(out.reg, stepsK, blockK, 1);
  add(out.reg, stepsM, blockM, 0);
  add(out.lane, 4, isF64 ? 1 : perRegister, 1);
  add(out.lane, 8, 1, 0);
  add(out.warp, grid.m, stepsM * blockM, 0);
  add(out.warp, grid.n, 0, 0);
  return out;
}

// Column of lane (lm, ln), register (v, c, ..): warp base + vecN * ln + v + vecN * laneN * c; rows alike.
// lane = ln % 2 + 2 lm + 2 laneM (ln / 2): the eight lanes that one 16-byte read of shared memory serves at a
// time then touch four rows and two columns, which the hardware joins into fewer wavefronts than eight of one
// kind.
Layout simtAccumulator(Coord shape, const SimtTile &t) {
  Layout out{shape, {}, {}, {}};
  add(out.reg, t.vecN, 1, 1);
  add(out.reg, t.tn / t.vecN, t.vecN * t.laneN, 1);
  add(out.reg, t.vecM, 1, 0);
  add(out.reg, t.tm / t.vecM, t.vecM * t.laneM, 0);
  int64_t lowN = std::min<int64_t>(2, t.laneN);
  add(out.lane, lowN, t.vecN, 1);
  add(out.lane, t.laneM, t.vecM, 0);
  add(out.lane, t.laneN / lowN, lowN * t.vecN, 1);
  add(out.warp, t.grid.m, t.tm * t.laneM, 0);
  add(out.warp, t.grid.n, t.tn * t.laneN, 1);
  return out;
}

Layout wgmmaAccumulator(Coord shape, WarpGrid grid) {
  const int64_t rows = shape[0] / grid.m, cols = shape[1] / grid.n;
  Layout out{shape, {}, {}, {}};
  add(out.reg, 2, 1, 1);
  add(out.reg, 2, 8, 0);
  add(out.reg, cols / 8, 8, 1);
  add(out.reg, rows / 64, 64, 0);
  add(out.lane, 4, 2, 1);
  add(out.lane, 8, 1, 0);
  add(out.warp, 4, 16, 0);
  add(out.warp, grid.m, rows, 0);
  add(out.warp, grid.n, cols, 1);
  return out;
}

std::optional<std::vector<int64_t>> registerMap(const Layout &from, const Layout &to) {
  if (from.shape != to.shape || from.warps() != to.warps())
    return std::nullopt;
  for (int64_t w = 0; w < to.warps(); ++w)
    for (int64_t l = 0; l < 32; ++l)
      if (from.threadOffset(w, l) != to.threadOffset(w, l))
        return std::nullopt;
  std::map<Coord, int64_t> have;
  for (int64_t r = 0; r < from.registers(); ++r)
    have.try_emplace(from.registerOffset(r), r);
  std::vector<int64_t> map;
  for (int64_t r = 0; r < to.registers(); ++r) {
    auto it = have.find(to.registerOffset(r));
    if (it == have.end())
      return std::nullopt;
    map.push_back(it->second);
  }
  return map;
}

int64_t SharedLayout::address(int64_t r, int64_t c) const {
  const int64_t byte = c * elementBytes, panel = byte / pitchBytes;
  return (panel * rows + r) * pitchBytes + ((byte % pitchBytes) ^ (((r / rowsPerStep) & mask) << 4));
}

// Eight rows at one chunk column must fall into the eight 16-byte groups of the 128 bytes that the banks
// hold. A pitch that is an odd number of chunks does that by itself. Pitches of 32, 64 and multiples of 128
// bytes are permuted: with p = pitch / 16 chunks a row (p < 8), 8 / p rows share a line of banks, and the
// next 8 / p rows take the next value of the permutation.
SharedLayout operandBuffer(int64_t rows, int64_t cols, int64_t elementBytes) {
  SharedLayout out{rows, cols, elementBytes, ceilDiv(cols * elementBytes, 16) * 16, 1, 0};
  int64_t chunks = out.pitchBytes / 16;
  if (chunks % 8 == 0)
    out.mask = 7;
  else if (chunks == 4)
    out.rowsPerStep = 2, out.mask = 3;
  else if (chunks == 2)
    out.rowsPerStep = 4, out.mask = 1;
  else if (chunks % 2 == 0)
    out.pitchBytes += 16;
  return out;
}

// The permutation is that of operandBuffer: the exclusive-or of address bits 4 to 6 with bits 7 to 9, of as
// many of them as a row has chunks.
SharedLayout panelBuffer(int64_t rows, int64_t cols, int64_t elementBytes) {
  SharedLayout out = operandBuffer(rows, std::min(cols, 128 / elementBytes), elementBytes);
  out.cols = cols;
  return out;
}

SharedLayout scratchBuffer(int64_t rows, int64_t cols, int64_t elementBytes) {
  SharedLayout out{rows, cols, elementBytes, cols * elementBytes, 1, 0};
  if (rows > 1 && cols * elementBytes >= 16)
    out.pitchBytes = ceilDiv(cols * elementBytes, 16) * 16 + 16;
  return out;
}

int64_t wavefronts(const std::vector<int64_t> &addresses, int64_t accessBytes) {
  int64_t lanesAtOnce = accessBytes <= 4 ? 32 : accessBytes == 8 ? 16 : 8, total = 0;
  for (size_t first = 0; first < addresses.size(); first += lanesAtOnce) {
    std::map<int64_t, std::set<int64_t>> wordsOfBank;
    for (size_t l = first; l < std::min(addresses.size(), first + lanesAtOnce); ++l)
      for (int64_t b = 0; b < std::max<int64_t>(4, accessBytes); b += 4)
        wordsOfBank[(addresses[l] + b) / 4 % 32].insert((addresses[l] + b) / 4);
    size_t worst = 0;
    for (auto &[bank, words] : wordsOfBank)
      worst = std::max(worst, words.size());
    total += static_cast<int64_t>(worst);
  }
  return total;
}

} // namespace phobos::nvptx
