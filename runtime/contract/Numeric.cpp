#include "runtime/contract/Numeric.h"
#include <bit>
#include <cmath>
#include <limits>

namespace phobos::numeric {

namespace {
/// A binary floating format: 1 sign bit, `exponentBits`, `mantissaBits`.
struct Format {
  int exponentBits, mantissaBits;
  bool hasInfinity; ///< false: the largest exponent holds numbers too, and only all ones is NaN (f8e4m3)
  bool saturates;
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int maxExponent() const { return (1 << exponentBits) - 1; } ///< the biased exponent of all ones
  uint64_t mantissaMask() const { return (uint64_t(1) << mantissaBits) - 1; }
  uint64_t infinity() const { return uint64_t(maxExponent()) << mantissaBits; }
  uint64_t nan() const {
    return hasInfinity ? infinity() | (uint64_t(1) << (mantissaBits - 1)) : infinity() | mantissaMask();
  }
  uint64_t largest() const { return hasInfinity ? infinity() - 1 : (infinity() | mantissaMask()) - 1; }
};
} // namespace

static Format formatOf(ScalarType t) {
  switch (t) {
  case ScalarType::F8E4M3:
    return {4, 3, false, true};
  case ScalarType::F8E5M2:
    return {5, 2, true, true};
  case ScalarType::F16:
    return {5, 10, true, false};
  case ScalarType::BF16:
    return {8, 7, true, false};
  case ScalarType::F32:
    return {8, 23, true, false};
  default:
    return {11, 52, true, false};
  }
}

double decodeFloat(ScalarType t, uint64_t bits) {
  if (t == ScalarType::F64)
    return std::bit_cast<double>(bits);
  if (t == ScalarType::F32)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  Format f = formatOf(t);
  int exponent = static_cast<int>(bits >> f.mantissaBits) & f.maxExponent();
  uint64_t mantissa = bits & f.mantissaMask();
  bool negative = (bits >> (f.exponentBits + f.mantissaBits)) & 1;
  uint64_t sign = negative ? uint64_t(1) << 63 : 0;
  bool isNaN = exponent == f.maxExponent() && (f.hasInfinity ? mantissa != 0 : mantissa == f.mantissaMask());
  if (isNaN)
    return std::numeric_limits<double>::quiet_NaN();
  if (f.hasInfinity && exponent == f.maxExponent())
    return std::bit_cast<double>(sign | 0x7ff0000000000000u);
  if (exponent == 0) { // subnormal: mantissa * 2^(1 - bias - mantissaBits)
    double magnitude = std::ldexp(static_cast<double>(mantissa), 1 - f.bias() - f.mantissaBits);
    return negative ? -magnitude : magnitude;
  }
  return std::bit_cast<double>(sign | uint64_t(exponent - f.bias() + 1023) << 52 |
                               mantissa << (52 - f.mantissaBits));
}

uint64_t encodeFloat(ScalarType t, double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  if (t == ScalarType::F64)
    return bits;
  Format f = formatOf(t);
  uint64_t sign = (bits >> 63) << (f.exponentBits + f.mantissaBits);
  if (x != x)
    return sign | f.nan();
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  if (exponent == 0) // zero, or a double so small that every narrower type rounds it to zero
    return sign;
  uint64_t overflow = f.saturates ? f.largest() : f.infinity();
  if (exponent == 0x7ff)
    return sign | overflow;
  uint64_t mantissa = (bits & ((uint64_t(1) << 52) - 1)) | (uint64_t(1) << 52);
  // x = mantissa * 2^(exponent - 1075). Keep mantissaBits + 1 leading bits of a normal result, fewer of a
  // subnormal one.
  int biased = exponent - 1023 + f.bias();
  int drop = 52 - f.mantissaBits + (biased < 1 ? 1 - biased : 0);
  if (drop > 53) // below half of the smallest subnormal
    return sign;
  uint64_t kept = mantissa >> drop, rest = mantissa & ((uint64_t(1) << drop) - 1),
           half = uint64_t(1) << (drop - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // `kept` holds the implicit bit of a normal result, so adding it to (biased - 1) << mantissaBits carries
  // where it must.
  uint64_t result = kept + (biased < 1 ? 0 : uint64_t(biased - 1) << f.mantissaBits);
  return sign | (biased > f.maxExponent() || result > f.largest() ? overflow : result);
}

uint64_t bitsOf(ScalarType t, double x) {
  if (t == ScalarType::F8E5M2 && std::isinf(x))
    return x < 0 ? 0xfc : 0x7c;
  return encodeFloat(t, x);
}

double roundTo(ScalarType t, double x) {
  if (t == ScalarType::F64)
    return x;
  if (t == ScalarType::F32)
    return static_cast<float>(x);
  return decodeFloat(t, encodeFloat(t, x));
}

int64_t floatToInt(ScalarType t, double x) {
  if (t == ScalarType::Bool)
    return x != 0;
  if (x != x)
    return 0;
  unsigned width = bitWidth(t);
  double limit =
      std::ldexp(1.0, static_cast<int>(isSigned(t) ? width - 1 : width)); // the first value too large
  double whole = std::trunc(x);
  if (!isSigned(t) && whole < 0)
    return 0;
  if (whole >= limit)
    return isSigned(t) && width == 64
               ? std::numeric_limits<int64_t>::max()
               : static_cast<int64_t>((uint64_t(1) << (isSigned(t) ? width - 1 : width)) - 1);
  if (whole < -limit)
    return -static_cast<int64_t>((uint64_t(1) << (width - 1)) - 1) - 1;
  return static_cast<int64_t>(whole);
}

int64_t wrapTo(ScalarType t, int64_t x) {
  switch (t) {
  case ScalarType::Bool:
    return x != 0;
  case ScalarType::I8:
    return static_cast<int8_t>(x);
  case ScalarType::U8:
    return static_cast<uint8_t>(x);
  case ScalarType::I32:
    return static_cast<int32_t>(x);
  case ScalarType::U32:
    return static_cast<uint32_t>(x);
  default:
    return x;
  }
}

double intToFloat(ScalarType t, int64_t x) {
  if (t == ScalarType::F64)
    return static_cast<double>(x);
  if (t == ScalarType::F32)
    return static_cast<float>(x);
  // Through a double rounded to odd: the lowest bit of the 53 says that something below it was dropped, so
  // that the second rounding sees no false tie.
  uint64_t magnitude = x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  int drop = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 53);
  uint64_t kept = magnitude >> drop;
  kept |= (kept << drop) != magnitude;
  double odd = std::ldexp(static_cast<double>(kept), drop);
  return roundTo(t, x < 0 ? -odd : odd);
}

} // namespace phobos::numeric
