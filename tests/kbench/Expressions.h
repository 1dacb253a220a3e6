// Syntax trees of constant expressions, written in C++: `name("A") * 2 <= 1024`.
#pragma once
#include "compiler/syntax/Ast.h"
#include <memory>
#include <vector>

namespace phobos::kbench::test {

/// Owns what it made.
class Trees {
public:
  ast::ExprP number(int64_t v) {
    return make(ast::Expr::Kind::Int, [v](ast::Expr &e) { e.intValue = static_cast<uint64_t>(v); });
  }
  ast::ExprP name(std::string text) {
    return make(ast::Expr::Kind::Name, [&](ast::Expr &e) { e.name = text; });
  }
  ast::ExprP binary(ast::BinaryOp op, ast::ExprP a, ast::ExprP b) {
    return make(ast::Expr::Kind::Binary, [&](ast::Expr &e) { e.binaryOp = op, e.args = {a, b}; });
  }
  ast::ExprP unary(ast::UnaryOp op, ast::ExprP a) {
    return make(ast::Expr::Kind::Unary, [&](ast::Expr &e) { e.unaryOp = op, e.args = {a}; });
  }
  ast::ExprP conditional(ast::ExprP value, ast::ExprP condition, ast::ExprP otherwise) {
    return make(ast::Expr::Kind::Conditional, [&](ast::Expr &e) { e.args = {value, condition, otherwise}; });
  }
  ast::ExprP call(std::string callee, std::vector<ast::ExprP> args) {
    return make(ast::Expr::Kind::Call, [&](ast::Expr &e) { e.name = callee, e.args = args; });
  }
  ast::ExprP product(const std::vector<std::string> &names) {
    ast::ExprP e = name(names[0]);
    for (size_t i = 1; i < names.size(); ++i)
      e = binary(ast::BinaryOp::Mul, e, name(names[i]));
    return e;
  }

private:
  template <typename Set> ast::ExprP make(ast::Expr::Kind kind, Set set) {
    ast::Expr &e = owned_.emplace_back();
    e.kind = kind;
    set(e);
    return &e;
  }
  std::deque<ast::Expr> owned_;
};

} // namespace phobos::kbench::test
