#include "runtime/contract/Contract.h"
#include "runtime/contract/Integer.h"
#include <algorithm>

namespace phobos {

using Op = HostExpr::Op;

int64_t HostExpr::evaluate(const std::vector<int64_t> &dims) const {
  auto arg = [&](size_t i) { return args[i].evaluate(dims); };
  switch (op) {
  case Op::Const:
    return value;
  case Op::Dim:
    return dims[static_cast<size_t>(value)];
  case Op::Neg:
    return integer::neg(arg(0));
  case Op::Not:
    return arg(0) == 0;
  case Op::BitNot:
    return ~arg(0);
  case Op::Add:
    return integer::add(arg(0), arg(1));
  case Op::Sub:
    return integer::sub(arg(0), arg(1));
  case Op::Mul:
    return integer::mul(arg(0), arg(1));
  case Op::Div:
    return integer::div(arg(0), arg(1));
  case Op::Rem:
    return integer::rem(arg(0), arg(1));
  case Op::CDiv:
    return integer::ceilDiv(arg(0), arg(1));
  case Op::And:
    return arg(0) & arg(1);
  case Op::Or:
    return arg(0) | arg(1);
  case Op::Xor:
    return arg(0) ^ arg(1);
  case Op::Shl:
    return integer::shl(arg(0), arg(1));
  case Op::Shr:
    return integer::shr(arg(0), arg(1));
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
#define INTEGER_INFIX(NAME, TEXT)                                                                            \
  case Op::NAME:                                                                                             \
    return " " TEXT " ";
#include "runtime/contract/IntegerOps.def"
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
