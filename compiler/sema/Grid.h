// The launch grid, from what the kernel stores where (spec/attributes.md, "@grid").
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"

namespace phobos::sema {

/// Fills TypedKernel::grid: `inferred` wherever the stores say how many blocks cover them, and `axes` unless
/// @grid gave them. A block coordinate c whose stores along an axis of extent M begin at `c * T` and fill T
/// elements needs cdiv(M, T) blocks (the T elements may be one slice, several, those of a loop, or one a
/// thread); as a point, M; used nowhere, 1. Anything else is error E0220, which says why and what to write;
/// or, where the host gives the grid anyway, as if @grid(host) stood there.
void inferGrid(TypedKernel &kernel, bool isGivenByHost, Diagnostics &diags);

} // namespace phobos::sema
