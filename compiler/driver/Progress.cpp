#include "compiler/driver/Progress.h"
#include "runtime/cuda/Assemble.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace phobos::driver {

bool countBlocks(const std::array<int64_t, 3> &grid, int64_t &blocks) {
  blocks = 1;
  for (int64_t extent : grid)
    if (__builtin_mul_overflow(blocks, extent, &blocks))
      return false;
  return true;
}

std::string durationText(double seconds) {
  const std::pair<double, const char *> units[] = {
      {60, "s"}, {60, "minutes"}, {24, "hours"}, {365, "days"}, {0, "years"}};
  char text[48];
  double value = seconds;
  for (const auto &[size, unit] : units) {
    if (size == 0 || value < 2 * size) {
      std::snprintf(text, sizeof text, value < 10 || value >= 1e6 ? "%.2g %s" : "%.0f %s", value, unit);
      break;
    }
    value /= size;
  }
  return text;
}

std::string progressText(int64_t done, int64_t blocks, double seconds) {
  std::string text = std::to_string(done) + " of " + std::to_string(blocks) + " blocks";
  if (done == 0)
    return text + ", " + durationText(seconds);
  char share[32];
  const double part = static_cast<double>(done) / static_cast<double>(blocks);
  std::snprintf(share, sizeof share, " (%.3g %%), ", 100 * part);
  return text + share + durationText(seconds) + ", about " + durationText(seconds / part - seconds) + " left";
}

Progress::Progress(int64_t blocks, const std::atomic<int64_t> &done, bool isShown,
                   std::function<void(const std::string &)> tooLong)
    : blocks_(blocks), done_(done), isShown_(isShown), tooLong_(std::move(tooLong)),
      thread_([this] { watch(); }) {}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Progress::watch() {
  using Clock = std::chrono::steady_clock;
  constexpr double aYear = 365.0 * 86400;
  const Clock::time_point start = Clock::now();
  auto pause = std::chrono::milliseconds(1000);
  bool isDirty = false, isTold = false;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, pause, [&] { return isOver_; })) {
    pause = std::chrono::milliseconds(250);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const int64_t done = done_.load(std::memory_order_relaxed);
    const double all = done ? seconds * (static_cast<double>(blocks_) / static_cast<double>(done)) : 0;
    if (isDirty)
      std::fprintf(stderr, "\r\x1b[K");
    if (all > aYear && !std::exchange(isTold, true))
      tooLong_("about " + durationText(all));
    if ((isDirty = isShown_)) {
      std::fprintf(stderr, "%s", progressText(done, blocks_, seconds).c_str());
      std::fflush(stderr);
    }
  }
  if (isDirty)
    std::fprintf(stderr, "\r\x1b[K");
}

std::string compiling(const std::string &kernel, const std::string &target) {
  return "compiling '" + kernel + "' for " + target;
}

std::string assembling(const std::string &target) {
  return cuda::assemblerFound() + " assembles the code for " + target;
}

Waiting::Waiting(std::string tool, bool isTerminal, Times after)
    : tool_(std::move(tool)), isTerminal_(isTerminal), after_(after), since_(Clock::now()),
      thread_([this] { watch(); }) {}

Waiting::~Waiting() {
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Waiting::at(const std::string &what) {
  std::lock_guard lock(mutex_);
  what_ = what;
  since_ = Clock::now();
  isTold_ = false;
}

void Waiting::watch() {
  const auto pause =
      std::min(std::chrono::milliseconds(250), isTerminal_ ? after_.terminal : after_.elsewhere);
  bool isDirty = false;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, pause, [&] { return isOver_; })) {
    const auto passed = Clock::now() - since_;
    if (std::exchange(isDirty, false))
      std::fprintf(stderr, "\r\x1b[K");
    if (what_.empty() || passed < (isTerminal_ ? after_.terminal : after_.elsewhere) || isTold_)
      continue;
    const std::string text = what_ + ", " + durationText(std::chrono::duration<double>(passed).count());
    if (isTerminal_) {
      std::fprintf(stderr, "%s", text.c_str());
      isDirty = true;
    } else {
      std::fprintf(stderr, "%s: %s so far\n", tool_.c_str(), text.c_str());
      isTold_ = true;
    }
    std::fflush(stderr);
  }
  if (isDirty)
    std::fprintf(stderr, "\r\x1b[K");
}

} // namespace phobos::driver
