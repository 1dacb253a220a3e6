// A warp's matrix instructions: ldmatrix and mma.sync.
#include "tests/emulate/Operations.h"
#include <cstring>

namespace phobos::emulate {

namespace {

/// PTX ISA, "ldmatrix": lanes 8 x to 8 x + 7 give the rows of matrix x, 16 bytes each; lane 4 g + t gets word
/// t of row g, or with .trans elements 2 t and 2 t + 1 of column g. Numbers: matrices, transposed.
void loadMatrix(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  const auto count = static_cast<unsigned>(op.numbers[0]);
  if (m.current() % 32 < 8 * count)
    m.check(op, {.bytes = 16, .align = 16, .isShared = true}, in[0]);
  m.together(op, 32, in, out, [&](Meeting &all, unsigned) {
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned x = 0; x < count; ++x) {
        const unsigned g = lane / 4, t = lane % 4;
        auto row = [&](unsigned r) { return reinterpret_cast<const char *>(all.in[8 * x + r][0]); };
        uint32_t word = 0;
        if (!op.numbers[1]) {
          std::memcpy(&word, row(g) + 4 * t, 4);
        } else {
          std::memcpy(&word, row(2 * t) + 2 * g, 2);
          std::memcpy(reinterpret_cast<char *>(&word) + 2, row(2 * t + 1) + 2 * g, 2);
        }
        all.out[lane][x] = word;
      }
  });
}

/// An mma.sync of m x 8 x k: the fragments of every type are the same where e elements fill a register (PTX
/// ISA, "Matrix Fragments for mma.m16n8k16" and its neighbours). Lane 4 g + t has of A in register q row g +
/// 8 (q % 2), k = e t + 4 e (q / 2) and those after it; of B column g, k = e t + 4 e q; of C in register q
/// row g + 8 (q / 2), column 2 t + q % 2.
struct Shape {
  int64_t m, k, perRegister, elementBits;
  size_t aRegisters() const { return static_cast<size_t>(m / 8 * k / (4 * perRegister)); }
  size_t bRegisters() const { return static_cast<size_t>(k / (4 * perRegister)); }
  size_t sums() const { return static_cast<size_t>(m / 4); }
  /// The bits of an element.
  uint64_t a(const Meeting &all, int64_t row, int64_t kk) const {
    const int64_t e = perRegister;
    return part(all.in[static_cast<size_t>(4 * (row % 8) + kk % (4 * e) / e)]
                      [static_cast<size_t>(m == 16 ? row / 8 + 2 * (kk / (4 * e)) : kk / (4 * e))],
                kk);
  }
  uint64_t b(const Meeting &all, int64_t kk, int64_t col) const {
    const int64_t e = perRegister;
    return part(all.in[static_cast<size_t>(4 * col + kk % (4 * e) / e)]
                      [aRegisters() + static_cast<size_t>(kk / (4 * e))],
                kk);
  }
  uint64_t part(uint64_t word, int64_t kk) const {
    return elementBits == 64 ? word
                             : word >> (kk % perRegister * elementBits) & ((uint64_t(1) << elementBits) - 1);
  }
};

enum Kind : int64_t { F16, Bf16, Tf32, E4m3, E5m2, S8, U8, F64 };
constexpr std::string_view kindNames[] = {"f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "f64"};
constexpr int64_t kindBits[] = {16, 16, 32, 8, 8, 8, 8, 64};

/// The operands of a multiplication as numbers, row by row; of B the columns.
template <typename T> struct Operands {
  std::vector<T> a, b;
  template <typename Value> Operands(const Shape &s, const Meeting &all, Value value) {
    for (int64_t row = 0; row < s.m; ++row)
      for (int64_t k = 0; k < s.k; ++k)
        a.push_back(value(s.a(all, row, k)));
    for (int64_t col = 0; col < 8; ++col)
      for (int64_t k = 0; k < s.k; ++k)
        b.push_back(value(s.b(all, k, col)));
  }
};

/// `add(sum's word, row of A, column of B)` for each sum.
template <typename T, typename Add>
void eachSum(const Shape &s, Meeting &all, const Operands<T> &operands, Add add) {
  const size_t firstSum = s.aRegisters() + s.bRegisters();
  for (size_t lane = 0; lane < 32; ++lane)
    for (size_t q = 0; q < s.sums(); ++q) {
      const auto k = static_cast<size_t>(s.k);
      all.out[lane][q] = add(all.in[lane][firstSum + q], &operands.a[(lane / 4 + 8 * (q / 2)) * k],
                             &operands.b[(2 * (lane % 4) + q % 2) * k]);
    }
}

/// What the matrix units of sm_89 keep of a sum of f8 products, the one that comes in too: 13 bits below the
/// first (SageAttention2, "accumulator of the FP8 matmul instruction"). Those of sm_90 have no such
/// instruction: the assembler converts the operands to f16.
float narrowSum(float x) { return fromWord<float>(toWord(x) & 0xfffffc00); }

/// Numbers: kind, m, k.
void multiply(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  const auto kind = static_cast<Kind>(op.numbers[0]);
  const Shape s{op.numbers[1], op.numbers[2], kindBits[kind] == 64 ? 1 : 32 / kindBits[kind], kindBits[kind]};
  m.together(op, 32, in, out, [&](Meeting &all, unsigned) {
    if (kind == S8 || kind == U8) { // wraps, without .satfinite
      const Operands<int> operands(
          s, all, [&](uint64_t x) { return kind == S8 ? static_cast<int8_t>(x) : static_cast<int>(x); });
      return eachSum(s, all, operands, [&](uint64_t sum, const int *a, const int *b) -> uint64_t {
        auto total = static_cast<uint32_t>(sum);
        for (int64_t k = 0; k < s.k; ++k)
          total += static_cast<uint32_t>(a[k] * b[k]);
        return total;
      });
    }
    const bool isDouble = kind == F64, isNarrow = (kind == E4m3 || kind == E5m2) && m.sm == 89;
    const Operands<double> operands(
        s, all, [&](uint64_t x) { return isDouble ? fromWord<double>(x) : decode(kindNames[kind], x); });
    eachSum(s, all, operands, [&](uint64_t sum, const double *a, const double *b) {
      double total = isDouble   ? fromWord<double>(sum)
                     : isNarrow ? narrowSum(fromWord<float>(sum))
                                : fromWord<float>(sum);
      for (int64_t k = 0; k < s.k; ++k)
        total += a[k] * b[k];
      if (isDouble)
        return toWord(total);
      return toWord(isNarrow ? narrowSum(static_cast<float>(total)) : static_cast<float>(total));
    });
  });
}

} // namespace

bool findMatrix(std::string_view text, Operation &op) {
  if (takePrefix(text, "ldmatrix.sync.aligned.m8n8.x")) {
    const int64_t count = text[0] - '0';
    text.remove_prefix(1);
    op.numbers = {count, takePrefix(text, ".trans")};
    op.handler = loadMatrix;
    return text == ".b16.p3" && (count == 1 || count == 2 || count == 4);
  }
  if (!takePrefix(text, "mma.sync.aligned.m"))
    return false;
  static constexpr struct {
    std::string_view shape;
    int64_t m, k;
  } shapes[] = {
      {"16n8k16", 16, 16}, {"16n8k8", 16, 8}, {"16n8k32", 16, 32}, {"8n8k16", 8, 16}, {"8n8k4", 8, 4}};
  for (const auto &shape : shapes)
    for (size_t kind = 0; kind < std::size(kindNames); ++kind) {
      const std::string sum = kind == F64                ? "f64"
                              : kind == S8 || kind == U8 ? "s32"
                                                         : "f32",
                        each(kindNames[kind]),
                        whole = std::string(shape.shape) + ".row.col." + sum + "." + each + "." + each + "." +
                                sum + " ";
      if (text.starts_with(whole)) {
        op.numbers = {static_cast<int64_t>(kind), shape.m, shape.k};
        op.handler = multiply;
        return true;
      }
    }
  return false;
}

} // namespace phobos::emulate
