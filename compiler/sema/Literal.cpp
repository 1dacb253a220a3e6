#include "compiler/sema/Literal.h"
#include "runtime/contract/Numeric.h"
#include <cmath>
#include <cstdio>

namespace phobos::sema {

using B = ast::BinaryOp;

static bool needsIntegers(B op) {
  return op == B::Rem || op == B::And || op == B::Or || op == B::Xor || op == B::Shl || op == B::Shr;
}

static std::optional<__int128> shifted(__int128 a, __int128 n, bool left) {
  if (n < 0 || n >= 64)
    return left || a >= 0 ? 0 : -1;
  if (!left)
    return a >> static_cast<int>(n);
  __int128 r;
  if (__builtin_mul_overflow(a, static_cast<__int128>(1) << static_cast<int>(n), &r))
    return std::nullopt;
  return r;
}

static std::optional<__int128> apply(B op, __int128 a, __int128 b) {
  __int128 r;
  switch (op) {
  case B::Add:
    return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case B::Sub:
    return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case B::Mul:
    return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case B::Div: // total: x / 0 is 0
    return b == 0 ? 0 : b == -1 ? apply(B::Sub, 0, a) : std::optional(a / b);
  case B::Rem: // total: x % 0 is x
    return b == 0 ? a : b == -1 ? 0 : a % b;
  case B::And:
    return a & b;
  case B::Or:
    return a | b;
  case B::Xor:
    return a ^ b;
  case B::Shl:
  case B::Shr:
    return shifted(a, b, op == B::Shl);
  default:
    return std::nullopt;
  }
}

std::optional<__int128> integerValue(const Literal &l) {
  if (l.kind == Literal::Kind::Int)
    return l.intValue;
  std::optional<__int128> a, b;
  if (!l.a || !(a = integerValue(*l.a)))
    return std::nullopt;
  if (l.kind == Literal::Kind::Neg)
    return apply(B::Sub, 0, *a);
  if (l.kind == Literal::Kind::BitNot)
    return ~*a;
  if (l.kind != Literal::Kind::Binary || !(b = integerValue(*l.b)))
    return std::nullopt;
  return apply(l.binary, *a, *b);
}

/// `exact` rounded to `t`; nullopt if that loses a finite value to infinity or to saturation.
static std::optional<double> rounded(double exact, ScalarType t) {
  double r = numeric::roundTo(t, exact);
  // Saturated, not rounded: past the middle between the largest finite number and the next of its spacing (of
  // e5m2 in the middle too: there the next one is the even one).
  if ((t == ScalarType::F8E4M3 && std::fabs(exact) > 464) ||
      (t == ScalarType::F8E5M2 && std::fabs(exact) >= 61440))
    return std::nullopt;
  if (std::isinf(r) && !std::isinf(exact))
    return std::nullopt;
  return r;
}

std::optional<double> floatValue(const Literal &l, ScalarType t) {
  if (l.kind == Literal::Kind::Float) {
    if (std::isinf(l.floatValue) && !l.isInfinity)
      return std::nullopt;
    return rounded(l.floatValue, t);
  }
  bool integersOnly = l.kind == Literal::Kind::Int || l.kind == Literal::Kind::BitNot ||
                      (l.kind == Literal::Kind::Binary && needsIntegers(l.binary));
  if (integersOnly) {
    auto n = integerValue(l);
    return n ? rounded(static_cast<double>(*n), t) : std::nullopt;
  }
  std::optional<double> a, b;
  if (!l.a || !(a = floatValue(*l.a, t)))
    return std::nullopt;
  if (l.kind == Literal::Kind::Neg)
    return -*a;
  if (l.kind != Literal::Kind::Binary || !(b = floatValue(*l.b, t)))
    return std::nullopt;
  switch (l.binary) {
  case B::Add:
    return rounded(*a + *b, t);
  case B::Sub:
    return rounded(*a - *b, t);
  case B::Mul:
    return rounded(*a * *b, t);
  case B::Div:
    return rounded(*a / *b, t);
  default:
    return std::nullopt;
  }
}

bool holds(ScalarType t, __int128 value) {
  unsigned bits = bitWidth(t);
  __int128 one = 1;
  if (isSigned(t))
    return value >= -(one << (bits - 1)) && value < (one << (bits - 1));
  return value >= 0 && value < (one << bits);
}

static std::string decimal(__int128 n) {
  bool negative = n < 0;
  unsigned __int128 u = negative ? -static_cast<unsigned __int128>(n) : static_cast<unsigned __int128>(n);
  std::string digits;
  do
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(u % 10)));
  while (u /= 10);
  return negative ? "-" + digits : digits;
}

std::string spelled(const Literal &l) {
  if (!l.isConstant)
    return "this value";
  if (!l.isFloat) {
    auto n = integerValue(l);
    return n ? decimal(*n) : "this value";
  }
  auto x = floatValue(l, ScalarType::F64);
  if (!x)
    return "this value";
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", *x);
  return buffer;
}

} // namespace phobos::sema
