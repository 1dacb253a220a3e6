// Constant folding of scalar integers, and differences of index expressions that are constant though the
// expressions are not.
#include "compiler/sema/Checker.h"
#include "runtime/contract/Integer.h"
#include "runtime/contract/Numeric.h"

namespace phobos::sema {

std::optional<int64_t> foldInteger(Op op, ScalarType t, int64_t a, int64_t b) {
  auto wrap = [&](int64_t n) { return t == ScalarType::Bool ? n : numeric::wrapTo(t, n); };
  const auto width = static_cast<int64_t>(bitWidth(t));
  switch (op) {
  case Op::Add:
    return wrap(integer::add(a, b));
  case Op::Sub:
    return wrap(integer::sub(a, b));
  case Op::Mul:
    return wrap(integer::mul(a, b));
  case Op::Div:
    return wrap(integer::div(a, b));
  case Op::Rem:
    return wrap(integer::rem(a, b));
  case Op::CDiv:
    return wrap(integer::ceilDiv(a, b));
  case Op::And:
    return wrap(a & b);
  case Op::Or:
    return wrap(a | b);
  case Op::Xor:
    return wrap(a ^ b);
  case Op::Shl:
    return wrap(integer::shl(a, b, width));
  case Op::Shr:
    return wrap(integer::shr(a, b, width));
  case Op::Max:
    return a > b ? a : b;
  case Op::Min:
    return a < b ? a : b;
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Lt:
    return a < b;
  case Op::Le:
    return a <= b;
  case Op::Gt:
    return a > b;
  case Op::Ge:
    return a >= b;
  case Op::LogicalAnd:
    return a && b;
  case Op::LogicalOr:
    return a || b;
  default:
    return std::nullopt;
  }
}

namespace {

/// A sum of terms with constant factors. A term is an expression whose value does not change between two
/// evaluations in one statement, named by its structure.
struct Linear {
  std::map<std::string, int64_t> terms;
  int64_t constant = 0;

  void add(const Linear &other, int64_t factor) {
    constant = integer::add(constant, integer::mul(other.constant, factor));
    for (const auto &[key, n] : other.terms)
      terms[key] = integer::add(terms[key], integer::mul(n, factor));
  }
};

/// The structure of a pure scalar expression as text; false where it reads memory or calls.
bool structure(ExprP e, std::string &key) {
  switch (e->op) {
  case Op::Load:
  case Op::Atomic:
  case Op::Call:
  case Op::Rand:
    return false;
  case Op::Int:
  case Op::Bool:
  case Op::Float:
  case Op::Var:
  case Op::Param:
  case Op::Dim:
  case Op::BlockId:
  case Op::GridDim:
  case Op::ThreadId:
  case Op::WarpId:
  case Op::LaneId:
    break;
  default:
    if (!e->type.isScalar())
      return false;
  }
  key += std::string(name(e->op)) + ":" + str(e->type) + ":" + std::to_string(e->intValue) + ":" +
         std::to_string(e->floatValue) + ":" + std::to_string(e->var) + ":" + std::to_string(e->param) + ":" +
         std::to_string(e->dim) + ":" + std::to_string(e->axis) + ":" +
         std::to_string(static_cast<int>(e->reduction));
  for (int64_t n : e->offsets)
    key += "," + std::to_string(n);
  key += "(";
  for (ExprP a : e->args)
    if (!structure(a, key))
      return false;
  key += ")";
  return true;
}

std::optional<Linear> linear(ExprP e) {
  Linear r;
  auto both = [&](int64_t factor) -> std::optional<Linear> {
    auto a = linear(e->args[0]), b = linear(e->args[1]);
    if (!a || !b)
      return std::nullopt;
    a->add(*b, factor);
    return a;
  };
  bool integers = e->type.isScalar() && isInteger(e->type.elem);
  if (integers && e->op == Op::Int) {
    r.constant = e->intValue;
    return r;
  }
  if (integers && (e->op == Op::Add || e->op == Op::Sub))
    return both(e->op == Op::Add ? 1 : -1);
  if (integers && e->op == Op::Mul && (e->args[0]->op == Op::Int || e->args[1]->op == Op::Int)) {
    bool left = e->args[0]->op == Op::Int;
    auto x = linear(e->args[left ? 1 : 0]);
    if (x)
      r.add(*x, e->args[left ? 0 : 1]->intValue);
    return x ? std::optional(r) : std::nullopt;
  }
  if (integers && e->op == Op::Neg) {
    auto x = linear(e->args[0]);
    if (x)
      r.add(*x, -1);
    return x ? std::optional(r) : std::nullopt;
  }
  // a widening keeps the value
  if (integers && e->op == Op::Convert && isInteger(e->args[0]->type.elem) &&
      bitWidth(e->args[0]->type.elem) <= bitWidth(e->type.elem))
    return linear(e->args[0]);
  std::string key;
  if (!structure(e, key))
    return std::nullopt;
  r.terms[key] = 1;
  return r;
}

} // namespace

std::optional<int64_t> constantDifference(ExprP end, ExprP start) {
  auto a = linear(end), b = linear(start);
  if (!a || !b)
    return std::nullopt;
  a->add(*b, -1);
  for (const auto &[key, n] : a->terms)
    if (n != 0)
      return std::nullopt;
  return a->constant;
}

} // namespace phobos::sema
