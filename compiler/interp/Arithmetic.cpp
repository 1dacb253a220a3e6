#include "compiler/interp/Arithmetic.h"
#include "compiler/host/Philox.h"
#include "compiler/interp/Functions.h"
#include "runtime/contract/Numeric.h"
#include <bit>
#include <cmath>

namespace phobos::interp {

using sema::Op;

// Every operation is a loop in double or int64 and then one over the results that brings them to the type.
// For f32 and narrower,
// + - * / and sqrt in double and one rounding are the correctly rounded results: 53 bits are at least 2 * 24
// + 2.

void roundCells(ScalarType t, double *cells, size_t n) {
  if (t == ScalarType::F64)
    return;
  if (t == ScalarType::F32)
    for (size_t i = 0; i < n; ++i)
      cells[i] = static_cast<float>(cells[i]);
  else
    for (size_t i = 0; i < n; ++i)
      cells[i] = numeric::roundTo(t, cells[i]);
}

void wrapCells(ScalarType t, int64_t *cells, size_t n) {
  if (t == ScalarType::I64 || t == ScalarType::Index)
    return;
  if (t == ScalarType::I32)
    for (size_t i = 0; i < n; ++i)
      cells[i] = static_cast<int32_t>(cells[i]);
  else
    for (size_t i = 0; i < n; ++i)
      cells[i] = numeric::wrapTo(t, cells[i]);
}

template <typename F> static Value mapFloats(ScalarType t, const Value &a, const Value &b, F f) {
  Value r(std::max(a.size(), b.size()));
  const double *x = a.floats(), *y = b.floats();
  size_t dx = !a.isSplat(), dy = !b.isSplat();
  double *out = r.floats();
  for (size_t i = 0; i < r.size(); ++i)
    out[i] = f(x[i * dx], y[i * dy]);
  roundCells(t, out, r.size());
  return r;
}

template <typename F> static Value mapInts(ScalarType t, const Value &a, const Value &b, F f) {
  Value r(std::max(a.size(), b.size()));
  const int64_t *x = a.ints(), *y = b.ints();
  size_t dx = !a.isSplat(), dy = !b.isSplat();
  int64_t *out = r.ints();
  for (size_t i = 0; i < r.size(); ++i)
    out[i] = static_cast<int64_t>(f(x[i * dx], y[i * dy]));
  wrapCells(t, out, r.size());
  return r;
}

static uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }

double maxOf(double a, double b) {
  if (a != a || b != b)
    return a + b; // a NaN
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}

double minOf(double a, double b) {
  if (a != a || b != b)
    return a + b;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}

// Division never traps: by 0 the quotient is 0 and the remainder the dividend; by -1 the quotient is the
// wrapped negation.
static int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? static_cast<int64_t>(0 - u(a)) : a / b;
}
static int64_t remainder(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static int64_t divideUp(int64_t a, int64_t b) {
  int64_t r = remainder(a, b);
  return b == 0 ? 0 : divide(a, b) + (r != 0 && (r < 0) == (b < 0));
}

static Value binaryFloat(Op op, ScalarType t, const Value &a, const Value &b) {
  switch (op) {
  case Op::Add:
    return mapFloats(t, a, b, [](double x, double y) { return x + y; });
  case Op::Sub:
    return mapFloats(t, a, b, [](double x, double y) { return x - y; });
  case Op::Mul:
    return mapFloats(t, a, b, [](double x, double y) { return x * y; });
  case Op::Div:
    return mapFloats(t, a, b, [](double x, double y) { return x / y; });
  case Op::Rem:
    return mapFloats(t, a, b, [](double x, double y) { return std::fmod(x, y); });
  case Op::Max:
    return mapFloats(t, a, b, maxOf);
  case Op::Min:
    return mapFloats(t, a, b, minOf);
  case Op::CDiv:
    return mapFloats(t, a, b, [](double x, double y) { return std::ceil(x / y); });
  default:
    return mapFloats(t, a, b, t == ScalarType::F64 ? powWide : powNarrow);
  }
}

Value binary(Op op, ScalarType t, const Value &a, const Value &b) {
  if (isFloat(t))
    return binaryFloat(op, t, a, b);
  int64_t width = bitWidth(t);
  switch (op) {
  case Op::Add:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return u(x) + u(y); });
  case Op::Sub:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return u(x) - u(y); });
  case Op::Mul:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return u(x) * u(y); });
  case Op::Div:
    return mapInts(t, a, b, divide);
  case Op::Rem:
    return mapInts(t, a, b, remainder);
  case Op::CDiv:
    return mapInts(t, a, b, divideUp);
  case Op::And:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return x & y; });
  case Op::Or:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return x | y; });
  case Op::Xor:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return x ^ y; });
  case Op::Max:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return std::max(x, y); });
  case Op::Min:
    return mapInts(t, a, b, [](int64_t x, int64_t y) { return std::min(x, y); });
  // A count of the width or more, or a negative one, shifts everything out: 0, or the sign.
  case Op::Shl:
    return mapInts(t, a, b, [=](int64_t x, int64_t n) { return n < 0 || n >= width ? 0 : u(x) << n; });
  case Op::Shr:
    return mapInts(t, a, b,
                   [=](int64_t x, int64_t n) { return n < 0 || n >= width ? (x < 0 ? -1 : 0) : x >> n; });
  default:
    return mapInts(t, a, b, powInt);
  }
}

template <typename F> static Value mapFloat(ScalarType t, const Value &a, F f) {
  Value r(a.size());
  for (size_t i = 0; i < r.size(); ++i)
    r.floats()[i] = f(a.floats()[i]);
  roundCells(t, r.floats(), r.size());
  return r;
}

template <typename F> static Value mapInt(ScalarType t, const Value &a, F f) {
  Value r(a.size());
  for (size_t i = 0; i < r.size(); ++i)
    r.ints()[i] = static_cast<int64_t>(f(a.ints()[i]));
  wrapCells(t, r.ints(), r.size());
  return r;
}

Value unary(Op op, ScalarType t, const Value &a) {
  if (t == ScalarType::Bool)
    return op == Op::Not || op == Op::BitNot ? mapInt(t, a, [](int64_t x) { return x ^ 1; }) : a;
  if (isFloat(t)) {
    if (op == Op::Neg)
      return mapFloat(t, a, [](double x) { return -x; });
    return mapFloat(t, a, t == ScalarType::F64 ? wideFunction(op) : narrowFunction(op));
  }
  switch (op) {
  case Op::Neg:
    return mapInt(t, a, [](int64_t x) { return 0 - u(x); });
  case Op::BitNot:
    return mapInt(t, a, [](int64_t x) { return ~x; });
  case Op::Abs:
    return mapInt(t, a, [](int64_t x) { return x < 0 ? 0 - u(x) : u(x); });
  default:
    return a; // floor, ceil and round of an integer
  }
}

template <typename F> static Value mapCompare(ScalarType t, const Value &a, const Value &b, F f) {
  Value r(std::max(a.size(), b.size()));
  size_t dx = !a.isSplat(), dy = !b.isSplat();
  for (size_t i = 0; i < r.size(); ++i)
    r.ints()[i] =
        isFloat(t) ? f(a.floats()[i * dx], b.floats()[i * dy]) : f(a.ints()[i * dx], b.ints()[i * dy]);
  return r;
}

Value compare(Op op, ScalarType t, const Value &a, const Value &b) {
  switch (op) {
  case Op::Eq:
    return mapCompare(t, a, b, [](auto x, auto y) { return x == y; });
  case Op::Ne:
    return mapCompare(t, a, b, [](auto x, auto y) { return x != y; });
  case Op::Lt:
    return mapCompare(t, a, b, [](auto x, auto y) { return x < y; });
  case Op::Le:
    return mapCompare(t, a, b, [](auto x, auto y) { return x <= y; });
  case Op::Gt:
    return mapCompare(t, a, b, [](auto x, auto y) { return x > y; });
  default:
    return mapCompare(t, a, b, [](auto x, auto y) { return x >= y; });
  }
}

Value logical(Op op, const Value &a, const Value &b) {
  if (op == Op::LogicalAnd)
    return mapInts(ScalarType::Bool, a, b, [](int64_t x, int64_t y) { return x && y; });
  return mapInts(ScalarType::Bool, a, b, [](int64_t x, int64_t y) { return x || y; });
}

Value fma(ScalarType t, const Value &a, const Value &b, const Value &c) {
  Value r(std::max({a.size(), b.size(), c.size()}));
  for (size_t i = 0; i < r.size(); ++i) {
    if (isFloat(t))
      r.floats()[i] = t == ScalarType::F64 ? std::fma(a.floatAt(i), b.floatAt(i), c.floatAt(i))
                                           : fmaToOdd(a.floatAt(i), b.floatAt(i), c.floatAt(i));
    else
      r.ints()[i] = static_cast<int64_t>(u(a.intAt(i)) * u(b.intAt(i)) + u(c.intAt(i)));
  }
  isFloat(t) ? roundCells(t, r.floats(), r.size()) : wrapCells(t, r.ints(), r.size());
  return r;
}

Value select(const Value &condition, const Value &a, const Value &b) {
  if (condition.isSplat())
    return *condition.ints() ? a : b;
  Value r(condition.size());
  for (size_t i = 0; i < r.size(); ++i) {
    const Value &from = condition.ints()[i] ? a : b;
    r.copyFrom(i, from, from.isSplat() ? 0 : i, 1);
  }
  return r;
}

Value convert(ScalarType from, ScalarType to, const Value &a) {
  if (from == to)
    return a; // an infinite f8e5m2 stays one
  if (isFloat(from) && isFloat(to))
    return mapFloat(to, a, [](double x) { return x; });
  if (!isFloat(from) && !isFloat(to))
    return mapInt(to, a, [](int64_t x) { return x; });
  Value r(a.size());
  for (size_t i = 0; i < r.size(); ++i)
    if (isFloat(to))
      r.floats()[i] = numeric::intToFloat(to, a.ints()[i]);
    else
      r.ints()[i] = numeric::floatToInt(to, a.floats()[i]);
  return r;
}

Value bitcast(ScalarType from, ScalarType to, const Value &a) {
  Value r(a.size());
  for (size_t i = 0; i < r.size(); ++i) {
    uint64_t bits = isFloat(from) ? numeric::bitsOf(from, a.floats()[i]) : u(a.ints()[i]);
    if (isFloat(to))
      r.floats()[i] =
          numeric::decodeFloat(to, bitWidth(to) == 64 ? bits : bits & ((uint64_t(1) << bitWidth(to)) - 1));
    else
      r.ints()[i] = numeric::wrapTo(to, static_cast<int64_t>(bits));
  }
  return r;
}

Value rand(const Value &seed, const Value &offset) {
  Value r(std::max(seed.size(), offset.size()));
  for (size_t i = 0; i < r.size(); ++i)
    r.floats()[i] = (philox(u(seed.intAt(i)), u(offset.intAt(i)))[0] >> 8) * 0x1p-24;
  return r;
}

} // namespace phobos::interp
