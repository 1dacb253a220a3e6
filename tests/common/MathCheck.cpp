#include "tests/common/MathCheck.h"
#include <bit>
#include <cmath>
#include <limits>

namespace phobos::testing {
using target::MathFunction;

namespace {
template <typename T> T sigmoid(T x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
template <typename T> T rsqrt(T x) { return 1 / std::sqrt(x); }

constexpr MathCase cases[] = {
    {"exp", MathFunction::Exp, std::exp, std::exp, 1.5, 4},
    {"exp2", MathFunction::Exp2, std::exp2, std::exp2, 2, 4},
    {"log", MathFunction::Log, std::log, std::log, 3, 4},
    {"log2", MathFunction::Log2, std::log2, std::log2, 3, 4},
    {"sqrt", MathFunction::Sqrt, std::sqrt, std::sqrt, 0.5, 0.51},
    {"rsqrt", MathFunction::Rsqrt, rsqrt, rsqrt, 2, 4},
    {"tanh", MathFunction::Tanh, std::tanh, std::tanh, 4, 4},
    {"sigmoid", MathFunction::Sigmoid, sigmoid, sigmoid, 4, 4},
    {"erf", MathFunction::Erf, std::erf, std::erf, 4, 4},
    {"sin", MathFunction::Sin, std::sin, std::sin, 4, 4},
    {"cos", MathFunction::Cos, std::cos, std::cos, 4, 4},
    {"abs", MathFunction::Abs, std::fabs, std::fabs, 0, 0},
    {"floor", MathFunction::Floor, std::floor, std::floor, 0, 0},
    {"ceil", MathFunction::Ceil, std::ceil, std::ceil, 0, 0},
    {"round", MathFunction::Round, std::nearbyint, std::nearbyint, 0, 0},
};

template <typename T, typename Wide> double ulps(T got, Wide exact) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0 : infinite;
  if (exact == 0)
    return got != 0 || std::signbit(got) != std::signbit(exact) ? infinite : 0;
  Wide past = std::ldexp(Wide(1), std::numeric_limits<T>::max_exponent);
  auto finite = [&](Wide v) { return v > past ? past : v < -past ? -past : v; };
  int exponent = std::max(std::ilogb(finite(exact)), std::numeric_limits<T>::min_exponent - 1);
  exponent = std::min(exponent, std::numeric_limits<T>::max_exponent - 1);
  return double(std::ldexp(std::fabs(finite(Wide(got)) - finite(exact)),
                           std::numeric_limits<T>::digits - 1 - exponent));
}
} // namespace

std::span<const MathCase> mathCases() { return cases; }
double ulpsF32(float got, double exact) { return ulps(got, exact); }
double ulpsF64(double got, long double exact) { return ulps(got, exact); }

Kernel compileMath(HostJit &jit, MathFunction fn, ScalarType type, unsigned width, unsigned operands) {
  std::vector<ScalarType> in(operands, type);
  return jit.compile(in, type, width, [&](auto &b, auto args) { return target::emitMath(b, fn, args, {}); });
}

Worst compareF32(const MathCase &m, Kernel f, uint64_t first, uint64_t end, uint64_t stride) {
  constexpr size_t chunk = 4096;
  std::vector<float> x(chunk), y(chunk);
  Worst worst;
  for (uint64_t at = first; at < end;) {
    size_t n = 0;
    for (; n < chunk && at < end; at += stride)
      x[n++] = std::bit_cast<float>(uint32_t(at));
    const void *in[] = {x.data()};
    f(in, y.data(), chunk);
    for (size_t i = 0; i < n; ++i) {
      double exact = m.reference(x[i]);
      if (worst.ulps >= 0.5 && y[i] == float(exact))
        continue; // correctly rounded: at most half an ulp
      double e = ulps(y[i], exact);
      if (e > worst.ulps)
        worst = {e, x[i], y[i]};
    }
  }
  return worst;
}

} // namespace phobos::testing
