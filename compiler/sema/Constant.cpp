// Constant expressions over names, as attributes use them: integers and bools, 64 bits, total as in the
// language.
#include "compiler/sema/Space.h"
#include "runtime/contract/Integer.h"
#include <algorithm>

namespace phobos::sema {

namespace {

using Value = std::optional<int64_t>;
using ast::BinaryOp;
using ast::Expr;
using ast::UnaryOp;

int64_t apply(BinaryOp op, int64_t a, int64_t b) {
  switch (op) {
  case BinaryOp::Add:
    return integer::add(a, b);
  case BinaryOp::Sub:
    return integer::sub(a, b);
  case BinaryOp::Mul:
    return integer::mul(a, b);
  case BinaryOp::Div:
    return integer::div(a, b);
  case BinaryOp::Rem:
    return integer::rem(a, b);
  case BinaryOp::And:
    return a & b;
  case BinaryOp::Or:
    return a | b;
  case BinaryOp::Xor:
    return a ^ b;
  case BinaryOp::Shl:
    return integer::shl(a, b);
  case BinaryOp::Shr:
    return integer::shr(a, b);
  case BinaryOp::Eq:
    return a == b;
  case BinaryOp::Ne:
    return a != b;
  case BinaryOp::Lt:
    return a < b;
  case BinaryOp::Le:
    return a <= b;
  case BinaryOp::Gt:
    return a > b;
  case BinaryOp::Ge:
    return a >= b;
  case BinaryOp::LogicalAnd:
    return a && b;
  case BinaryOp::LogicalOr:
    return a || b;
  }
  return 0;
}

class Evaluator {
public:
  Evaluator(const std::function<Value(std::string_view)> &lookup, std::string *unknown)
      : lookup_(lookup), unknown_(unknown) {}

  Value evaluate(const Expr &e) {
    switch (e.kind) {
    case Expr::Kind::Int:
      return e.intOverflow ? std::nullopt : Value(static_cast<int64_t>(e.intValue));
    case Expr::Kind::Bool:
      return e.boolValue;
    case Expr::Kind::Name:
      return name(e);
    case Expr::Kind::Unary:
      return unary(e);
    case Expr::Kind::Binary:
      return binary(e);
    case Expr::Kind::Conditional: {
      Value condition = evaluate(*e.args[1]);
      return condition ? evaluate(*e.args[*condition ? 0 : 2]) : std::nullopt;
    }
    case Expr::Kind::Call:
      return call(e);
    default:
      return std::nullopt;
    }
  }

private:
  Value name(const Expr &e) {
    Value v = lookup_(e.name);
    if (!v && unknown_)
      *unknown_ = e.name;
    return v;
  }

  Value unary(const Expr &e) {
    Value v = evaluate(*e.args[0]);
    if (!v)
      return v;
    return e.unaryOp == UnaryOp::Neg ? integer::neg(*v) : e.unaryOp == UnaryOp::BitNot ? ~*v : int64_t(!*v);
  }

  Value binary(const Expr &e) {
    Value a = evaluate(*e.args[0]);
    if (!a)
      return a;
    if (e.binaryOp == BinaryOp::LogicalAnd && !*a)
      return 0;
    if (e.binaryOp == BinaryOp::LogicalOr && *a)
      return 1;
    Value b = evaluate(*e.args[1]);
    return b ? Value(apply(e.binaryOp, *a, *b)) : b;
  }

  Value call(const Expr &e) {
    std::vector<int64_t> args;
    for (ast::ExprP a : e.args) {
      Value v = evaluate(*a);
      if (!v)
        return v;
      args.push_back(*v);
    }
    bool two = args.size() == 2 && e.keywords.empty();
    if (two && (e.name == "max" || e.name == "tmax"))
      return std::max(args[0], args[1]);
    if (two && (e.name == "min" || e.name == "tmin"))
      return std::min(args[0], args[1]);
    if (two && e.name == "cdiv")
      return integer::ceilDiv(args[0], args[1]);
    if (args.size() == 1 && e.name == "abs")
      return args[0] < 0 ? integer::neg(args[0]) : args[0];
    return std::nullopt;
  }

  const std::function<Value(std::string_view)> &lookup_;
  std::string *unknown_;
};

} // namespace

Value evaluateConstant(ast::ExprP e, const std::function<Value(std::string_view)> &lookup,
                       std::string *unknown) {
  return Evaluator(lookup, unknown).evaluate(*e);
}

} // namespace phobos::sema
