// Entry points of the tools. Each parses its own command line and returns the exit status: 0 success, 1 the
// input is at fault, 2 usage, 3 the environment (files, driver, memory).
#pragma once
#include "compiler/driver/Status.h"

namespace phobos::tools {

#define TOOL(NAME, FUNCTION, SUMMARY) int FUNCTION(int argc, char **argv);
#include "compiler/tools/Tools.def"

} // namespace phobos::tools
