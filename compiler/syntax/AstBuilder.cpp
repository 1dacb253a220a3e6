#include "compiler/syntax/AstBuilder.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace phobos::syntax {

namespace {

using P = PhobosParser;
using ast::Expr;
using ast::ExprP;
using ast::Stmt;
using ast::StmtP;

class AstBuilder {
public:
  AstBuilder(TextPlace place, ast::File &file, Diagnostics &diags) : place_(place), file_(file), diags_(diags) {}

  void declaration(P::DeclarationContext *c);
  ExprP expr(P::ExprContext *c);

private:
  // places
  SourceRange range(antlr4::Token *t) const {
    return {static_cast<uint32_t>(t->getStartIndex()), static_cast<uint32_t>(t->getStopIndex() + 1), place_.file};
  }
  SourceRange range(antlr4::tree::TerminalNode *n) const { return range(n->getSymbol()); }
  SourceRange range(antlr4::ParserRuleContext *c) const { return range(c->getStart()).join(range(c->getStop())); }
  std::string text(SourceRange r) const { return std::string(place_.text.substr(r.begin, r.end - r.begin)); }
  ast::Name name(antlr4::tree::TerminalNode *n) const { return {text(range(n)), range(n)}; }
  template <typename C> static bool isBroken(C *c) { return !c || c->exception; }

  // declarations
  ast::Attribute attribute(P::AttributeContext *c);
  void attributeArg(P::AttributeArgContext *c, ast::Attribute &out);
  std::vector<ast::Param> params(P::ParamsContext *c);
  ast::TypeExpr type(P::TypeContext *c);
  std::string unescaped(SourceRange literal) const;

  // statements
  ast::Block block(P::BlockContext *c);
  StmtP statement(P::StatementContext *c);
  Stmt &make(Stmt::Kind kind, SourceRange range, SourceRange head);
  StmtP letStatement(P::LetStatementContext *c);
  StmtP assignment(P::AssignmentContext *c);
  StmtP ifStatement(P::IfStatementContext *c);
  StmtP forStatement(P::ForStatementContext *c);

  // expressions
  Expr &make(Expr::Kind kind, SourceRange range, SourceRange opRange);
  ExprP logical(P::LogicalContext *c);
  ExprP comparison(P::ComparisonContext *c);
  ExprP binary(P::BinaryContext *c);
  ExprP postfix(P::PostfixContext *c);
  ExprP primary(P::PrimaryContext *c);
  ExprP call(P::PrimaryContext *c);
  ExprP literal(P::PrimaryContext *c);
  ExprP list(P::ListContext *c);
  ExprP unary(ast::UnaryOp op, SourceRange opRange, ExprP operand);
  ExprP binary(ast::BinaryOp op, SourceRange opRange, ExprP a, ExprP b);
  ast::Subscript subscript(P::SubscriptContext *c);
  std::vector<ExprP> list(const std::vector<P::ExprContext *> &items);

  TextPlace place_;
  ast::File &file_;
  Diagnostics &diags_;
};

antlr4::Token *tokenAt(antlr4::ParserRuleContext *c, size_t child) {
  auto *node = dynamic_cast<antlr4::tree::TerminalNode *>(c->children[child]);
  return node ? node->getSymbol() : nullptr;
}

std::optional<ast::BinaryOp> binaryOpOf(size_t tokenType) {
  using B = ast::BinaryOp;
  switch (tokenType) {
  case P::ADD: case P::ADD_ASSIGN: return B::Add;
  case P::SUB: case P::SUB_ASSIGN: return B::Sub;
  case P::MUL: case P::MUL_ASSIGN: return B::Mul;
  case P::DIV: case P::DIV_ASSIGN: return B::Div;
  case P::REM: case P::REM_ASSIGN: return B::Rem;
  case P::AND: case P::AND_ASSIGN: return B::And;
  case P::OR: case P::OR_ASSIGN: return B::Or;
  case P::XOR: case P::XOR_ASSIGN: return B::Xor;
  case P::SHL: case P::SHL_ASSIGN: return B::Shl;
  case P::SHR: case P::SHR_ASSIGN: return B::Shr;
  case P::LOGICAL_AND: case P::LOGICAL_AND_ASSIGN: return B::LogicalAnd;
  case P::LOGICAL_OR: case P::LOGICAL_OR_ASSIGN: return B::LogicalOr;
  case P::EQ: return B::Eq;
  case P::NE: return B::Ne;
  case P::LT: return B::Lt;
  case P::LE: return B::Le;
  case P::GT: return B::Gt;
  case P::GE: return B::Ge;
  default: return std::nullopt;
  }
}

// ---- declarations

void AstBuilder::declaration(P::DeclarationContext *c) {
  std::vector<ast::Attribute> attributes;
  bool broken = isBroken(c);
  for (P::AttributeContext *a : c->attribute()) {
    if (isBroken(a))
      broken = true;
    else
      attributes.push_back(attribute(a));
  }
  if (broken)
    return;
  if (P::KernelContext *k = c->kernel()) {
    auto kernel = std::make_unique<ast::Kernel>();
    kernel->name = name(k->IDENT());
    kernel->attributes = std::move(attributes);
    kernel->params = params(k->params());
    kernel->signature = kernel->name.range.join(range(k->RPAREN()));
    kernel->body = block(k->block());
    kernel->range = range(c);
    file_.kernels.push_back(std::move(kernel));
  } else if (P::FunctionContext *f = c->function()) {
    for (const ast::Attribute &a : attributes)
      diags_.report(diag::FunctionAttribute, a.range, a.name.text);
    auto function = std::make_unique<ast::Function>();
    function->name = name(f->IDENT());
    function->params = params(f->params());
    function->signature = function->name.range.join(range(f->RPAREN()));
    if (f->type()) {
      function->result = type(f->type());
      function->signature = function->signature.join(function->result->range);
    }
    function->body = block(f->block());
    function->range = range(f);
    file_.functions.push_back(std::move(function));
  }
}

ast::Attribute AstBuilder::attribute(P::AttributeContext *c) {
  ast::Attribute a;
  a.name = name(c->IDENT());
  a.range = range(c);
  a.hasParens = c->LPAREN() != nullptr;
  for (P::AttributeArgContext *arg : c->attributeArg())
    attributeArg(arg, a);
  return a;
}

void AstBuilder::attributeArg(P::AttributeArgContext *c, ast::Attribute &out) {
  ast::Attribute::Arg arg;
  arg.range = range(c);
  if (c->STRING()) {
    arg.text = unescaped(range(c->STRING()));
    out.args.push_back(std::move(arg));
    return;
  }
  auto items = c->expr();
  ExprP first = expr(items[0]);
  if (!c->IN() && !c->ASSIGN()) {
    arg.value = first;
    out.args.push_back(std::move(arg));
    return;
  }
  if (first->kind != Expr::Kind::Name || first->parenthesized) {
    diags_.report(diag::ExpectedNameBefore, first->range, c->IN() ? "in" : "=");
    return;
  }
  ast::Name left{first->name, first->range};
  if (c->ASSIGN()) {
    arg.name = left;
    arg.value = expr(items[1]);
    out.args.push_back(std::move(arg));
    return;
  }
  out.choices.push_back({left, list(c->list()->expr()), arg.range, range(c->list())});
}

std::string AstBuilder::unescaped(SourceRange literal) const {
  std::string out;
  for (uint32_t i = literal.begin + 1; i + 1 < literal.end; ++i) {
    char c = place_.text[i];
    if (c == '\\')
      c = place_.text[++i] == 'n' ? '\n' : place_.text[i];
    out += c;
  }
  return out;
}

std::vector<ast::Param> AstBuilder::params(P::ParamsContext *c) {
  std::vector<ast::Param> out;
  if (c)
    for (P::ParamContext *p : c->param())
      out.push_back({name(p->IDENT()), type(p->type()), range(p)});
  return out;
}

ast::TypeExpr AstBuilder::type(P::TypeContext *c) {
  ast::TypeExpr t;
  t.range = range(c);
  ast::Name head = name(c->IDENT(0));
  if (!c->list()) {
    t.elem = head;
    return t;
  }
  t.kind = head.text == "tensor" ? ast::TypeExpr::Kind::Tensor : ast::TypeExpr::Kind::Tile;
  if (head.text != "tensor" && head.text != "tile")
    diags_.report(diag::UnknownTypeForm, head.range, head.text);
  t.elem = name(c->IDENT(1));
  t.dims = list(c->list()->expr());
  if (t.dims.empty())
    diags_.report(diag::MissingExtents, range(c->list()), head.text);
  return t;
}

// ---- statements

Stmt &AstBuilder::make(Stmt::Kind kind, SourceRange r, SourceRange head) {
  Stmt &s = file_.stmts.emplace_back();
  s.kind = kind;
  s.range = r;
  s.headRange = head;
  return s;
}

ast::Block AstBuilder::block(P::BlockContext *c) {
  ast::Block b;
  b.range = range(c);
  for (P::LineContext *line : c->line())
    if (!isBroken(line) && !isBroken(line->statement()))
      b.statements.push_back(statement(line->statement()));
  return b;
}

StmtP AstBuilder::statement(P::StatementContext *c) {
  SourceRange r = range(c);
  if (auto *s = c->letStatement())
    return letStatement(s);
  if (auto *s = c->assignment())
    return assignment(s);
  if (auto *s = c->ifStatement())
    return ifStatement(s);
  if (auto *s = c->forStatement())
    return forStatement(s);
  if (auto *s = c->whileStatement()) {
    Stmt &out = make(Stmt::Kind::While, r, range(s->WHILE()).join(range(s->expr())));
    out.value = expr(s->expr());
    out.body = block(s->block());
    return &out;
  }
  if (auto *s = c->returnStatement()) {
    Stmt &out = make(Stmt::Kind::Return, r, range(s->RETURN()));
    if (s->expr())
      out.value = expr(s->expr());
    return &out;
  }
  if (c->block()) {
    Stmt &out = make(Stmt::Kind::Block, r, range(c->block()->LBRACE()));
    out.body = block(c->block());
    return &out;
  }
  return &make(c->BREAK() ? Stmt::Kind::Break : Stmt::Kind::Continue, r, r);
}

StmtP AstBuilder::letStatement(P::LetStatementContext *c) {
  Stmt &out = make(c->LET() ? Stmt::Kind::Let : Stmt::Kind::Var, range(c), range(c));
  out.name = name(c->IDENT());
  if (c->type())
    out.type = type(c->type());
  out.value = expr(c->expr());
  return &out;
}

StmtP AstBuilder::assignment(P::AssignmentContext *c) {
  auto sides = c->expr();
  if (sides.size() == 1) {
    Stmt &out = make(Stmt::Kind::Expr, range(c), range(c));
    out.value = expr(sides[0]);
    return &out;
  }
  Stmt &out = make(Stmt::Kind::Assign, range(c), range(c));
  out.target = expr(sides[0]);
  out.compound = binaryOpOf(tokenAt(c, 1)->getType());
  out.value = expr(sides[1]);
  return &out;
}

StmtP AstBuilder::ifStatement(P::IfStatementContext *c) {
  Stmt &out = make(Stmt::Kind::If, range(c), range(c->IF()).join(range(c->expr())));
  out.value = expr(c->expr());
  auto blocks = c->block();
  out.body = block(blocks[0]);
  out.hasElse = c->ELSE() != nullptr;
  if (P::IfStatementContext *nested = c->ifStatement()) {
    out.orElse.statements.push_back(ifStatement(nested));
    out.orElse.range = range(nested);
  } else if (blocks.size() > 1) {
    out.orElse = block(blocks[1]);
  }
  return &out;
}

StmtP AstBuilder::forStatement(P::ForStatementContext *c) {
  Stmt &out = make(Stmt::Kind::For, range(c), range(c->FOR()).join(range(c->RPAREN())));
  if (P::UnrollContext *u = c->unroll()) {
    ast::Name word = name(u->IDENT());
    if (word.text != "unroll")
      diags_.report(diag::UnknownLoopOption, word.range, word.text);
    out.unroll = binary(u->binary());
  }
  out.name = name(c->IDENT(0));
  ast::Name callee = name(c->IDENT(1));
  out.rangeCall = callee.range.join(range(c->RPAREN()));
  if (callee.text != "range")
    diags_.report(diag::LoopNeedsRange, callee.range, callee.text);
  if (c->arguments())
    for (P::ArgumentContext *a : c->arguments()->argument()) {
      if (a->expr().size() > 1)
        diags_.report(diag::NamedRangeArgument, range(a));
      out.rangeArgs.push_back(expr(a->expr(0)));
    }
  out.body = block(c->block());
  return &out;
}

// ---- expressions

Expr &AstBuilder::make(Expr::Kind kind, SourceRange r, SourceRange opRange) {
  Expr &e = file_.exprs.emplace_back();
  e.kind = kind;
  e.range = r;
  e.opRange = opRange;
  return e;
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
  ExprP left = binary(parts[0]), previous = left;
  std::string separate;
  for (size_t i = 1; i < parts.size(); ++i) {
    antlr4::Token *op = tokenAt(c, 2 * i - 1);
    ExprP right = binary(parts[i]);
    left = binary(*binaryOpOf(op->getType()), range(op), left, right);
    separate += (i > 1 ? " && " : "") + text(previous->range) + " " + text(range(op)) + " " + text(right->range);
    previous = right;
  }
  if (parts.size() > 2) {
    auto report = diags_.report(diag::ChainedComparison, left->range);
    report.help(separate.size() <= 200 ? "write '" + separate + "'" : "join the comparisons with '&&'");
  }
  return left;
}

ExprP AstBuilder::binary(P::BinaryContext *c) {
  if (c->postfix())
    return postfix(c->postfix());
  auto parts = c->binary();
  if (parts.size() == 1) {
    antlr4::Token *op = tokenAt(c, 0);
    return unary(op->getType() == P::SUB ? ast::UnaryOp::Neg : ast::UnaryOp::BitNot, range(op), binary(parts[0]));
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
    else
      diags_.report(diag::ExpectedNameBefore, first->range, "=");
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
  else if (std::from_chars(digits.data(), digits.data() + digits.size(), e.floatValue).ec == std::errc::result_out_of_range)
    e.floatValue = std::strtod(digits.c_str(), nullptr); // 0 or infinity, as rounding gives
  return &e;
}

} // namespace

void buildFile(P::FileContext *tree, TextPlace place, ast::File &file, Diagnostics &diags) {
  AstBuilder builder(place, file, diags);
  for (P::DeclarationContext *d : tree->declaration())
    builder.declaration(d);
}

ExprP buildExpression(P::ExprContext *tree, TextPlace place, ast::File &owner, Diagnostics &diags) {
  return AstBuilder(place, owner, diags).expr(tree);
}

} // namespace phobos::syntax
