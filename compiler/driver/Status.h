// The exit statuses of the tools, and which one an error means: one table for all of them.
#pragma once
#include "compiler/support/Diagnostics.h"

namespace phobos {

enum ExitStatus : int {
  Success = 0,
  InputFault = 1,       ///< what was given is wrong: a source, a point, an array
  UsageFault = 2,       ///< the command line cannot be read
  EnvironmentFault = 3, ///< files, driver, memory
};

namespace driver {

/// What a tool exits with for this error; Success for a warning.
int statusOf(diag id);
/// That of the first error; Success where there is none.
int statusOf(const Diagnostics &diags);

} // namespace driver
} // namespace phobos
