// From the command line's --arg, --dim and --grid to the arguments of a launch.
#pragma once
#include "compiler/driver/Execute.h"
#include "compiler/driver/RunTool.h"

namespace phobos::driver {

struct PreparedLaunch {
  HostArguments arguments;
  BoundLaunch launch;
};

/// Reads files, fills arrays by their rules and checks everything against the contract. A tensor that is only
/// written need not be given. False with an error in `diags`.
bool prepareLaunch(const sema::TypedKernel &kernel, const Contract &contract, const RunRequest &request,
                   PreparedLaunch &result, Diagnostics &diags);

} // namespace phobos::driver
