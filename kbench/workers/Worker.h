// The body of a worker process: reads the greeting and then requests from standard input, answers each with a
// line.
#pragma once
#include "kbench/Backend.h"

namespace phobos::kbench {

/// `role` is `compile` or `device`. Returns the exit status; ends when standard input does.
int runWorker(const std::string &role, const std::vector<Target> &targets);

} // namespace phobos::kbench
