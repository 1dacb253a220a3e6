// Arithmetic that the host has no instruction for: approximations, for which the right result stands, and
// conversions of narrow floats.
#include "runtime/contract/Numeric.h"
#include "tests/emulate/Operations.h"
#include <cmath>

namespace phobos::emulate {

double decode(std::string_view type, uint64_t bits) {
  if (type == "bf16")
    return fromWord<float>((bits & 0xffff) << 16);
  if (type == "f16") {
    static const std::vector<double> all = [] {
      std::vector<double> values;
      for (uint64_t k = 0; k < 0x10000; ++k)
        values.push_back(numeric::decodeFloat(ScalarType::F16, k));
      return values;
    }();
    return all[bits & 0xffff];
  }
  if (type == "e4m3")
    return numeric::decodeFloat(ScalarType::F8E4M3, bits & 0xff);
  if (type == "e5m2")
    return numeric::decodeFloat(ScalarType::F8E5M2, bits & 0xff);
  // PTX ISA, "Alternate floating point data formats": the lower 13 bits of a tf32 are not looked at.
  return fromWord<float>(type == "tf32" ? bits & 0xffffe000 : bits & 0xffffffff);
}

namespace {

/// .ftz: subnormal operands and results are zeros of their sign.
float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

template <double (*F)(double), bool Flushes>
void real(Machine &, const Operation &, const uint64_t *in, uint64_t *out) {
  const auto x = fromWord<float>(in[0]);
  const auto y = static_cast<float>(F(Flushes ? flushed(x) : x));
  out[0] = toWord(Flushes ? flushed(y) : y);
}
double exp2Of(double x) { return std::exp2(x); }
double rsqrtOf(double x) { return 1 / std::sqrt(x); }
double rcpOf(double x) { return 1 / x; }

void sqrtFloat(Machine &, const Operation &, const uint64_t *in, uint64_t *out) {
  out[0] = toWord(std::sqrt(fromWord<float>(in[0])));
}
void sqrtDouble(Machine &, const Operation &, const uint64_t *in, uint64_t *out) {
  out[0] = toWord(std::sqrt(fromWord<double>(in[0])));
}

/// PTX ISA, "cvt.rna": to nearest, ties away from zero; 10 bits stay.
void toTf32(Machine &, const Operation &, const uint64_t *in, uint64_t *out) {
  const auto bits = static_cast<uint32_t>(in[0]);
  const bool isFinite = (bits & 0x7f800000) != 0x7f800000;
  out[0] = (isFinite ? bits + 0x1000 : bits) & 0xffffe000;
}

/// PTX ISA, "cvt" to e4m3x2: the first operand goes to the upper half; satfinite.
void narrow(Machine &, const Operation &op, const uint64_t *in, uint64_t *out) {
  const auto type = static_cast<ScalarType>(op.numbers[0]);
  out[0] = numeric::encodeFloat(type, fromWord<float>(in[0])) << 8 |
           numeric::encodeFloat(type, fromWord<float>(in[1]));
}
void widen(Machine &, const Operation &op, const uint64_t *in, uint64_t *out) {
  const auto type = static_cast<ScalarType>(op.numbers[0]);
  auto half = [&](uint64_t bits) {
    return numeric::bitsOf(ScalarType::F16, numeric::decodeFloat(type, bits & 0xff));
  };
  out[0] = half(in[0]) | half(in[0] >> 8) << 16;
}

} // namespace

bool findNumber(std::string_view text, Operation &op) {
  struct Known {
    std::string_view text;
    Operation::Handler handler;
    ScalarType type = ScalarType::F32;
  };
  static constexpr Known known[] = {
      {"ex2.approx.ftz.f32", real<exp2Of, true>},
      {"rsqrt.approx.f", real<rsqrtOf, false>},
      {"rcp.approx.ftz.f", real<rcpOf, true>},
      {"sqrt.rn.f", sqrtFloat},
      {"sqrt.rn.d", sqrtDouble},
      {"cvt.rna.tf32.f32 $0, $1;", toTf32},
      {"ff.to.e4m3x2.rn", narrow, ScalarType::F8E4M3},
      {"ff.to.e5m2x2.rn", narrow, ScalarType::F8E5M2},
      {"e4m3x2.to.f16x2.rn", widen, ScalarType::F8E4M3},
      {"e5m2x2.to.f16x2.rn", widen, ScalarType::F8E5M2},
  };
  for (const Known &k : known)
    if (k.text == text) {
      op.handler = k.handler;
      op.numbers = {static_cast<int64_t>(k.type)};
      return true;
    }
  return false;
}

} // namespace phobos::emulate
