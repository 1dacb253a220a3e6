#include "kbench/workers/Interrupt.h"
#include <sys/signalfd.h>
#include <unistd.h>

namespace phobos::kbench {

Interrupt::Interrupt() {
  sigemptyset(&signals_);
  for (int s : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals_, s);
  sigprocmask(SIG_BLOCK, &signals_, &before_);
  fd_ = signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
}

Interrupt::~Interrupt() {
  signalfd_siginfo info;
  while (read(fd_, &info, sizeof info) > 0) {
  }
  close(fd_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupt::addTo(std::vector<pollfd> &fds) const {
  fds.push_back({fd_, POLLIN, 0});
  fds.push_back({STDOUT_FILENO, 0, 0}); // a pipe without a reader reports POLLERR unasked
}

bool Interrupt::isRaised() const {
  pollfd signals{fd_, POLLIN, 0};
  return (poll(&signals, 1, 0) > 0 && (signals.revents & POLLIN)) || isStandardOutputClosed();
}

bool isStandardOutputClosed() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR);
}

} // namespace phobos::kbench
