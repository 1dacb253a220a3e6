// Entry points of the tools. Each parses its own command line and returns the exit status: 0 success, 1 the
// input is at fault, 2 usage, 3 the environment (files, driver, memory).
#pragma once

namespace phobos::tools {

#define TOOL(NAME, FUNCTION, SUMMARY) int FUNCTION(int argc, char **argv);
#include "compiler/tools/Tools.def"

enum ExitStatus : int { Success = 0, InputFault = 1, UsageFault = 2, EnvironmentFault = 3 };

} // namespace phobos::tools
