// Conversions between all pairs of types, on the host, against a reference that rounds exactly in 128-bit
// integers.
#include "compiler/target/common/Scalar.h"
#include "tests/common/HostJit.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <limits>
#include <random>

using namespace phobos;
using namespace phobos::testing;

namespace {

constexpr ScalarType allTypes[] = {ScalarType::Bool,   ScalarType::I8,  ScalarType::U8,    ScalarType::I32,
                                   ScalarType::U32,    ScalarType::I64, ScalarType::Index, ScalarType::F8E4M3,
                                   ScalarType::F8E5M2, ScalarType::F16, ScalarType::BF16,  ScalarType::F32,
                                   ScalarType::F64};

struct Format {
  int mantissa, bias;
  bool hasInfinity, saturates;
};
Format formatOf(ScalarType t) {
  switch (t) {
  case ScalarType::F8E4M3:
    return {3, 7, false, true};
  case ScalarType::F8E5M2:
    return {2, 15, true, true};
  case ScalarType::F16:
    return {10, 15, true, false};
  case ScalarType::BF16:
    return {7, 127, true, false};
  case ScalarType::F32:
    return {23, 127, true, false};
  default:
    return {52, 1023, true, false};
  }
}

/// A number as the reference sees it: sign * magnitude * 2^exponent, or a special.
struct Exact {
  enum { Finite, Infinite, NaN } kind = Finite;
  bool negative = false;
  unsigned __int128 magnitude = 0;
  int exponent = 0;
};

Exact decode(ScalarType t, uint64_t bits) {
  Exact e;
  if (t == ScalarType::Bool || isInteger(t)) {
    unsigned w = t == ScalarType::Bool ? 8 : bitWidth(t);
    int64_t v = isInteger(t) && isSigned(t) ? int64_t(bits << (64 - w)) >> (64 - w)
                                            : int64_t(bits << (64 - w) >> (64 - w));
    e.negative = v < 0;
    e.magnitude = e.negative ? uint64_t(0) - uint64_t(v) : uint64_t(v);
    return e;
  }
  Format f = formatOf(t);
  unsigned w = bitWidth(t);
  e.negative = bits >> (w - 1) & 1;
  uint64_t m = bits & ((uint64_t(1) << f.mantissa) - 1), ones = (uint64_t(1) << (w - 1 - f.mantissa)) - 1,
           x = bits >> f.mantissa & ones;
  if (x == ones && (f.hasInfinity || m == (uint64_t(1) << f.mantissa) - 1)) {
    e.kind = f.hasInfinity && m == 0 ? Exact::Infinite : Exact::NaN;
    return e;
  }
  e.magnitude = x ? m | uint64_t(1) << f.mantissa : m;
  e.exponent = int(x ? x : 1) - f.bias - f.mantissa;
  return e;
}

uint64_t maxFinite(ScalarType t) {
  Format f = formatOf(t);
  uint64_t all = (uint64_t(1) << (bitWidth(t) - 1)) - 1;
  return f.hasInfinity ? (all >> f.mantissa << f.mantissa) - 1 : all - 1;
}

uint64_t encodeFloat(ScalarType t, const Exact &e) {
  Format f = formatOf(t);
  uint64_t sign = uint64_t(e.negative) << (bitWidth(t) - 1),
           limit = f.saturates ? maxFinite(t) : maxFinite(t) + 1;
  if (e.kind == Exact::NaN)
    return ~uint64_t(0); // any NaN
  if (e.kind == Exact::Infinite)
    return sign | limit;
  if (e.magnitude == 0)
    return sign;
  int top = 0; // of the magnitude's highest bit
  while (e.magnitude >> top > 1)
    ++top;
  int least =
      std::max(top + e.exponent - f.mantissa, 1 - f.bias - f.mantissa); // exponent of the result's last place
  int drop = least - e.exponent;
  unsigned __int128 kept = drop <= 0 ? e.magnitude << -drop : drop > 120 ? 0 : e.magnitude >> drop;
  if (drop > 0 && drop <= 120) {
    unsigned __int128 rest = e.magnitude - (kept << drop), half = (unsigned __int128)1 << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  // `kept` in places of 2^least; as a bit pattern the exponent is added to it, the hidden bit adding one
  // more.
  int biased = least + f.bias + f.mantissa - 1;
  if (biased > 4096)
    return sign | limit;
  unsigned __int128 pattern = kept + ((unsigned __int128)biased << f.mantissa);
  return sign | (pattern > maxFinite(t) ? limit : uint64_t(pattern));
}

uint64_t encodeInt(ScalarType t, const Exact &e, bool fromFloat) {
  uint64_t mask = bitWidth(t) == 64 ? ~uint64_t(0) : (uint64_t(1) << bitWidth(t)) - 1;
  if (!fromFloat)
    return (e.negative ? uint64_t(0) - uint64_t(e.magnitude) : uint64_t(e.magnitude)) & mask;
  if (e.kind == Exact::NaN)
    return 0;
  uint64_t most = isSigned(t) ? mask >> 1 : mask, least = isSigned(t) ? most + 1 : 0; // magnitudes
  uint64_t limit = e.negative ? least : most;
  unsigned __int128 m = limit;
  if (e.kind == Exact::Finite)
    m = e.exponent > 64 && e.magnitude ? limit
        : e.exponent >= 0              ? e.magnitude << e.exponent
        : e.exponent < -120            ? 0
                                       : e.magnitude >> -e.exponent;
  uint64_t v = m > limit ? limit : uint64_t(m);
  return (e.negative ? uint64_t(0) - v : v) & mask;
}

uint64_t reference(ScalarType from, ScalarType to, uint64_t bits) {
  if (from == to)
    return bits; // an infinite f8e5m2 stays one
  Exact e = decode(from, bits);
  if (to == ScalarType::Bool)
    return e.kind != Exact::Finite || e.magnitude != 0;
  return isFloat(to) ? encodeFloat(to, e) : encodeInt(to, e, isFloat(from));
}

/// Bit patterns of `t`: all of them up to 16 bits; of the wider, those around every power of two and every
/// rounding boundary of the narrower types, and random ones.
std::vector<uint64_t> patterns(ScalarType t) {
  std::vector<uint64_t> r;
  if (t == ScalarType::Bool)
    return {0, 1};
  unsigned w = bitWidth(t);
  if (w <= 16) {
    for (uint64_t i = 0; i < uint64_t(1) << w; ++i)
      r.push_back(i);
    return r;
  }
  std::mt19937_64 random(3);
  auto add = [&](uint64_t v) {
    for (int64_t d : {-2, -1, 0, 1, 2})
      r.push_back((v + uint64_t(d)) & (w == 64 ? ~uint64_t(0) : (uint64_t(1) << w) - 1));
  };
  for (unsigned i = 0; i < w; ++i)
    for (unsigned j = 0; j <= i; ++j) {
      add(uint64_t(1) << i | uint64_t(1) << j);
      add(0 - (uint64_t(1) << i | uint64_t(1) << j));
      for (unsigned k = 0; k <= j; k += 3)
        add(uint64_t(1) << i | uint64_t(1) << j | uint64_t(1) << k);
    }
  if (isFloat(t)) // each exponent with mantissas of few bits: ties of every narrower type
    for (uint64_t x = 0; x < uint64_t(1) << (w - 1 - formatOf(t).mantissa);
         x += t == ScalarType::F64 && (x < 850 || x > 1160) ? 7 : 1)
      for (int hi = 0; hi < 32; ++hi)
        for (int i = 0; i < 3; ++i) {
          uint64_t m = uint64_t(hi) << (formatOf(t).mantissa - 5) |
                       (i ? uint64_t(1) << (random() % (formatOf(t).mantissa - 4)) : 0);
          uint64_t v = x << formatOf(t).mantissa | m;
          r.insert(r.end(), {v, v + 1, v | uint64_t(1) << (w - 1)});
          if (v)
            r.push_back(v - 1);
        }
  for (int i = 0; i < 20000; ++i)
    r.push_back(random() >> (64 - w) >> (isFloat(t) ? 0 : random() % w));
  return r;
}

std::vector<uint8_t> pack(const std::vector<uint64_t> &values, unsigned bytes) {
  std::vector<uint8_t> r(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(&r[i * bytes], &values[i], bytes);
  return r;
}

bool isNaNPattern(ScalarType t, uint64_t bits) { return isFloat(t) && decode(t, bits).kind == Exact::NaN; }

void checkPair(HostJit &jit, ScalarType from, ScalarType to, unsigned width,
               const target::ScalarTarget &target) {
  std::vector<uint64_t> x = patterns(from);
  padTo(x, width);
  std::vector<uint8_t> in = pack(x, byteSize(from)), out(x.size() * byteSize(to));
  auto f = jit.compile({from}, to, width,
                       [&](auto &b, auto a) { return target::emitConvert(b, a[0], from, to, target); });
  const void *arrays[] = {in.data()};
  f(arrays, out.data(), int64_t(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    uint64_t got = 0, expected = reference(from, to, x[i]);
    std::memcpy(&got, &out[i * byteSize(to)], byteSize(to));
    if (expected == ~uint64_t(0) && isFloat(to)) {
      ASSERT_TRUE(isNaNPattern(to, got))
          << name(from) << " to " << name(to) << " of " << std::hex << x[i] << ": " << got;
      continue;
    }
    ASSERT_EQ(got, expected) << name(from) << " to " << name(to) << " of " << std::hex << x[i] << ", width "
                             << width;
  }
}

class ConvertFrom : public ::testing::TestWithParam<ScalarType> {};

TEST_P(ConvertFrom, EveryTypeInVectors) {
  HostJit jit;
  for (ScalarType to : allTypes)
    checkPair(jit, GetParam(), to, 16, {});
}
TEST_P(ConvertFrom, EveryTypeWithoutAvx512) {
  HostJit jit("haswell");
  for (ScalarType to : allTypes)
    checkPair(jit, GetParam(), to, 8, {});
}
TEST_P(ConvertFrom, EveryTypeInScalars) {
  HostJit jit;
  for (ScalarType to : allTypes)
    checkPair(jit, GetParam(), to, 1, {});
}
TEST_P(ConvertFrom, EveryTypeWithoutF16Instructions) {
  HostJit jit;
  target::ScalarTarget plain;
  plain.hasF16c = false;
  for (ScalarType to : allTypes)
    if (GetParam() == ScalarType::F16 || to == ScalarType::F16)
      checkPair(jit, GetParam(), to, 8, plain);
}

INSTANTIATE_TEST_SUITE_P(Types, ConvertFrom, ::testing::ValuesIn(allTypes),
                         [](const auto &info) { return std::string(name(info.param)); });

} // namespace
