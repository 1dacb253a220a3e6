// Work on many elements, by all of the processor that this process may use.
#pragma once
#include <algorithm>
#include <cstdint>
#include <sched.h>
#include <thread>
#include <vector>

namespace phobos {

/// Calls `work(begin, end)` for parts of [0, count) that cover it, at once; few elements in one call on this
/// thread. The parts are called in no order.
template <typename Work> void inParallel(int64_t count, const Work &work) {
  constexpr int64_t leastPart = int64_t(1) << 17;
  cpu_set_t set;
  CPU_ZERO(&set);
  const int64_t processors = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  const int64_t parts = std::clamp<int64_t>(count / leastPart, 1, std::min<int64_t>(processors, 64));
  auto at = [&](int64_t part) { return count / parts * part + std::min(part, count % parts); };
  std::vector<std::thread> threads;
  for (int64_t p = 1; p < parts; ++p)
    threads.emplace_back([&work, begin = at(p), end = at(p + 1)] { work(begin, end); });
  work(int64_t(0), at(1));
  for (std::thread &t : threads)
    t.join();
}

} // namespace phobos
