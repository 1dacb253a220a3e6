#include "runtime/contract/Contract.h"
#include <algorithm>

namespace phobos {

using Op = HostExpr::Op;

static int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
static int64_t wrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
static int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

static int64_t totalDiv(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? wrapSub(0, a) : a / b; }
static int64_t totalRem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
static int64_t shiftLeft(int64_t a, int64_t n) {
  return n < 0 || n > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << n);
}
static int64_t shiftRight(int64_t a, int64_t n) { return a >> (n < 0 || n > 63 ? 63 : n); }

/// The quotient rounded towards +infinity.
static int64_t ceilDiv(int64_t a, int64_t b) {
  int64_t q = totalDiv(a, b), r = totalRem(a, b);
  return b != 0 && r != 0 && (r < 0) == (b < 0) ? q + 1 : q;
}

int64_t HostExpr::evaluate(const std::vector<int64_t> &dims) const {
  auto arg = [&](size_t i) { return args[i].evaluate(dims); };
  switch (op) {
  case Op::Const:
    return value;
  case Op::Dim:
    return dims[static_cast<size_t>(value)];
  case Op::Neg:
    return wrapSub(0, arg(0));
  case Op::Not:
    return arg(0) == 0;
  case Op::BitNot:
    return ~arg(0);
  case Op::Add:
    return wrapAdd(arg(0), arg(1));
  case Op::Sub:
    return wrapSub(arg(0), arg(1));
  case Op::Mul:
    return wrapMul(arg(0), arg(1));
  case Op::Div:
    return totalDiv(arg(0), arg(1));
  case Op::Rem:
    return totalRem(arg(0), arg(1));
  case Op::CDiv:
    return ceilDiv(arg(0), arg(1));
  case Op::And:
    return arg(0) & arg(1);
  case Op::Or:
    return arg(0) | arg(1);
  case Op::Xor:
    return arg(0) ^ arg(1);
  case Op::Shl:
    return shiftLeft(arg(0), arg(1));
  case Op::Shr:
    return shiftRight(arg(0), arg(1));
  case Op::Max:
    return std::max(arg(0), arg(1));
  case Op::Min:
    return std::min(arg(0), arg(1));
  case Op::Eq:
    return arg(0) == arg(1);
  case Op::Ne:
    return arg(0) != arg(1);
  case Op::Lt:
    return arg(0) < arg(1);
  case Op::Le:
    return arg(0) <= arg(1);
  case Op::Gt:
    return arg(0) > arg(1);
  case Op::Ge:
    return arg(0) >= arg(1);
  case Op::LogicalAnd:
    return arg(0) != 0 && arg(1) != 0;
  case Op::LogicalOr:
    return arg(0) != 0 || arg(1) != 0;
  case Op::Conditional:
    return arg(1) != 0 ? arg(0) : arg(2);
  }
  return 0;
}

static const char *infix(Op op) {
  switch (op) {
  case Op::Add:
    return " + ";
  case Op::Sub:
    return " - ";
  case Op::Mul:
    return " * ";
  case Op::Div:
    return " / ";
  case Op::Rem:
    return " % ";
  case Op::And:
    return " & ";
  case Op::Or:
    return " | ";
  case Op::Xor:
    return " ^ ";
  case Op::Shl:
    return " << ";
  case Op::Shr:
    return " >> ";
  case Op::Eq:
    return " == ";
  case Op::Ne:
    return " != ";
  case Op::Lt:
    return " < ";
  case Op::Le:
    return " <= ";
  case Op::Gt:
    return " > ";
  case Op::Ge:
    return " >= ";
  case Op::LogicalAnd:
    return " && ";
  case Op::LogicalOr:
    return " || ";
  default:
    return nullptr;
  }
}

std::string HostExpr::str(const std::vector<std::string> &names) const {
  auto arg = [&](size_t i) {
    const HostExpr &a = args[i];
    bool atom =
        a.op == Op::Const || a.op == Op::Dim || a.op == Op::CDiv || a.op == Op::Max || a.op == Op::Min;
    return atom ? a.str(names) : "(" + a.str(names) + ")";
  };
  switch (op) {
  case Op::Const:
    return std::to_string(value);
  case Op::Dim:
    return names[static_cast<size_t>(value)];
  case Op::Neg:
    return "-" + arg(0);
  case Op::Not:
    return "!" + arg(0);
  case Op::BitNot:
    return "~" + arg(0);
  case Op::CDiv:
    return "cdiv(" + args[0].str(names) + ", " + args[1].str(names) + ")";
  case Op::Max:
    return "max(" + args[0].str(names) + ", " + args[1].str(names) + ")";
  case Op::Min:
    return "min(" + args[0].str(names) + ", " + args[1].str(names) + ")";
  case Op::Conditional:
    return arg(0) + " if " + arg(1) + " else " + arg(2);
  default:
    return arg(0) + infix(op) + arg(1);
  }
}

} // namespace phobos
