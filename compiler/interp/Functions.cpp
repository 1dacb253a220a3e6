#include "compiler/interp/Functions.h"
#include <bit>
#include <cmath>

namespace phobos::interp {

using sema::Op;

/// The functions over either type of real; `Real` is double or long double.
template <typename Real> static Function function(Op op) {
  switch (op) {
  case Op::Abs:
    return [](double x) { return std::fabs(x); };
  case Op::Floor:
    return [](double x) { return std::floor(x); };
  case Op::Ceil:
    return [](double x) { return std::ceil(x); };
  case Op::Round:
    return [](double x) { return std::nearbyint(x); }; // the default rounding mode: ties to even
  case Op::Exp:
    return [](double x) { return static_cast<double>(std::exp(Real(x))); };
  case Op::Exp2:
    return [](double x) { return static_cast<double>(std::exp2(Real(x))); };
  case Op::Log:
    return [](double x) { return static_cast<double>(std::log(Real(x))); };
  case Op::Log2:
    return [](double x) { return static_cast<double>(std::log2(Real(x))); };
  case Op::Sqrt:
    return [](double x) { return std::sqrt(x); };
  case Op::Rsqrt:
    return [](double x) { return static_cast<double>(1 / std::sqrt(Real(x))); };
  case Op::Tanh:
    return [](double x) { return static_cast<double>(std::tanh(Real(x))); };
  case Op::Sigmoid:
    return [](double x) { return static_cast<double>(1 / (1 + std::exp(-Real(x)))); };
  case Op::Erf:
    return [](double x) { return static_cast<double>(std::erf(Real(x))); };
  case Op::Sin:
    return [](double x) { return static_cast<double>(std::sin(Real(x))); };
  case Op::Cos:
    return [](double x) { return static_cast<double>(std::cos(Real(x))); };
  default:
    return [](double x) { return x; };
  }
}

Function narrowFunction(Op op) { return function<double>(op); }
Function wideFunction(Op op) { return function<long double>(op); }

double powNarrow(double x, double y) { return std::pow(x, y); }
double powWide(double x, double y) {
  return static_cast<double>(std::pow(static_cast<long double>(x), static_cast<long double>(y)));
}

int64_t powInt(int64_t x, int64_t y) {
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
  uint64_t result = 1, base = static_cast<uint64_t>(x);
  for (; y; y >>= 1, base *= base)
    if (y & 1)
      result *= base;
  return static_cast<int64_t>(result);
}

double fmaToOdd(double x, double y, double z) {
  double p = x * y; // exact: 24 bits by 24
  double s = p + z;
  if (!std::isfinite(s))
    return s;
  // What the sum lost, exactly (Knuth's TwoSum). If anything, the result is to be the neighbour with an odd
  // last bit.
  double zVirtual = s - p, lost = (p - (s - zVirtual)) + (z - zVirtual);
  uint64_t bits = std::bit_cast<uint64_t>(s);
  if (lost == 0 || (bits & 1))
    return s;
  bool away = (lost > 0) == (s > 0); // the exact sum is larger in magnitude than s
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

} // namespace phobos::interp
