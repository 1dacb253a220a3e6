#include "kbench/report/ProgressLine.h"
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace phobos::kbench {

void ProgressLine::show(const Progress &p) {
  auto now = std::chrono::steady_clock::now();
  if (!isShown_ || now - last_ < std::chrono::milliseconds(100))
    return;
  last_ = now;
  std::string text =
      "[" + std::to_string(p.done) + (total_ ? "/" + std::to_string(total_) : "") + "] " + p.doing;
  if (p.best) {
    double ns = p.best->summary().median;
    text += "; best so far " + rateText(p.best->measurement, ns) + " with " + p.best->measurement.point.str();
  }
  winsize size{};
  size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
  if (text.size() >= width)
    text = text.substr(0, width - 3) + "..";
  std::fprintf(stderr, "\r\x1b[K%s", text.c_str());
  std::fflush(stderr);
  isDirty_ = true;
}

void ProgressLine::clear() {
  if (isDirty_) {
    std::fprintf(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
  isDirty_ = false;
}

} // namespace phobos::kbench
