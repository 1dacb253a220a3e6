// @autotune names that change nothing.
#pragma once
#include "compiler/sema/Space.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Ast.h"

namespace phobos::sema {

/// Warns at each choice whose name the kernel does not use. The names of a GEMM count as used where a loop
/// adds products to a variable (in the kernel, or in a function that it calls there), THREADS and STAGES
/// everywhere.
void warnUnusedNames(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                     Diagnostics &diags);

/// A GEMM name that the point sets, the kernel does not declare, and no product gives a meaning to, is no
/// override (spec, env.point.2).
void checkOverrides(const ast::File &file, const ast::Kernel &kernel, const ast::File *stdlib,
                    const Point &point, const Space &space, Diagnostics &diags);

} // namespace phobos::sema
