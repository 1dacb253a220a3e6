// What a run that lasts tells its user: on a terminal a line with the blocks done and the time left; and a
// warning, anywhere, where nobody would see its end.
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace phobos::driver {

/// The blocks of a grid; nothing where they are more than 2^63 - 1.
bool countBlocks(const std::array<int64_t, 3> &grid, int64_t &blocks);

/// As a user reads it: "40 s", "3.5 hours", "2.1e+08 years".
std::string durationText(double seconds);

/// "1234 of 5000 blocks (24.7 %), 12 s, about 37 s left"
std::string progressText(int64_t done, int64_t blocks, double seconds);

/// A line on standard error that is drawn anew again and again, from a thread of its own until it goes out of
/// scope, and then is gone.
class StatusLine {
public:
  using Pause = std::chrono::milliseconds;
  /// `line` is asked after `first` and then every `pause`; empty: there is none now.
  StatusLine(Pause first, Pause pause, std::function<std::string()> line);
  ~StatusLine();

private:
  void watch(Pause first, Pause pause);

  std::function<std::string()> line_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool isOver_ = false;
  std::thread thread_;
};

/// Of a kernel that runs.
class Progress {
public:
  /// `tooLong` is called once, with the estimate, where a run would take more than a year.
  Progress(int64_t blocks, const std::atomic<int64_t> &done, bool isShown,
           std::function<void(const std::string &)> tooLong);

private:
  std::string line();

  int64_t blocks_;
  const std::atomic<int64_t> &done_;
  bool isShown_, isTold_ = false;
  std::function<void(const std::string &)> tooLong_;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  StatusLine status_;
};

/// "compiling 'gemm' for sm_90a", and "nvjitlink assembles the code for sm_90a".
std::string compiling(const std::string &kernel, const std::string &target);
std::string assembling(const std::string &target);

/// What a tool that lasts is at: on a terminal a line that goes again, elsewhere a line once that has lasted
/// long.
class Waiting {
public:
  struct Times {
    std::chrono::milliseconds terminal{2000}, elsewhere{10000};
  };
  Waiting(std::string tool, bool isTerminal) : Waiting(std::move(tool), isTerminal, Times{}) {}
  Waiting(std::string tool, bool isTerminal, Times after);
  /// From now on.
  void at(const std::string &what);

private:
  std::string line();

  using Clock = std::chrono::steady_clock;
  std::string tool_, what_;
  bool isTerminal_, isTold_ = false;
  StatusLine::Pause after_;
  Clock::time_point since_ = Clock::now();
  std::mutex mutex_; ///< of what at() changes
  StatusLine status_;
};

} // namespace phobos::driver
