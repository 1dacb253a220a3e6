// Expressions.
#include "compiler/syntax/AstBuilder.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace phobos::syntax {

using P = PhobosParser;
using ast::Expr;
using ast::ExprP;

static bool isWord(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

Expr &AstBuilder::make(Expr::Kind kind, SourceRange r, SourceRange opRange) {
  Expr &e = file_.exprs.emplace_back();
  e.kind = kind;
  e.range = r;
  e.opRange = opRange;
  return e;
}

ExprP AstBuilder::broken(SourceRange r, std::vector<ExprP> parts) {
  Expr &e = make(Expr::Kind::Broken, r, r);
  e.args = std::move(parts);
  return &e;
}

ExprP AstBuilder::unary(ast::UnaryOp op, SourceRange opRange, ExprP operand) {
  Expr &e = make(Expr::Kind::Unary, opRange.join(operand->range), opRange);
  e.unaryOp = op;
  e.args = {operand};
  return &e;
}

ExprP AstBuilder::binary(ast::BinaryOp op, SourceRange opRange, ExprP a, ExprP b) {
  Expr &e = make(Expr::Kind::Binary, a->range.join(b->range), opRange);
  e.binaryOp = op;
  e.args = {a, b};
  return &e;
}

std::vector<ExprP> AstBuilder::list(const std::vector<P::ExprContext *> &items) {
  std::vector<ExprP> out;
  out.reserve(items.size());
  for (P::ExprContext *i : items)
    out.push_back(expr(i));
  return out;
}

ExprP AstBuilder::expr(P::ExprContext *c) {
  auto parts = c->logical();
  ExprP value = logical(parts[0]);
  if (!c->IF())
    return value;
  ExprP condition = logical(parts[1]);
  ExprP otherwise = expr(c->expr());
  Expr &e = make(Expr::Kind::Conditional, value->range.join(otherwise->range), range(c->IF()));
  e.args = {value, condition, otherwise};
  return &e;
}

ExprP AstBuilder::logical(P::LogicalContext *c) {
  if (c->comparison())
    return comparison(c->comparison());
  auto parts = c->logical();
  if (c->NOT())
    return unary(ast::UnaryOp::Not, range(c->NOT()), logical(parts[0]));
  antlr4::Token *op = tokenAt(c, 1);
  ExprP a = logical(parts[0]);
  return binary(*binaryOpOf(op->getType()), range(op), a, logical(parts[1]));
}

ExprP AstBuilder::comparison(P::ComparisonContext *c) {
  auto parts = c->binary();
  if (parts.size() == 3 && writesType(c))
    return typeAsValue(c);
  ExprP left = binary(parts[0]), previous = left;
  std::vector<ExprP> all = {left};
  std::string separate;
  for (size_t i = 1; i < parts.size(); ++i) {
    antlr4::Token *op = tokenAt(c, 2 * i - 1);
    ExprP right = binary(parts[i]);
    left = binary(*binaryOpOf(op->getType()), range(op), left, right);
    separate +=
        (i > 1 ? " && " : "") + text(previous->range) + " " + text(range(op)) + " " + text(right->range);
    previous = right;
    all.push_back(right);
  }
  if (parts.size() <= 2)
    return left;
  auto report = diags_.report(diag::ChainedComparison, left->range);
  report.help(separate.size() <= 200 ? "write '" + separate + "'" : "join the comparisons with '&&'");
  return broken(left->range, std::move(all));
}

/// `tile<f32>[4]`, which reads as a chain of comparisons.
bool AstBuilder::writesType(P::ComparisonContext *c) const {
  std::string head = text(range(c->binary(0)));
  return (head == "tile" || head == "tensor") && tokenAt(c, 1)->getType() == P::LT &&
         tokenAt(c, 3)->getType() == P::GT && isWord(text(range(c->binary(1)))) &&
         c->binary(2)->getStart()->getType() == P::LBRACKET;
}

ExprP AstBuilder::typeAsValue(P::ComparisonContext *c) {
  SourceRange r = range(c);
  std::string elem = text(range(c->binary(1))), shape = text(range(c->binary(2)));
  diags_.report(diag::FunctionAsValue, r, text(r), "a type")
      .help("write 'zeros<" + elem + ">(" + shape + ")' or 'full<" + elem + ">(" + shape + ", x)'");
  return broken(r, {});
}

ExprP AstBuilder::binary(P::BinaryContext *c) {
  if (c->postfix())
    return postfix(c->postfix());
  auto parts = c->binary();
  if (parts.size() == 1) {
    antlr4::Token *op = tokenAt(c, 0);
    return unary(op->getType() == P::SUB ? ast::UnaryOp::Neg : ast::UnaryOp::BitNot, range(op),
                 binary(parts[0]));
  }
  antlr4::Token *op = tokenAt(c, 1);
  ExprP a = binary(parts[0]);
  return binary(*binaryOpOf(op->getType()), range(op), a, binary(parts[1]));
}

ExprP AstBuilder::postfix(P::PostfixContext *c) {
  ExprP value = primary(c->primary());
  for (size_t i = 1; i < c->children.size(); ++i) {
    antlr4::Token *op = tokenAt(c, i);
    if (op->getType() == P::DOT) {
      antlr4::Token *member = tokenAt(c, ++i);
      Expr &e = make(Expr::Kind::Member, value->range.join(range(member)), range(member));
      e.name = text(range(member));
      e.args = {value};
      value = &e;
      continue;
    }
    Expr &e = make(Expr::Kind::Index, value->range, range(op));
    e.args = {value};
    for (; !tokenAt(c, i) || tokenAt(c, i)->getType() != P::RBRACKET; ++i)
      if (auto *s = dynamic_cast<P::SubscriptContext *>(c->children[i]))
        e.subscripts.push_back(subscript(s));
    e.range = e.range.join(range(tokenAt(c, i)));
    e.opRange = e.opRange.join(range(tokenAt(c, i)));
    value = &e;
  }
  return value;
}

ast::Subscript AstBuilder::subscript(P::SubscriptContext *c) {
  using K = ast::Subscript::Kind;
  ast::Subscript s;
  s.range = range(c);
  auto parts = c->expr();
  size_t next = 0;
  bool startsWithColon = tokenAt(c, 0) != nullptr;
  if (!startsWithColon)
    s.first = expr(parts[next++]);
  if (next < parts.size())
    s.second = expr(parts[next]);
  s.kind = c->COLON_PLUS() ? K::Length : !c->COLON() ? K::Point : s.first || s.second ? K::Range : K::Full;
  return s;
}

ExprP AstBuilder::primary(P::PrimaryContext *c) {
  SourceRange r = range(c);
  if (c->LPAREN() && !c->IDENT(0)) {
    ExprP inside = expr(c->expr());
    auto *made = const_cast<Expr *>(inside); // by this builder, and nothing refers to it yet
    made->parenthesized = true;
    made->range = r;
    return inside;
  }
  if (c->list())
    return list(c->list());
  if (c->IDENT(0)) {
    if (c->LPAREN())
      return call(c);
    Expr &e = make(Expr::Kind::Name, r, r);
    e.name = text(r);
    return &e;
  }
  return literal(c);
}

ExprP AstBuilder::list(P::ListContext *c) {
  SourceRange r = range(c);
  Expr &e = make(Expr::Kind::List, r, r);
  e.args = list(c->expr());
  return &e;
}

ExprP AstBuilder::call(P::PrimaryContext *c) {
  ast::Name callee = name(c->IDENT(0));
  Expr &e = make(c->GENERIC() ? Expr::Kind::Generic : Expr::Kind::Call, range(c), callee.range);
  e.name = callee.text;
  if (c->GENERIC()) {
    ast::TypeExpr t;
    t.elem = name(c->IDENT(1));
    t.range = t.elem.range;
    e.typeArg = t;
  }
  if (!c->arguments())
    return &e;
  for (P::ArgumentContext *a : c->arguments()->argument()) {
    auto parts = a->expr();
    ExprP first = expr(parts[0]);
    if (parts.size() == 1)
      e.args.push_back(first);
    else if (first->kind == Expr::Kind::Name && !first->parenthesized)
      e.keywords.push_back({{first->name, first->range}, expr(parts[1])});
    else {
      diags_.report(diag::ExpectedNameBefore, first->range, "=");
      return broken(range(c), {first, expr(parts[1])});
    }
  }
  return &e;
}

ExprP AstBuilder::literal(P::PrimaryContext *c) {
  SourceRange r = range(c);
  std::string spelled = text(r), digits = spelled;
  std::erase(digits, '_');
  if (c->TRUE() || c->FALSE()) {
    Expr &e = make(Expr::Kind::Bool, r, r);
    e.boolValue = c->TRUE() != nullptr;
    return &e;
  }
  if (c->INT()) {
    Expr &e = make(Expr::Kind::Int, r, r);
    e.name = spelled;
    bool hex = digits.size() > 2 && (digits[1] == 'x' || digits[1] == 'X');
    const char *begin = digits.data() + (hex ? 2 : 0);
    auto result = std::from_chars(begin, digits.data() + digits.size(), e.intValue, hex ? 16 : 10);
    e.intOverflow = result.ec == std::errc::result_out_of_range;
    return &e;
  }
  Expr &e = make(Expr::Kind::Float, r, r);
  e.name = spelled;
  if (digits == "inf")
    e.floatValue = std::numeric_limits<double>::infinity();
  else if (digits == "nan")
    e.floatValue = std::numeric_limits<double>::quiet_NaN();
  else if (std::from_chars(digits.data(), digits.data() + digits.size(), e.floatValue).ec ==
           std::errc::result_out_of_range)
    e.floatValue = std::strtod(digits.c_str(), nullptr); // 0 or infinity, as rounding gives
  return &e;
}

} // namespace phobos::syntax
