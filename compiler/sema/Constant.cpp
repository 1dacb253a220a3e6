// Constant expressions over names, as attributes use them: integers and bools, 64 bits, total as in the
// language.
#include "compiler/sema/Space.h"
#include <limits>

namespace phobos::sema {

namespace {

using Value = std::optional<int64_t>;
using ast::BinaryOp;
using ast::Expr;
using ast::UnaryOp;

int64_t wrap(uint64_t v) { return static_cast<int64_t>(v); }

int64_t divide(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? wrap(0 - static_cast<uint64_t>(a)) : a / b;
}
int64_t remainder(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
int64_t quotientUp(int64_t a, int64_t b) {
  int64_t q = divide(a, b);
  return q + (b != 0 && b != -1 && a % b != 0 && (a < 0) == (b < 0));
}
/// A count past the width, or below 0, shifts everything out.
int64_t shift(int64_t a, int64_t count, bool left) {
  bool all = count < 0 || count >= 64;
  if (left)
    return all ? 0 : wrap(static_cast<uint64_t>(a) << count);
  return a >> (all ? 63 : count);
}

int64_t apply(BinaryOp op, int64_t a, int64_t b) {
  auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  switch (op) {
  case BinaryOp::Add:
    return wrap(ua + ub);
  case BinaryOp::Sub:
    return wrap(ua - ub);
  case BinaryOp::Mul:
    return wrap(ua * ub);
  case BinaryOp::Div:
    return divide(a, b);
  case BinaryOp::Rem:
    return remainder(a, b);
  case BinaryOp::And:
    return a & b;
  case BinaryOp::Or:
    return a | b;
  case BinaryOp::Xor:
    return a ^ b;
  case BinaryOp::Shl:
    return shift(a, b, true);
  case BinaryOp::Shr:
    return shift(a, b, false);
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
      return e.intOverflow ? std::nullopt : Value(wrap(e.intValue));
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
    return e.unaryOp == UnaryOp::Neg      ? wrap(0 - static_cast<uint64_t>(*v))
           : e.unaryOp == UnaryOp::BitNot ? ~*v
                                          : int64_t(!*v);
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
      return quotientUp(args[0], args[1]);
    if (args.size() == 1 && e.name == "abs")
      return args[0] < 0 ? wrap(0 - static_cast<uint64_t>(args[0])) : args[0];
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
