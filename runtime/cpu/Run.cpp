// A pool of threads that wait for grids. A grid is a counter of chunks of blocks; whoever is free takes the
// next.
#include "runtime/cpu/Run.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <sched.h>
#include <system_error>
#include <thread>
#include <vector>

namespace phobos {
namespace {

unsigned usableProcessors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// A thread's scratch, kept from one grid to the next.
class ThreadScratch {
public:
  void *get(uint64_t bytes) {
    if (bytes > bytes_) {
      const uint64_t rounded = (bytes + 4095) / 4096 * 4096;
      memory_.reset(std::aligned_alloc(4096, rounded));
      bytes_ = memory_ ? rounded : 0;
    }
    return memory_.get();
  }

private:
  struct Free {
    void operator()(void *p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory_;
  uint64_t bytes_ = 0;
};

struct Grid {
  CpuEntry entry;
  const CpuLaunch *launch;
  uint64_t scratchBytes;
  int64_t blocks, chunk;
  GridWatch *watch;
  unsigned wanted;      ///< helpers still welcome
  unsigned helpers = 0; ///< at work; both under the pool's lock
  std::atomic<int64_t> next{0};

  void work() {
    thread_local ThreadScratch scratch;
    void *memory = scratch.get(scratchBytes);
    if (!memory && scratchBytes) // the blocks are left to those who have memory; run() sees what nobody took
      return;
    for (int64_t first = next.fetch_add(chunk); first < blocks; first = next.fetch_add(chunk))
      if (int64_t last = first + std::min(chunk, blocks - first); !watch)
        entry(launch, first, last, memory);
      else if (!inPieces(first, last, memory))
        return void(next = blocks); // nobody takes another chunk
  }

  /// In pieces of some milliseconds, so that a count of blocks moves and a request to stop is seen.
  bool inPieces(int64_t first, int64_t last, void *memory) {
    using Clock = std::chrono::steady_clock;
    for (int64_t piece = 1; first < last;) {
      if (watch->isCancelled())
        return false;
      const int64_t count = std::min(piece, last - first);
      const Clock::time_point start = Clock::now();
      entry(launch, first, first + count, memory);
      if (Clock::now() - start < std::chrono::milliseconds(5) && piece < INT64_MAX / 2)
        piece *= 2;
      first += count;
      if (watch->done)
        watch->done->fetch_add(count, std::memory_order_relaxed);
    }
    return true;
  }
};

class Pool {
public:
  /// Lives as long as the process; its threads end with it.
  static Pool &instance() {
    static Pool *pool = new Pool;
    return *pool;
  }

  bool run(Grid &grid) {
    if (grid.wanted) {
      std::lock_guard lock(mutex_);
      grow(grid.wanted);
      if ((grid.wanted = std::min(grid.wanted, threads_)) > 0) {
        grids_.push_back(&grid);
        wake_.notify_all();
      }
    }
    grid.work();
    std::unique_lock lock(mutex_);
    std::erase(grids_, &grid);
    done_.wait(lock, [&] { return grid.helpers == 0; });
    return grid.next.load() >= grid.blocks;
  }

private:
  void grow(unsigned wanted) {
    while (threads_ < wanted) {
      try {
        std::thread([this] { loop(); }).detach();
      } catch (const std::system_error &) {
        return; // no more threads for this process: those that are there do the work
      }
      ++threads_;
    }
  }

  void loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return !grids_.empty(); });
      Grid *grid = grids_.front();
      ++grid->helpers;
      if (--grid->wanted == 0)
        grids_.pop_front();
      lock.unlock();
      grid->work();
      lock.lock();
      if (--grid->helpers == 0)
        done_.notify_all();
      std::erase(grids_, grid); // nothing left to take
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Grid *> grids_;
  unsigned threads_ = 0;
};

} // namespace

bool runOnCpu(CpuEntry entry, uint64_t scratchBytes, const CpuLaunch &launch, unsigned threads,
              GridWatch *watch) {
  int64_t blocks = 1;
  for (int64_t extent : launch.grid) {
    if (extent <= 0)
      return true;
    if (__builtin_mul_overflow(blocks, extent, &blocks))
      blocks = INT64_MAX; // longer than anybody waits
  }
  if (threads == 0)
    threads = usableProcessors();
  constexpr int64_t mostThreads = 1024;
  threads = static_cast<unsigned>(std::min({int64_t(threads), blocks, mostThreads}));
  // Small chunks even out blocks of unequal work, large ones keep the counter cheap.
  const int64_t chunk = std::max<int64_t>(1, blocks / (int64_t(threads) * 16));
  Grid grid{entry, &launch, scratchBytes, blocks, chunk, watch, threads - 1};
  return Pool::instance().run(grid);
}

} // namespace phobos
