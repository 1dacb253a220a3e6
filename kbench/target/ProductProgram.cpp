#include "kbench/target/ProductProgram.h"
#include <vector>

namespace phobos::kbench {
namespace {

std::string num(int64_t n) { return std::to_string(n); }

/// `{%d0, %d1, ..}`
std::string group(const char *prefix, int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::string(prefix) + num(first + i);
  return text + "}";
}

/// How 32 random bits become operands: of magnitudes below 2 with random signs, mantissas and low exponents,
/// as the inputs of a product are. Zeros would switch nothing in the multipliers, and let the clock stay
/// higher than any real product does.
struct Bits {
  uint32_t keep, set;
};

Bits bitsOf(const std::string &type) {
  if (type == "f16")
    return {0x8FFF8FFF, 0x30003000}; // exponents 12 to 15, bias 15
  if (type == "bf16")
    return {0x83FF83FF, 0x3C003C00}; // exponents 120 to 127, bias 127
  if (type == "tf32")
    return {0x83FFE000, 0x3C000000};
  if (type == "e4m3")
    return {0x9F9F9F9F, 0x20202020}; // exponents 4 to 7, bias 7
  if (type == "e5m2")
    return {0x8F8F8F8F, 0x30303030}; // exponents 12 to 15, bias 15
  return {0xFFFFFFFF, 0};            // integers
}

std::string head(const char *version, const char *target) {
  return std::string(".version ") + version + "\n.target " + target + "\n.address_size 64\n";
}

/// Registers that all programs have, and the thread's first random bits in %random.
const char *const begin = ".visible .entry products(.param .u64 out, .param .u32 trips) {\n"
                          "  .reg .b64 %out;\n  .reg .b32 %trips, %thread, %block, %random, %one;\n"
                          "  .reg .pred %more, %hit;\n"
                          "  ld.param.u64 %out, [out];\n  ld.param.u32 %trips, [trips];\n"
                          "  mov.u32 %thread, %tid.x;\n  mov.u32 %block, %ctaid.x;\n"
                          "  mad.lo.u32 %random, %block, 83492791, %thread;\n"
                          "  mad.lo.u32 %random, %random, 1664525, 1013904223;\n";
const char *const loopEnd = "  sub.u32 %trips, %trips, 1;\n  setp.ne.u32 %more, %trips, 0;\n"
                            "  @%more bra again;\n";

/// The next random operand word in `to`.
std::string nextRandom(const std::string &to, Bits bits) {
  return "  mad.lo.u32 %random, %random, 1664525, 1013904223;\n  shf.l.wrap.b32 %one, %random, %random, 13;\n"
         "  and.b32 %one, %one, " +
         num(bits.keep) + ";\n  or.b32 " + to + ", %one, " + num(bits.set) + ";\n";
}

/// Adds the registers %d of `kind` (f32, f64, s32) up; stores the sum where it is one rare value.
std::string end(const std::string &kind, int count) {
  std::string text;
  for (int i = 1; i < count; ++i)
    text += "  add." + kind + " %d0, %d0, %d" + num(i) + ";\n";
  const std::string rare = kind == "f32"   ? "0f7149F2CA"
                           : kind == "f64" ? "0d46293E5939A08CEA"
                                           : "-1234567891";
  return text + "  setp.eq." + kind + " %hit, %d0, " + rare + ";\n  @%hit st.global." + kind +
         " [%out], %d0;\n  ret;\n}\n";
}

std::string registers(const std::string &kind, const char *prefix, int count) {
  return "  .reg ." + kind + " " + prefix + "<" + num(count) + ">;\n";
}

/// The threads' own multiply-adds: independent chains, enough to hide their latency.
ProductProgram fmaProgram(const std::string &kind) {
  constexpr int chains = 16, unrolled = 4;
  const std::string zero = kind == "f32" ? "0f3F000000" : "0d3FE0000000000000";
  std::string text = head("6.4", "sm_75") + begin + registers(kind, "%d", chains) + registers(kind, "%x", 2) +
                     "  cvt.rn." + kind + ".u32 %x0, %random;\n  mov." + kind + " %x1, " + zero + ";\n";
  for (int i = 0; i < chains; ++i)
    text += "  fma.rn." + kind + " %d" + num(i) + ", %x0, %x1, " + (i ? "%d" + num(i - 1) : "%x1") + ";\n";
  text += "again:\n";
  for (int u = 0; u < unrolled; ++u)
    for (int i = 0; i < chains; ++i)
      text += "  fma.rn." + kind + " %d" + num(i) + ", %d" + num(i) + ", %x1, %x1;\n";
  return {text + loopEnd + end(kind, chains), "fma", 256, 8, 2.0 * 256 * chains * unrolled};
}

/// One shape of mma.sync: registers of A and B (b32, or f64) and of the accumulators.
struct Mma {
  const char *type;
  unsigned sm;
  const char *version, *target;
  int m, n, k;
  const char *acc;
  int a, b, d;
};

// The largest shape of each type, the newest processor first.
constexpr Mma mmas[] = {
    {"f16", 80, "7.0", "sm_80", 16, 8, 16, "f32", 4, 2, 4},
    {"f16", 75, "6.5", "sm_75", 16, 8, 8, "f32", 2, 1, 4},
    {"bf16", 80, "7.0", "sm_80", 16, 8, 16, "f32", 4, 2, 4},
    {"tf32", 80, "7.0", "sm_80", 16, 8, 8, "f32", 4, 2, 4},
    {"s8", 80, "7.0", "sm_80", 16, 8, 32, "s32", 4, 2, 4},
    {"s8", 75, "6.5", "sm_75", 8, 8, 16, "s32", 1, 1, 2},
    {"u8", 80, "7.0", "sm_80", 16, 8, 32, "s32", 4, 2, 4},
    {"u8", 75, "6.5", "sm_75", 8, 8, 16, "s32", 1, 1, 2},
    {"e4m3", 89, "8.4", "sm_89", 16, 8, 32, "f32", 4, 2, 4},
    {"e5m2", 89, "8.4", "sm_89", 16, 8, 32, "f32", 4, 2, 4},
    {"f64", 90, "7.8", "sm_90", 16, 8, 16, "f64", 8, 4, 4},
    {"f64", 80, "7.0", "sm_80", 8, 8, 4, "f64", 1, 1, 2},
};

std::string shapeOf(int m, int n, int k) { return "m" + num(m) + "n" + num(n) + "k" + num(k); }

/// Each warp runs a chain for every pair of its fragments of A and of B; eight warps, two blocks a processor.
ProductProgram mmaProgram(const Mma &mma) {
  const bool isF64 = std::string(mma.type) == "f64";
  const int as = isF64 ? 2 : 4, bs = 2, unrolled = 4, chains = as * bs;
  const std::string operand = isF64 ? "f64" : "b32", type = mma.type, acc = mma.acc;
  std::string text = head(mma.version, mma.target) + begin + registers(acc, "%d", chains * mma.d) +
                     registers(operand, "%a", as * mma.a) + registers(operand, "%b", bs * mma.b);
  if (isF64)
    text += "  .reg .b32 %high;\n";
  for (int i = 0; i < as * mma.a + bs * mma.b; ++i) {
    const std::string to = i < as * mma.a ? "%a" + num(i) : "%b" + num(i - as * mma.a);
    if (isF64) // magnitudes from a half to one
      text += nextRandom("%high", {0x800FFFFF, 0x3FE00000}) + nextRandom("%one", {0xFFFFFFFF, 0}) +
              "  mov.b64 " + to + ", {%one, %high};\n";
    else
      text += nextRandom(to, bitsOf(type));
  }
  for (int i = 0; i < chains * mma.d; ++i)
    text += "  mov." + acc + " %d" + num(i) +
            (acc == "f32"   ? ", 0f00000000;\n"
             : acc == "f64" ? ", 0d0000000000000000;\n"
                            : ", 0;\n");
  text += "again:\n";
  const std::string shape = shapeOf(mma.m, mma.n, mma.k);
  for (int u = 0; u < unrolled; ++u)
    for (int i = 0; i < chains; ++i) {
      const std::string d = group("%d", i * mma.d, mma.d);
      text += "  mma.sync.aligned." + shape + ".row.col." + acc + "." + type + "." + type + "." + acc + " " +
              d + ", " + group("%a", i % as * mma.a, mma.a) + ", " + group("%b", i / as * mma.b, mma.b) +
              ", " + d + ";\n";
    }
  const double perWarp = 2.0 * mma.m * mma.n * mma.k * chains * unrolled;
  return {text + loopEnd + end(acc, chains * mma.d), "mma " + shape, 256, 2, 8 * perWarp};
}

/// Two warpgroups that multiply from shared memory: each a 64-row tile of A of its own, both one tile of B of
/// 256 rows, rows of 128 bytes of k in the 128-byte swizzle. An instruction takes 32 bytes of k, so a row has
/// four steps. While one warpgroup drains its accumulators the other keeps the unit busy.
ProductProgram wgmmaProgram(const std::string &type) {
  constexpr int n = 256, steps = 16, tileA = 64 * 128, tileB = n * 128, bytes = 2 * tileA + tileB, regs = 128;
  const int k = type == "tf32" ? 8 : type == "f16" || type == "bf16" ? 16 : 32;
  const bool isInt = type == "s8" || type == "u8", is16 = k == 16;
  const std::string acc = isInt ? "s32" : "f32", shape = shapeOf(64, n, k);
  std::string text = head("8.0", "sm_90a") + begin + registers(acc, "%d", regs) +
                     "  .shared .align 1024 .b8 tiles[" + num(bytes) +
                     "];\n"
                     "  .reg .b32 %base, %at, %left, %group, %word;\n  .reg .b64 %a<4>, %b<4>, %rest;\n"
                     "  .reg .pred %yes;\n  setp.eq.u32 %yes, 0, 0;\n"
                     "  mov.u32 %base, tiles;\n  shl.b32 %at, %thread, 2;\n  add.u32 %at, %at, %base;\n"
                     "  mov.u32 %left, " +
                     num(bytes / 1024) + ";\nfill:\n" + nextRandom("%word", bitsOf(type)) +
                     "  st.shared.b32 [%at], %word;\n  add.u32 %at, %at, 1024;\n  sub.u32 %left, %left, 1;\n"
                     "  setp.ne.u32 %more, %left, 0;\n  @%more bra fill;\n"
                     "  fence.proxy.async;\n  bar.sync 0;\n";
  // A descriptor: address / 16 in bits 0 to 13; 1024 bytes, /16, from eight rows to the next in bits 32 to
  // 45; the 128-byte swizzle in bit 62.
  text += "  mov.b64 %rest, 4611686293305360384;\n" // 1 << 62 | 64 << 32 | 1 << 16
          "  shr.u32 %group, %thread, 7;\n  mad.lo.u32 %at, %group, " +
          num(tileA) +
          ", %base;\n  shr.u32 %at, %at, 4;\n  cvt.u64.u32 %a0, %at;\n  or.b64 %a0, %a0, %rest;\n"
          "  add.u32 %at, %base, " +
          num(2 * tileA) + ";\n  shr.u32 %at, %at, 4;\n  cvt.u64.u32 %b0, %at;\n  or.b64 %b0, %b0, %rest;\n";
  for (int i = 1; i < 4; ++i)
    text += "  add.u64 %a" + num(i) + ", %a0, " + num(2 * i) + ";\n  add.u64 %b" + num(i) + ", %b0, " +
            num(2 * i) + ";\n";
  for (int i = 0; i < regs; ++i)
    text += "  mov." + acc + " %d" + num(i) + (isInt ? ", 0;\n" : ", 0f00000000;\n");
  text += "again:\n  wgmma.fence.sync.aligned;\n";
  const std::string d = group("%d", 0, regs);
  for (int s = 0; s < steps; ++s)
    text += "  wgmma.mma_async.sync.aligned." + shape + "." + acc + "." + type + "." + type + " " + d +
            ", %a" + num(s % 4) + ", %b" + num(s % 4) + ", %yes" +
            (isInt  ? ""
             : is16 ? ", 1, 1, 0, 0"
                    : ", 1, 1") +
            ";\n";
  text += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  return {text + loopEnd + end(acc, regs), "wgmma " + shape, 256, 1, 2.0 * 2 * 64 * n * k * steps};
}

} // namespace

std::optional<ProductProgram> productProgram(const std::string &type, unsigned sm) {
  std::string unit = type == "f8e4m3" ? "e4m3" : type == "f8e5m2" ? "e5m2" : type == "i8" ? "s8" : type;
  if (type == "f32" || (type == "f64" && sm < 80) || (type == "bf16" && sm < 80))
    return fmaProgram(type == "f64" ? "f64" : "f32");
  if (sm < 89 && (unit == "e4m3" || unit == "e5m2"))
    unit = "f16"; // which holds them exactly
  // The tensor cores of sm_100 to sm_119 are fed by instructions that this does not know, those after sm_121
  // perhaps too.
  if (((sm >= 100 && sm < 120) || sm > 121) && unit != "f64")
    return std::nullopt;
  if (sm == 90 && unit != "f64") {
    for (const char *known : {"f16", "bf16", "tf32", "s8", "u8", "e4m3", "e5m2"})
      if (unit == known)
        return wgmmaProgram(unit);
    return std::nullopt;
  }
  for (const Mma &mma : mmas)
    if (unit == mma.type && sm >= mma.sm)
      return mmaProgram(mma);
  return std::nullopt;
}

} // namespace phobos::kbench
