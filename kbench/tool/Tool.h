// phobos-kbench as a call.
#pragma once
#include "kbench/Backend.h"
#include "kbench/tool/Options.h"

namespace phobos::kbench {

/// Exit status: 0 a point passed (or --list, --best, --merge did what was asked), 1 the input is at fault or
/// nothing passed, 2 usage, 3 files, workers, memory. `workerCommand` starts a worker when the role is added.
int runKbench(const Options &options, const std::vector<Target> &targets,
              const std::vector<std::string> &workerCommand);

} // namespace phobos::kbench
