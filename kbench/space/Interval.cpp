#include "kbench/space/Interval.h"
#include "runtime/contract/Integer.h"
#include <algorithm>
#include <bit>
#include <limits>

namespace phobos::kbench {
namespace {

using Wide = __int128;
constexpr Interval anything{};
constexpr Interval anyBool{0, 1};

// What does not fit 64 bits may wrap to anything.
Interval fromWide(Wide lo, Wide hi) {
  if (lo < std::numeric_limits<int64_t>::min() || hi > std::numeric_limits<int64_t>::max())
    return anything;
  return {static_cast<int64_t>(lo), static_cast<int64_t>(hi)};
}

Interval multiply(Interval a, Interval b) {
  Wide p[] = {Wide(a.lo) * b.lo, Wide(a.lo) * b.hi, Wide(a.hi) * b.lo, Wide(a.hi) * b.hi};
  return fromWide(*std::min_element(p, p + 4), *std::max_element(p, p + 4));
}

// All bits below the highest bit of either bound.
int64_t fillBits(int64_t hi) {
  return hi <= 0 ? 0 : static_cast<int64_t>(~uint64_t(0) >> std::countl_zero(uint64_t(hi)));
}

Interval truth(Interval a) {
  return a.isTrue() ? Interval::exactly(1) : a.isFalse() ? Interval::exactly(0) : anyBool;
}

Interval link(FormulaOp op, Interval a, Interval b) {
  bool natural = a.lo >= 0 && b.lo >= 0;
  switch (op) {
  case FormulaOp::Add:
    return fromWide(Wide(a.lo) + b.lo, Wide(a.hi) + b.hi);
  case FormulaOp::Mul:
    return multiply(a, b);
  case FormulaOp::And:
    if (a.isExact() && b.isExact())
      return Interval::exactly(a.lo & b.lo);
    if (a.lo == -1 && a.hi == -1) // a chain begins with it
      return b;
    // An operand without a sign leaves none, and no bit above its own.
    if (natural)
      return {0, std::min(a.hi, b.hi)};
    return a.lo >= 0 ? Interval{0, a.hi} : b.lo >= 0 ? Interval{0, b.hi} : anything;
  case FormulaOp::Or:
  case FormulaOp::Xor:
    if (a.isExact() && b.isExact())
      return Interval::exactly(op == FormulaOp::Or ? a.lo | b.lo : a.lo ^ b.lo);
    if (!natural)
      return anything;
    return {op == FormulaOp::Or ? std::max(a.lo, b.lo) : 0, fillBits(std::max(a.hi, b.hi))};
  case FormulaOp::LogicalAnd:
    a = truth(a), b = truth(b);
    return {a.lo & b.lo, a.hi & b.hi};
  case FormulaOp::LogicalOr:
    a = truth(a), b = truth(b);
    return {a.lo | b.lo, a.hi | b.hi};
  case FormulaOp::Min:
    return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
  default:
    return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
  }
}

Interval divide(FormulaOp op, Interval a, Interval b) {
  if (b.lo <= 0)
    return anything;
  auto quotient = [op](int64_t x, int64_t y) {
    return op == FormulaOp::Div ? integer::div(x, y) : integer::ceilDiv(x, y);
  };
  int64_t q[] = {quotient(a.lo, b.lo), quotient(a.lo, b.hi), quotient(a.hi, b.lo), quotient(a.hi, b.hi)};
  return {*std::min_element(q, q + 4), *std::max_element(q, q + 4)};
}

Interval remainder(Interval a, Interval b) {
  if (b.lo <= 0)
    return anything;
  if (a.lo >= 0)
    return a.hi < b.lo ? a : Interval{0, std::min(a.hi, b.hi - 1)};
  return {-(b.hi - 1), b.hi - 1};
}

Interval shift(FormulaOp op, Interval a, Interval n) {
  if (a.lo < 0 || n.lo < 0 || n.hi > 62)
    return anything;
  if (op == FormulaOp::Shr)
    return {a.lo >> n.hi, a.hi >> n.lo};
  return fromWide(Wide(a.lo) << n.lo, Wide(a.hi) << n.hi);
}

Interval compare(FormulaOp op, Interval a, Interval b) {
  auto decided = [](bool isTrue, bool isFalse) {
    return isTrue ? Interval::exactly(1) : isFalse ? Interval::exactly(0) : anyBool;
  };
  bool apart = a.hi < b.lo || b.hi < a.lo;
  bool same = a.isExact() && b.isExact() && a.lo == b.lo;
  switch (op) {
  case FormulaOp::Eq:
    return decided(same, apart);
  case FormulaOp::Ne:
    return decided(apart, same);
  case FormulaOp::Lt:
    return decided(a.hi < b.lo, a.lo >= b.hi);
  default:
    return decided(a.hi <= b.lo, a.lo > b.hi);
  }
}

} // namespace

Interval join(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }

int64_t addOrEnd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? Interval{}.lo : Interval{}.hi;
}

Interval bound(FormulaOp op, std::span<const Interval> args) {
  if (isChain(op)) {
    Interval result = Interval::exactly(identityOf(op));
    for (Interval a : args)
      result = link(op, result, a);
    return result;
  }
  if (std::all_of(args.begin(), args.end(), [](Interval i) { return i.isExact(); }) &&
      op != FormulaOp::Opaque && !args.empty()) {
    int64_t values[3] = {};
    for (size_t i = 0; i < args.size(); ++i)
      values[i] = args[i].lo;
    return Interval::exactly(FormulaPool::apply(op, values));
  }
  switch (op) {
  case FormulaOp::Neg:
    return fromWide(-Wide(args[0].hi), -Wide(args[0].lo));
  case FormulaOp::BitNot:
    return {~args[0].hi, ~args[0].lo};
  case FormulaOp::Not: {
    Interval t = truth(args[0]);
    return {1 - t.hi, 1 - t.lo};
  }
  case FormulaOp::Div:
  case FormulaOp::CDiv:
    return divide(op, args[0], args[1]);
  case FormulaOp::Rem:
    return remainder(args[0], args[1]);
  case FormulaOp::Shl:
  case FormulaOp::Shr:
    return shift(op, args[0], args[1]);
  case FormulaOp::Eq:
  case FormulaOp::Ne:
  case FormulaOp::Lt:
  case FormulaOp::Le:
    return compare(op, args[0], args[1]);
  case FormulaOp::Conditional: {
    Interval c = truth(args[1]);
    if (c.isExact())
      return c.lo ? args[0] : args[2];
    return join(args[0], args[2]);
  }
  default:
    return anything;
  }
}

} // namespace phobos::kbench
