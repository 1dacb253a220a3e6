// wgmma: begun where the instruction stands, done when a thread waits for its group. What the registers hold
// in between is not known on the hardware; here each is a NaN that says which sum it will be, and becomes the
// sum where it goes through the wait. So what reads a sum too early reads a NaN.
#include "tests/emulate/Wgmma.h"
#include "tests/emulate/Operations.h"
#include <algorithm>
#include <cstring>

namespace phobos::emulate {

namespace {

constexpr uint32_t kToken = 0xffc00000, kNumber = 0x3fffff; // from 1: the host's own NaN is 0

/// Numbers of an operation.
enum Number : uint8_t { Columns, IsBf16, TransA, TransB };

/// Where an operand's element lies, by its descriptor (PTX ISA, "Matrix Descriptor Format", "Strides",
/// "Swizzling modes"): rows of 128, 64 or 32 bytes, eight of them a pattern whose 16-byte chunks are permuted
/// by the row, which is a permutation of address bits. Rows run along k, and eights of them follow at the
/// stride offset; or along the free axis, then eights of k follow at the stride offset and the next bytes of
/// the free axis at the leading offset.
struct Descriptor {
  uint64_t start, leading, stride, width;
  explicit Descriptor(uint64_t bits)
      : start((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4), stride((bits >> 32 & 0x3fff) << 4),
        width(bits >> 62 == 1   ? 128
              : bits >> 62 == 2 ? 64
              : bits >> 62 == 3 ? 32
                                : 0) {}
  uint64_t address(uint64_t free, uint64_t k, bool alongK) const {
    const uint64_t row = alongK ? free : k, byte = 2 * (alongK ? k : free);
    const uint64_t at = start + row / 8 * stride + row % 8 * width + byte % width + byte / width * leading;
    return at ^ (at >> 3 & (width / 16 - 1) << 4);
  }
};

std::vector<uint16_t> read(Machine &m, const Operation &op, uint64_t bits, unsigned extent, bool alongK) {
  const Descriptor d(bits);
  if (d.width == 0 || (bits >> 49 & 7))
    m.fail(op, "not emulated: a descriptor without a swizzle, or with a base offset");
  auto addressOf = [&](unsigned free, unsigned k) { return m.memory.sharedOf(d.address(free, k, alongK)); };
  // Chunks of 16 bytes stay whole. All four warps read them; a warp waits for its products as one, so that
  // its first thread stands for it.
  for (unsigned free = 0; free < extent; free += alongK ? 1 : 8)
    for (unsigned k = 0; k < 16; k += alongK ? 8 : 1)
      for (unsigned warp = 0; warp < 4; ++warp)
        m.check(op, {.bytes = 16, .align = 16, .isShared = true}, addressOf(free, k),
                m.current() / 128 * 128 + 32 * warp);
  std::vector<uint16_t> out;
  for (unsigned free = 0; free < extent; ++free)
    for (unsigned k = 0; k < 16; ++k) {
      const uint64_t address = addressOf(free, k);
      uint16_t element = 0;
      std::memcpy(&element, reinterpret_cast<const void *>(address), 2);
      out.push_back(element);
    }
  return out;
}
std::vector<uint16_t> readA(Machine &m, const Product &p) {
  return read(m, *p.op, p.a, 64, !p.op->numbers[TransA]);
}
std::vector<uint16_t> readB(Machine &m, const Product &p) {
  return read(m, *p.op, p.b, static_cast<unsigned>(p.op->numbers[Columns]), !p.op->numbers[TransB]);
}

/// The product and register of a token; null for an ordinary value.
Product *productOf(Warpgroup &w, uint32_t bits, size_t &at) {
  const uint32_t number = bits & kNumber;
  if ((bits & ~kNumber) != kToken || number == 0)
    return nullptr;
  auto after = std::upper_bound(w.products.begin(), w.products.end(), number,
                                [](uint32_t n, const Product &p) { return n < p.firstToken; });
  if (after == w.products.begin())
    return nullptr;
  Product &p = *--after;
  at = number - p.firstToken;
  return at < static_cast<size_t>(p.op->numbers[Columns] / 2) ? &p : nullptr;
}

/// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16": thread 32 w + 4 g + t has in register q row 16
/// w + g + 8 (q / 2 % 2), column 8 (q / 4) + 2 t + q % 2.
void finish(Machine &m, Warpgroup &w, Product &p) {
  if (readA(m, p) != p.aBits || readB(m, p) != p.bBits)
    m.fail(*p.op, "an operand in shared memory is written while the product is under way");
  const auto columns = static_cast<size_t>(p.op->numbers[Columns]), sums = columns / 2;
  const char *type = p.op->numbers[IsBf16] ? "bf16" : "f16";
  auto values = [&](const std::vector<uint16_t> &bits) {
    std::vector<double> out;
    for (uint16_t x : bits)
      out.push_back(decode(type, x));
    return out;
  };
  const std::vector<double> a = values(p.aBits), b = values(p.bBits);
  for (size_t t = 0; t < 128; ++t)
    for (size_t q = 0; q < sums; ++q) {
      uint32_t &sum = p.sums[t * sums + q];
      size_t at = 0;
      if (Product *before = productOf(w, sum, at))
        sum = before->sums[t * sums + at]; // done: it was begun earlier
      const size_t row = t / 32 * 16 + t % 32 / 4 + 8 * (q / 2 % 2), col = 8 * (q / 4) + 2 * (t % 4) + q % 2;
      double total = fromWord<float>(sum);
      for (size_t k = 0; k < 16; ++k)
        total += a[row * 16 + k] * b[col * 16 + k];
      sum = static_cast<uint32_t>(toWord(static_cast<float>(total)));
    }
  p.isDone = true;
  p.aBits.clear(), p.bBits.clear();
}

/// Operands: the sums, two descriptors.
void multiply(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  const auto sums = static_cast<size_t>(op.numbers[Columns] / 2);
  m.together(op, 128, in, out, [&](Meeting &all, unsigned first) {
    Warpgroup &w = m.warpgroup(first / 128);
    Product p;
    p.op = &op;
    p.a = all.in[0][sums], p.b = all.in[0][sums + 1];
    p.group = w.committed;
    p.firstToken = w.products.empty() ? 1
                                      : w.products.back().firstToken +
                                            static_cast<uint32_t>(w.products.back().op->numbers[Columns] / 2);
    if (p.firstToken + sums > kNumber)
      m.fail(op, "not emulated: so many products in one block");
    for (size_t t = 0; t < 128; ++t) {
      // PTX ISA, "Async proxy": what threads wrote is read by another way, and a fence goes between.
      if (!m.thread(first + static_cast<unsigned>(t)).isProxyFenced)
        m.fail(op, "no fence.proxy.async after the barrier or signal that handed over the operands");
      if (all.in[t][sums] != p.a || all.in[t][sums + 1] != p.b)
        m.fail(op, "the threads of a warpgroup have descriptors that differ");
      for (size_t q = 0; q < sums; ++q) {
        const auto bits = static_cast<uint32_t>(all.in[t][q]);
        size_t at = 0;
        Product *before = productOf(w, bits, at);
        if (before && before->op->numbers != op.numbers)
          m.fail(op, "sums of a product of another shape that is under way");
        if (!before && !w.isFenced) // PTX ISA, "wgmma.fence"
          m.fail(op, "no wgmma.fence after its sums were written");
        p.sums.push_back(bits);
        all.out[t][q] = kToken | (p.firstToken + static_cast<uint32_t>(q));
      }
    }
    p.aBits = readA(m, p), p.bBits = readB(m, p);
    w.products.push_back(std::move(p));
  });
}

/// The group is closed with its last warp.
void commit(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  m.together(op, 128, in, out, [&](Meeting &, unsigned first) {
    ++m.warpgroup(first / 128).committed;
    m.warpgroup(first / 128).isFenced = false;
    for (unsigned t = first; t < first + 128; ++t)
      ++m.thread(t).productGroups;
  });
}

/// Number: groups that may be under way after. Operands and results: registers that may hold sums.
void wait(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  Thread &self = m.self();
  const auto pending = static_cast<uint32_t>(op.numbers[0]);
  if (self.productGroups > pending)
    self.settled = std::max(self.settled, self.productGroups - pending);
  Warpgroup &w = m.warpgroup(m.current() / 128);
  for (Product &p : w.products)
    if (!p.isDone && p.group < self.settled)
      finish(m, w, p);
  for (size_t k = 0; k < op.results; ++k) {
    size_t at = 0;
    Product *p = productOf(w, static_cast<uint32_t>(in[k]), at);
    const bool isOver = p && p->group < self.settled;
    out[k] =
        isOver ? p->sums[m.current() % 128 * static_cast<size_t>(p->op->numbers[Columns] / 2) + at] : in[k];
  }
}

void fence(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  m.together(op, 128, in, out, [&](Meeting &, unsigned first) { m.warpgroup(first / 128).isFenced = true; });
}

/// The number at the start of `text`, which is taken.
int64_t takeNumber(std::string_view &text) {
  int64_t n = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1))
    n = 10 * n + (text[0] - '0');
  return n;
}

} // namespace

bool findProduct(std::string_view text, Operation &op) {
  if (text == "wgmma.fence.sync.aligned" || text == "wgmma.commit_group.sync.aligned") {
    op.handler = text == "wgmma.fence.sync.aligned" ? fence : commit;
    return true;
  }
  if (takePrefix(text, "wgmma.wait_group.sync.aligned ")) {
    op.numbers = {takeNumber(text)};
    op.handler = wait;
    return text == ";";
  }
  if (!takePrefix(text, "{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n"))
    return false;
  const int64_t columns = takeNumber(text);
  const bool isBf16 = text.starts_with("k16.f32.bf16.bf16 ");
  if (!isBf16 && !text.starts_with("k16.f32.f16.f16 "))
    return false;
  // The sums are added to, p is true; both operands as they are; the last two say which run along the free
  // axis.
  const size_t tail = text.find(", p, 1, 1, ");
  if (tail == std::string_view::npos)
    return false;
  text.remove_prefix(tail + 11);
  if (text.size() != 6 || text.substr(1, 2) != ", " || text.substr(4) != ";}")
    return false;
  op.numbers = {columns, isBf16, text[0] == '1', text[3] == '1'};
  op.handler = multiply;
  return true;
}

} // namespace phobos::emulate
