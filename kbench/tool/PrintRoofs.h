// What a device can do at most, without a kernel: phobos-kbench --roof.
#pragma once
#include "kbench/Backend.h"

namespace phobos::kbench {

/// Measures the copy and products of every type, one line each; an exit status.
int printRoofs(const Target &target, int device, const std::vector<std::string> &workerCommand);

} // namespace phobos::kbench
