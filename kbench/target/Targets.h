// The targets that this build can search on.
#pragma once
#include "kbench/Backend.h"

namespace phobos::kbench {

/// In the order in which `auto` prefers them.
std::vector<Target> allTargets();
Target interpTarget();
Target cpuTarget();
Target gpuTarget();

} // namespace phobos::kbench
