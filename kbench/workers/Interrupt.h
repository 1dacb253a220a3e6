// Ctrl-C and its like as something to poll, and whether anybody still reads what is printed.
#pragma once
#include <csignal>
#include <poll.h>
#include <vector>

namespace phobos::kbench {

/// While it lives SIGINT, SIGTERM and SIGHUP do not end the process but make `isRaised` true, and so does a
/// standard output whose reader has gone (`| head -1`): the owner puts its house in order and ends by itself.
/// Child processes are started without it.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// Adds what to wait for.
  void addTo(std::vector<pollfd> &fds) const;
  /// It stays raised.
  bool isRaised() const;

private:
  sigset_t signals_, before_;
  int fd_ = -1;
};

/// Whether standard output is a pipe that nobody reads any more.
bool isStandardOutputClosed();

} // namespace phobos::kbench
