// Declarations and statements.
#include "compiler/syntax/AstBuilder.h"
#include <algorithm>
#include <cctype>

namespace phobos::syntax {

using P = PhobosParser;
using ast::Expr;
using ast::ExprP;
using ast::Stmt;
using ast::StmtP;

antlr4::Token *tokenAt(antlr4::ParserRuleContext *c, size_t child) {
  auto *node = dynamic_cast<antlr4::tree::TerminalNode *>(c->children[child]);
  return node ? node->getSymbol() : nullptr;
}

std::optional<ast::BinaryOp> binaryOpOf(size_t tokenType) {
  using B = ast::BinaryOp;
  switch (tokenType) {
  case P::ADD:
  case P::ADD_ASSIGN:
    return B::Add;
  case P::SUB:
  case P::SUB_ASSIGN:
    return B::Sub;
  case P::MUL:
  case P::MUL_ASSIGN:
    return B::Mul;
  case P::DIV:
  case P::DIV_ASSIGN:
    return B::Div;
  case P::REM:
  case P::REM_ASSIGN:
    return B::Rem;
  case P::AND:
  case P::AND_ASSIGN:
    return B::And;
  case P::OR:
  case P::OR_ASSIGN:
    return B::Or;
  case P::XOR:
  case P::XOR_ASSIGN:
    return B::Xor;
  case P::SHL:
  case P::SHL_ASSIGN:
    return B::Shl;
  case P::SHR:
  case P::SHR_ASSIGN:
    return B::Shr;
  case P::LOGICAL_AND:
  case P::LOGICAL_AND_ASSIGN:
    return B::LogicalAnd;
  case P::LOGICAL_OR:
  case P::LOGICAL_OR_ASSIGN:
    return B::LogicalOr;
  case P::EQ:
    return B::Eq;
  case P::NE:
    return B::Ne;
  case P::LT:
    return B::Lt;
  case P::LE:
    return B::Le;
  case P::GT:
    return B::Gt;
  case P::GE:
    return B::Ge;
  default:
    return std::nullopt;
  }
}

// ---- declarations

void AstBuilder::file(P::FileContext *c) {
  for (P::DeclarationContext *d : c->declaration())
    declaration(d);
}

void AstBuilder::declaration(P::DeclarationContext *c) {
  std::vector<ast::Attribute> attributes;
  std::vector<ast::Name> lost;
  bool brokenAttribute = false;
  for (P::AttributeContext *a : c->attribute()) {
    if (!isBroken(a))
      if (auto whole = attribute(a)) {
        attributes.push_back(std::move(*whole));
        continue;
      }
    brokenAttribute = true;
    for (ast::Name &n : wordsOf(a))
      lost.push_back(std::move(n));
  }
  P::KernelContext *k = c->kernel();
  P::FunctionContext *f = c->function();
  P::HeadContext *head = k ? k->head() : f ? f->head() : nullptr;
  bool isNamed = head && head->IDENT();
  if (isBroken(c)) {
    if (f && isNamed)
      file_.lostNames.push_back(name(head->IDENT()).text);
    return;
  }
  if (!isNamed)
    return;
  P::BlockContext *body = k ? k->block() : f->block();
  bool broken = isBroken(head) || isBroken(body);
  SourceRange signature =
      head->RPAREN() ? range(head->IDENT()).join(range(head->RPAREN())) : range(head->IDENT());
  std::vector<ast::Param> known = params(head->params());
  if (isBroken(head) && !known.empty() && known.back().type.kind == ast::TypeExpr::Kind::Scalar &&
      !scalarTypeNamed(known.back().type.elem.text))
    known.pop_back(); // `x: tl.constexpr`, `x: float*`: the type is what could not be read
  broken |= head->params() && known.size() != head->params()->param().size();
  if (k) {
    auto kernel = std::make_unique<ast::Kernel>();
    kernel->name = name(head->IDENT());
    kernel->attributes = std::move(attributes);
    kernel->hasBrokenAttribute = brokenAttribute;
    kernel->hasBrokenSignature = broken;
    if (broken)
      addLost(head, known, lost);
    kernel->lostNames = std::move(lost);
    kernel->params = std::move(known);
    kernel->signature = signature;
    kernel->body = block(body);
    kernel->range = range(c);
    file_.kernels.push_back(std::move(kernel));
    return;
  }
  for (const ast::Attribute &a : attributes)
    diags_.report(diag::FunctionAttribute, a.range, a.name.text);
  auto function = std::make_unique<ast::Function>();
  function->name = name(head->IDENT());
  if (broken)
    addLost(head, known, function->lostNames);
  function->params = std::move(known);
  function->signature = signature;
  if (P::ResultContext *result = f->result()) {
    broken |= isBroken(result);
    if (!isBroken(result)) {
      function->result = type(result->type());
      function->signature = function->signature.join(function->result->range);
    }
  }
  function->body = block(body);
  function->range = range(f);
  if (broken)
    file_.lostNames.push_back(function->name.text);
  (broken ? file_.brokenFunctions : file_.functions).push_back(std::move(function));
}

/// The words of a signature that stand in no parameter that could be read: they may be parameters.
void AstBuilder::addLost(P::HeadContext *c, const std::vector<ast::Param> &known,
                         std::vector<ast::Name> &lost) const {
  SourceRange whole = range(c);
  std::vector<ast::Name> inside;
  for (const ast::Param &p : known)
    for (ast::Name &n : words(p.range.begin, p.range.end))
      inside.push_back(std::move(n));
  for (ast::Name &n : words(range(c->IDENT()).end, whole.end)) {
    bool isKnown = std::any_of(inside.begin(), inside.end(),
                               [&](const ast::Name &other) { return other.text == n.text; });
    if (!isKnown && n.text != "tensor" && n.text != "tile" && !scalarTypeNamed(n.text))
      lost.push_back(std::move(n));
  }
}

/// The identifiers of an attribute that could not be read, up to where the parser went on.
std::vector<ast::Name> AstBuilder::wordsOf(P::AttributeContext *c) const {
  size_t begin = c->getStart()->getStartIndex(), end = place_.text.find_first_of("@{", begin + 1);
  return words(begin, std::min(end, place_.text.size()));
}

/// The identifiers in [i, end), up to a keyword that begins a declaration.
std::vector<ast::Name> AstBuilder::words(size_t i, size_t end) const {
  std::vector<ast::Name> out;
  auto isWord = [](char x) { return std::isalnum(static_cast<unsigned char>(x)) || x == '_' || (x & 0x80); };
  std::string_view text = place_.text;
  for (; i < end; ++i) {
    if (!isWord(text[i]))
      continue;
    size_t begin = i;
    while (i < end && isWord(text[i]))
      ++i;
    std::string word(text.substr(begin, i - begin));
    if (word == "kernel" || word == "fn")
      break;
    if (!std::isdigit(static_cast<unsigned char>(word[0])))
      out.push_back({std::move(word), {static_cast<uint32_t>(begin), static_cast<uint32_t>(i), place_.file}});
  }
  return out;
}

/// Null where it holds what no attribute can (reported).
std::optional<ast::Attribute> AstBuilder::attribute(P::AttributeContext *c) {
  ast::Attribute a;
  a.name = name(c->IDENT());
  a.range = range(c);
  a.hasParens = c->LPAREN() != nullptr;
  bool ok = true;
  for (P::AttributeArgContext *arg : c->attributeArg())
    ok &= attributeArg(arg, a);
  return ok ? std::optional(std::move(a)) : std::nullopt;
}

bool AstBuilder::attributeArg(P::AttributeArgContext *c, ast::Attribute &out) {
  ast::Attribute::Arg arg;
  arg.range = range(c);
  if (c->STRING()) {
    arg.text = unescaped(range(c->STRING()));
    out.args.push_back(std::move(arg));
    return true;
  }
  auto items = c->expr();
  ExprP first = expr(items[0]);
  if (!c->IN() && !c->ASSIGN()) {
    arg.value = first;
    out.args.push_back(std::move(arg));
    return true;
  }
  if (first->kind != Expr::Kind::Name || first->parenthesized) {
    diags_.report(diag::ExpectedNameBefore, first->range, c->IN() ? "in" : "=");
    return false;
  }
  ast::Name left{first->name, first->range};
  if (c->ASSIGN()) {
    arg.name = left;
    arg.value = expr(items[1]);
    out.args.push_back(std::move(arg));
    return true;
  }
  out.choices.push_back({left, list(c->list()->expr()), arg.range, range(c->list())});
  return true;
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
      if (!isBroken(p))
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
  for (P::LineContext *line : c->line()) {
    if (!isBroken(line) && !isBroken(line->statement())) {
      b.statements.push_back(statement(line->statement()));
      continue;
    }
    b.statements.push_back(broken(line));
    antlr4::Token *first = line->getStart();
    if (first->getType() != P::LET && first->getType() != P::VAR)
      continue;
    for (ast::Name &n : declaredTogether(range(first).end)) {
      Stmt &declared = make(Stmt::Kind::Broken, range(first), range(first));
      declared.name = std::move(n);
      b.statements.push_back(&declared);
    }
  }
  return b;
}

StmtP AstBuilder::broken(P::LineContext *c) {
  antlr4::Token *first = c->getStart();
  Stmt &out = make(Stmt::Kind::Broken, range(first), range(first));
  P::StatementContext *s = c->statement();
  if (P::LetStatementContext *let = s ? s->letStatement() : nullptr; let && let->IDENT())
    out.name = name(let->IDENT());
  else if (P::ForStatementContext *loop = s ? s->forStatement() : nullptr; loop && loop->IDENT(0))
    out.name = name(loop->IDENT(0)); // its body may stand behind it, read as statements
  else if (first->getType() == P::IDENT)
    out.name = declaredAsInC(range(first).end);
  return &out;
}

/// The names in `let (a, b) = ..` and `let a, b = ..`, `at` being the end of `let`; none where it is one
/// name.
std::vector<ast::Name> AstBuilder::declaredTogether(uint32_t at) const {
  std::string_view text = place_.text;
  std::vector<ast::Name> names;
  for (size_t next = at; next < text.size();) {
    size_t begin = std::min(text.find_first_not_of(" \t([", next), text.size()), end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    if (begin == end)
      break;
    names.push_back({std::string(text.substr(begin, end - begin)),
                     {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), place_.file}});
    next = std::min(text.find_first_not_of(" \t", end), text.size());
    if (next == text.size() || text[next] != ',')
      break;
    ++next;
  }
  if (names.size() == 1 && text.substr(at, names[0].range.begin - at).find_first_of("([") == text.npos)
    names.clear();
  return names;
}

/// The name in `int i = 3`, `at` being the end of its first word; else an empty one.
ast::Name AstBuilder::declaredAsInC(uint32_t at) const {
  std::string_view text = place_.text;
  auto skipSpaces = [&](size_t i) { return std::min(text.find_first_not_of(" \t*", i), text.size()); };
  size_t begin = skipSpaces(at), end = begin;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  size_t next = skipSpaces(end);
  if (begin == at || begin == end || next >= text.size() || text[next] != '=' ||
      text.substr(next).starts_with("=="))
    return {};
  return {std::string(text.substr(begin, end - begin)),
          {static_cast<uint32_t>(begin), static_cast<uint32_t>(end), place_.file}};
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
    diags_.report(diag::LoopNeedsRange, callee.range, callee.text)
        .help(callee.text == "static_range" ? "write 'for<unroll 4> i in range(lo, hi) { .. }'"
                                            : "write 'for i in range(lo, hi, step) { .. }'");
  if (c->arguments())
    for (P::ArgumentContext *a : c->arguments()->argument()) {
      if (a->expr().size() > 1)
        diags_.report(diag::NamedRangeArgument, range(a));
      out.rangeArgs.push_back(expr(a->expr(0)));
    }
  out.body = block(c->block());
  return &out;
}

} // namespace phobos::syntax
