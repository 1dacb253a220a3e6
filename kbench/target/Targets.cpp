#include "kbench/target/Targets.h"

namespace phobos::kbench {

std::vector<Target> allTargets() { return {gpuTarget(), cpuTarget(), interpTarget()}; }

} // namespace phobos::kbench
