#include "compiler/driver/Condition.h"
#include "compiler/syntax/Parse.h"

namespace phobos::driver {

namespace {

using H = HostExpr::Op;

H hostOp(ast::BinaryOp op) {
  switch (op) {
#define INTEGER_INFIX(NAME, TEXT)                                                                            \
  case ast::BinaryOp::NAME:                                                                                  \
    return H::NAME;
#include "runtime/contract/IntegerOps.def"
  }
  return H::Add; // there is no other
}

H hostOp(ast::UnaryOp op) {
  switch (op) {
#define INTEGER_PREFIX(NAME, TEXT)                                                                           \
  case ast::UnaryOp::NAME:                                                                                   \
    return H::NAME;
#include "runtime/contract/IntegerOps.def"
  }
  return H::Neg;
}

std::optional<H> hostOp(std::string_view callee) {
#define INTEGER_CALL(NAME, TEXT)                                                                             \
  if (callee == (TEXT))                                                                                      \
    return H::NAME;
#include "runtime/contract/IntegerOps.def"
  return std::nullopt;
}

class Reader {
public:
  Reader(const Contract &contract, const Point &point, std::string_view text, std::string &bad)
      : contract_(contract), point_(point), text_(text), bad_(bad) {}

  /// A truth value or a number, as `wantsTruth` says; anything else is `bad`.
  std::optional<HostExpr> read(ast::ExprP e, bool wantsTruth) {
    using K = ast::Expr::Kind;
    if (isTruth(e) != wantsTruth && e->kind != K::Conditional)
      return no("'" + spelled(e) + "' is " +
                (wantsTruth ? "a number where a condition belongs" : "a condition where a number belongs"));
    switch (e->kind) {
    case K::Int:
      if (e->intOverflow || e->intValue > static_cast<uint64_t>(INT64_MAX))
        return no("'" + e->name + "' does not fit 64 bits");
      return HostExpr::constant(static_cast<int64_t>(e->intValue));
    case K::Bool:
      return HostExpr::constant(e->boolValue);
    case K::Name:
      return named(e->name);
    case K::Unary:
      return apply(hostOp(e->unaryOp), {{e->args[0], e->unaryOp == ast::UnaryOp::Not}});
    case K::Binary: {
      const bool isLogical =
          e->binaryOp == ast::BinaryOp::LogicalAnd || e->binaryOp == ast::BinaryOp::LogicalOr;
      return apply(hostOp(e->binaryOp), {{e->args[0], isLogical}, {e->args[1], isLogical}});
    }
    case K::Conditional:
      return apply(H::Conditional, {{e->args[0], wantsTruth}, {e->args[1], true}, {e->args[2], wantsTruth}});
    case K::Call:
      if (auto op = hostOp(e->name); op && e->args.size() == 2 && e->keywords.empty())
        return apply(*op, {{e->args[0], false}, {e->args[1], false}});
      break;
    default:
      break;
    }
    return no("'" + spelled(e) +
              "': only integers, dimensions, arithmetic, comparisons, min, max and cdiv are known here");
  }

private:
  static bool isTruth(ast::ExprP e) {
    if (e->kind == ast::Expr::Kind::Binary)
      return hostOp(e->binaryOp) >= H::Eq; // comparisons and the logical operators
    return e->kind == ast::Expr::Kind::Bool ||
           (e->kind == ast::Expr::Kind::Unary && e->unaryOp == ast::UnaryOp::Not);
  }

  std::optional<HostExpr> no(std::string why) {
    bad_ = std::move(why);
    return std::nullopt;
  }

  std::string spelled(ast::ExprP e) const {
    const size_t begin = e->range.begin;
    return std::string(begin < text_.size() ? text_.substr(begin, e->range.end - begin) : text_);
  }

  std::optional<HostExpr> named(const std::string &name) {
    std::string list;
    for (size_t i = 0; i < contract_.dims.size(); ++i) {
      if (contract_.dims[i] == name)
        return HostExpr::dim(static_cast<int64_t>(i));
      list += (list.empty() ? "" : ", ") + contract_.dims[i];
    }
    if (auto v = point_.get(name))
      return HostExpr::constant(*v);
    return no("'" + name + "' is no runtime dimension of kernel '" + contract_.kernel + "'; it has " +
              (list.empty() ? "none" : list));
  }

  struct Operand {
    ast::ExprP e;
    bool isTruth;
  };
  std::optional<HostExpr> apply(H op, std::initializer_list<Operand> operands) {
    HostExpr out;
    out.op = op;
    for (const Operand &o : operands) {
      auto arg = read(o.e, o.isTruth);
      if (!arg)
        return std::nullopt;
      out.args.push_back(std::move(*arg));
    }
    return out;
  }

  const Contract &contract_;
  const Point &point_;
  std::string_view text_;
  std::string &bad_;
};

} // namespace

std::optional<HostExpr> readCondition(const std::string &text, const Contract &contract, const Point &point,
                                      std::string &bad) {
  SourceManager sources;
  Diagnostics errors;
  ast::File owner;
  ast::ExprP e = syntax::parseExpression(sources, sources.add("@", text), owner, errors);
  if (!e) {
    bad = errors.all().empty() ? "it is not an expression" : errors.all().front().message;
    return std::nullopt;
  }
  return Reader(contract, point, text, bad).read(e, true);
}

} // namespace phobos::driver
