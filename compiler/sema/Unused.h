// @autotune names that change nothing.
#pragma once
#include "compiler/sema/Space.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Ast.h"

namespace phobos::sema {

/// What a kernel's text says of its products, those in functions that it calls among them.
struct Products {
  bool any = false;
  bool contraction = false; ///< a loop adds some to a variable that it does not change otherwise

  /// Whether they give a meaning to a GEMM name that the kernel does not use itself: how many tiles are under
  /// way and how many threads there are concerns any product, all else contractions.
  bool giveMeaningTo(std::string_view name) const {
    return contraction || (any && (name == "THREADS" || name == "STAGES"));
  }
};

Products productsOf(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib);

/// Warns at each choice whose name the kernel does not use, nor its products; THREADS is used everywhere.
void warnUnusedNames(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                     Diagnostics &diags);

/// A GEMM name that the point sets, the kernel does not declare, and no product gives a meaning to, is no
/// override (spec, env.point.2).
void checkOverrides(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                    const Point &point, const Space &space, Diagnostics &diags);

} // namespace phobos::sema
