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

StatusLine::StatusLine(Pause first, Pause pause, std::function<std::string()> line)
    : line_(std::move(line)), thread_([this, first, pause] { watch(first, pause); }) {}

StatusLine::~StatusLine() {
  {
    std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void StatusLine::watch(Pause first, Pause pause) {
  bool isDirty = false;
  auto clear = [&] {
    if (std::exchange(isDirty, false))
      std::fprintf(stderr, "\r\x1b[K");
  };
  std::unique_lock lock(mutex_);
  for (Pause next = first; !wake_.wait_for(lock, next, [&] { return isOver_; }); next = pause) {
    clear();
    const std::string line = line_();
    isDirty = !line.empty();
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
  }
  clear();
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr StatusLine::Pause kPause{250};

Progress::Progress(int64_t blocks, const std::atomic<int64_t> &done, bool isShown,
                   std::function<void(const std::string &)> tooLong)
    : blocks_(blocks), done_(done), isShown_(isShown), tooLong_(std::move(tooLong)),
      status_(StatusLine::Pause(1000), kPause, [this] { return line(); }) {}

std::string Progress::line() {
  constexpr double aYear = 365.0 * 86400;
  const double seconds = secondsSince(since_);
  const int64_t done = done_.load(std::memory_order_relaxed);
  const double all = done ? seconds * (static_cast<double>(blocks_) / static_cast<double>(done)) : 0;
  if (all > aYear && !std::exchange(isTold_, true))
    tooLong_("about " + durationText(all));
  return isShown_ ? progressText(done, blocks_, seconds) : "";
}

std::string compiling(const std::string &kernel, const std::string &target) {
  return "compiling '" + kernel + "' for " + target;
}

std::string assembling(const std::string &target) {
  return cuda::assemblerFound() + " assembles the code for " + target;
}

Waiting::Waiting(std::string tool, bool isTerminal, Times after)
    : tool_(std::move(tool)), isTerminal_(isTerminal), after_(isTerminal ? after.terminal : after.elsewhere),
      status_(std::min(kPause, after_), std::min(kPause, after_), [this] { return line(); }) {}

void Waiting::at(const std::string &what) {
  std::lock_guard lock(mutex_);
  what_ = what;
  since_ = Clock::now();
  isTold_ = false;
}

std::string Waiting::line() {
  std::lock_guard lock(mutex_);
  if (what_.empty() || Clock::now() - since_ < after_)
    return "";
  std::string text = what_ + ", " + durationText(secondsSince(since_));
  if (isTerminal_)
    return text;
  if (!std::exchange(isTold_, true))
    std::fprintf(stderr, "%s: %s so far\n", tool_.c_str(), text.c_str());
  return "";
}

} // namespace phobos::driver
