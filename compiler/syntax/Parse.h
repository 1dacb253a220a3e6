// Text to syntax tree.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include "compiler/syntax/Ast.h"
#include <memory>

namespace phobos::syntax {

inline constexpr size_t kMaxTextBytes = size_t(16) << 20;

/// Parses file `index` of `sources`. Never null: after errors the tree holds the declarations that could be
/// read, and the caller looks at `diags`. Errors do not cascade: recovery resumes at the next statement or
/// declaration. Limits (E01xx): 16 MiB of text, 256 levels of nesting.
std::unique_ptr<ast::File> parse(const SourceManager &sources, uint32_t index, Diagnostics &diags);

/// Parses `text` as one expression (`--point .. @ M <= 1024`, a legality formula); null after errors. The
/// node lives in `owner`.
ast::ExprP parseExpression(const SourceManager &sources, uint32_t index, ast::File &owner,
                           Diagnostics &diags);

} // namespace phobos::syntax
