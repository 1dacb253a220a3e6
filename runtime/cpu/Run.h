// Runs a compiled CPU kernel over a grid, blocks spread over a pool of threads.
#pragma once
#include "runtime/cpu/CpuAbi.h"
#include <array>
#include <atomic>
#include <cstdint>

namespace phobos {

/// For whoever wants to see a grid's progress, or to stop it.
struct GridWatch {
  std::atomic<int64_t> *done = nullptr; ///< blocks, counted up
  const std::atomic<bool> *cancel = nullptr;
  bool isCancelled() const { return cancel && cancel->load(std::memory_order_relaxed); }
};

/// Blocks until the grid is done, or `watch` is cancelled. `threads` = 0: all the process may use; where the
/// system gives fewer, they do it. Thread-safe; concurrent calls share the pool. False, with nothing run,
/// where no thread has memory for its scratch.
bool runOnCpu(CpuEntry entry, uint64_t scratchBytes, const CpuLaunch &launch, unsigned threads = 0,
              GridWatch *watch = nullptr);

} // namespace phobos
