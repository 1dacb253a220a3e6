// One line on a terminal that is written over and over; nothing at all elsewhere.
#pragma once
#include "kbench/report/Report.h"

namespace phobos::kbench {

class ProgressLine {
public:
  /// `total` points are expected; 0: nobody knows.
  ProgressLine(bool isShown, size_t total) : isShown_(isShown), total_(total) {}
  ~ProgressLine() { clear(); }
  void show(const Progress &progress);
  void clear();

private:
  bool isShown_, isDirty_ = false;
  size_t total_;
  std::chrono::steady_clock::time_point last_{};
};

} // namespace phobos::kbench
