// Every statement and expression of a typed kernel in program order, the bodies of called functions included.
#pragma once
#include "compiler/sema/Typed.h"

namespace phobos::sema {

/// Derive and override. An expression's operands come before it, a statement's expressions before it and its
/// blocks after.
class TreeWalk {
public:
  virtual ~TreeWalk() = default;
  void block(const Block &b) {
    for (StmtP s : b.statements)
      statement(*s);
  }

protected:
  virtual void onStatement(const Stmt &) {}
  virtual void onExpr(const Expr &) {}
  /// A function's parameter gets its value.
  virtual void onParam(VarId, ExprP) {}

private:
  void subscripts(const std::vector<Subscript> &list) {
    for (const Subscript &s : list)
      expr(s.start);
  }

  void statement(const Stmt &s) {
    for (ExprP e : {s.value, s.mask, s.lo, s.hi, s.step})
      expr(e);
    subscripts(s.subscripts);
    onStatement(s);
    block(s.body);
    block(s.orElse);
  }

  void expr(ExprP e) {
    if (!e)
      return;
    for (ExprP a : e->args)
      expr(a);
    subscripts(e->subscripts);
    if (e->op == Op::Call) {
      for (size_t i = 0; i < e->args.size() && i < e->call->params.size(); ++i)
        onParam(e->call->params[i], e->args[i]);
      block(e->call->body);
    }
    onExpr(*e);
  }
};

} // namespace phobos::sema
