// Warnings where the zeros that a slice reads past the end of its tensor can change a result
// (spec/expressions.md).
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"

namespace phobos::sema {

/// Warns at each reduction or scan by max, min or product, and each arg-reduction, along an axis on which its
/// operand may hold fill zeros. A slice may hold them on an axis unless it provably stays inside; elementwise
/// operations, the free axes of dot and shape operations pass the mark on, `where` and `load(.., fill = ..)`
/// clear it.
void warnFillZeros(const TypedKernel &kernel, Diagnostics &diags);

} // namespace phobos::sema
