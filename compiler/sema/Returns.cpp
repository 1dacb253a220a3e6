#include "compiler/sema/Returns.h"
#include <algorithm>

namespace phobos::sema {

using K = ast::Stmt::Kind;

/// A break that leaves the loop whose body this is (those of inner loops do not).
static bool breaksOut(const ast::Block &block) {
  return std::any_of(block.statements.begin(), block.statements.end(), [](ast::StmtP s) {
    return s->kind == K::Break ||
           ((s->kind == K::If || s->kind == K::Block) && (breaksOut(s->body) || breaksOut(s->orElse)));
  });
}

static bool alwaysReturns(const ast::Stmt &s) {
  switch (s.kind) {
  case K::Return:
  case K::Broken: // it may have been one
    return true;
  case K::If:
    return s.hasElse && alwaysReturns(s.body) && alwaysReturns(s.orElse);
  case K::Block:
    return alwaysReturns(s.body);
  case K::While: // `while true` without a break never goes on
    return s.value->kind == ast::Expr::Kind::Bool && s.value->boolValue && !breaksOut(s.body);
  default:
    return false;
  }
}

bool alwaysReturns(const ast::Block &block) {
  return std::any_of(block.statements.begin(), block.statements.end(),
                     [](ast::StmtP s) { return alwaysReturns(*s); });
}

void reportMissingReturn(const ast::Function &f, Diagnostics &diags) {
  diags.report(diag::MissingReturn, f.signature, f.name.text)
      .help("every path of a function that declares a result ends in 'return value'");
}

} // namespace phobos::sema
