// Which threads may see different values (spec/threads.md).
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"

namespace phobos::sema {

/// Fills the variance of every expression and variable, Stmt::control, and oncePerBlock of stores and
/// atomics. A variable is varied if a value given to it is, or if it is assigned where only some of the
/// threads that see it get to. Errors E062x where threads that do not all take part meet a collective
/// operation, where a value of one thread is needed as one of the block, and where different values are
/// stored to one place.
void inferUniformity(TypedKernel &kernel, Diagnostics &diags);

} // namespace phobos::sema
