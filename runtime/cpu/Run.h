// Runs a compiled CPU kernel over a grid, blocks spread over a pool of threads.
#pragma once
#include "runtime/cpu/CpuAbi.h"
#include <array>
#include <cstdint>

namespace phobos {

/// Blocks until the grid is done. `threads` = 0: all the process may use; where the system gives fewer, they
/// do it. Thread-safe; concurrent calls share the pool. False, with nothing run, where no thread has memory
/// for its scratch.
bool runOnCpu(CpuEntry entry, uint64_t scratchBytes, const CpuLaunch &launch, unsigned threads = 0);

} // namespace phobos
