// Semantic analysis: an AST at a point becomes a typed kernel, or diagnostics.
#pragma once
#include "compiler/sema/Space.h"
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Ast.h"
#include <memory>

namespace phobos::sema {

struct CheckOptions {
  bool warnings = true;   ///< off where a space is walked: they were given once
  bool gridGiven = false; ///< the host gives the grid: one that the stores do not say is left to it
};

/// Checks one kernel at `point` (complete, see completePoint). `stdlib` may be null. Null result iff errors
/// were reported. A point that a constant @require rejects is error E0801 (IllegalPoint), not a crash.
std::unique_ptr<TypedKernel> check(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                                   const Point &point, Diagnostics &diags, const CheckOptions &options = {});

/// What concerns the file as a whole: two kernels of one name, functions that clash or that nothing
/// instantiates.
void checkFile(const ast::File &file, const ast::File *stdlib, Diagnostics &diags);

} // namespace phobos::sema
