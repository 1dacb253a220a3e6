// Where control can end: every path of a function that declares a result returns.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Ast.h"

namespace phobos::sema {

/// Whether control cannot reach the end of the block.
bool alwaysReturns(const ast::Block &block);
void reportMissingReturn(const ast::Function &f, Diagnostics &diags);

} // namespace phobos::sema
