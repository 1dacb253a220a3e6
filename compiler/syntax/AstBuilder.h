// ANTLR's parse tree to the syntax tree. Internal to the files that include ANTLR.
#pragma once
#include "PhobosParser.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Types.h"
#include "compiler/syntax/Ast.h"

namespace phobos::syntax {

/// What an AstBuilder needs to know about the text.
struct TextPlace {
  std::string_view text;
  uint32_t file;
};

/// Makes nodes in `file`. What has a syntax error is left out, or stands there as Broken, with the name that
/// it would have declared, so that its uses are not errors too.
class AstBuilder {
  using P = PhobosParser;
  using Expr = ast::Expr;
  using ExprP = ast::ExprP;
  using Stmt = ast::Stmt;
  using StmtP = ast::StmtP;

public:
  AstBuilder(TextPlace place, ast::File &file, Diagnostics &diags)
      : place_(place), file_(file), diags_(diags) {}

  void file(P::FileContext *c);
  ExprP expr(P::ExprContext *c);

private:
  // places
  SourceRange range(antlr4::Token *t) const {
    return {static_cast<uint32_t>(t->getStartIndex()), static_cast<uint32_t>(t->getStopIndex() + 1),
            place_.file};
  }
  SourceRange range(antlr4::tree::TerminalNode *n) const { return range(n->getSymbol()); }
  SourceRange range(antlr4::ParserRuleContext *c) const {
    return range(c->getStart()).join(range(c->getStop()));
  }
  std::string text(SourceRange r) const { return std::string(place_.text.substr(r.begin, r.end - r.begin)); }
  ast::Name name(antlr4::tree::TerminalNode *n) const { return {text(range(n)), range(n)}; }
  template <typename C> static bool isBroken(C *c) { return !c || c->exception; }

  // declarations
  void declaration(P::DeclarationContext *c);
  std::optional<ast::Attribute> attribute(P::AttributeContext *c);
  std::vector<ast::Name> wordsOf(P::AttributeContext *c) const;
  std::vector<ast::Name> words(size_t begin, size_t end) const;
  void addLost(P::HeadContext *c, const std::vector<ast::Param> &known, std::vector<ast::Name> &lost) const;
  bool attributeArg(P::AttributeArgContext *c, ast::Attribute &out);
  std::vector<ast::Param> params(P::ParamsContext *c);
  ast::TypeExpr type(P::TypeContext *c);
  std::string unescaped(SourceRange literal) const;

  // statements
  ast::Block block(P::BlockContext *c);
  StmtP statement(P::StatementContext *c);
  StmtP broken(P::LineContext *c);
  ast::Name declaredAsInC(uint32_t at) const;
  std::vector<ast::Name> declaredTogether(uint32_t at) const;
  Stmt &make(Stmt::Kind kind, SourceRange range, SourceRange head);
  StmtP letStatement(P::LetStatementContext *c);
  StmtP assignment(P::AssignmentContext *c);
  StmtP ifStatement(P::IfStatementContext *c);
  StmtP forStatement(P::ForStatementContext *c);

  // expressions: AstExpressions.cpp
  Expr &make(Expr::Kind kind, SourceRange range, SourceRange opRange);
  ExprP logical(P::LogicalContext *c);
  ExprP comparison(P::ComparisonContext *c);
  bool writesType(P::ComparisonContext *c) const;
  ExprP typeAsValue(P::ComparisonContext *c);
  ExprP binary(P::BinaryContext *c);
  ExprP postfix(P::PostfixContext *c);
  ExprP primary(P::PrimaryContext *c);
  ExprP call(P::PrimaryContext *c);
  ExprP literal(P::PrimaryContext *c);
  ExprP list(P::ListContext *c);
  ExprP broken(SourceRange range, std::vector<ExprP> parts);
  ExprP unary(ast::UnaryOp op, SourceRange opRange, ExprP operand);
  ExprP binary(ast::BinaryOp op, SourceRange opRange, ExprP a, ExprP b);
  ast::Subscript subscript(P::SubscriptContext *c);
  std::vector<ExprP> list(const std::vector<P::ExprContext *> &items);

  TextPlace place_;
  ast::File &file_;
  Diagnostics &diags_;
};

/// The token that is child `child` of `c`; null if it is a rule.
antlr4::Token *tokenAt(antlr4::ParserRuleContext *c, size_t child);
/// The operation of a binary operator, or of the assignment with it.
std::optional<ast::BinaryOp> binaryOpOf(size_t tokenType);

} // namespace phobos::syntax
