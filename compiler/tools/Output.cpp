#include "compiler/tools/Output.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/tools/Tools.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <unistd.h>

namespace phobos::tools {

void holdStandardStreams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) // open() takes the lowest number that is free: this one
      (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Why writing failed. The flush below may find nothing left to write, for what failed before is gone.
static int outputError(int flushError) {
  if (flushError)
    return flushError;
  int mode = fcntl(STDOUT_FILENO, F_GETFL);
  if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY)
    return EBADF;
  pollfd p{STDOUT_FILENO, POLLOUT, 0};
  return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) ? EPIPE : ENOSPC;
}

int finishOutput(int status, bool jsonDiagnostics) {
  std::cout.flush();
  int flushError = std::fflush(stdout) == 0 ? 0 : errno;
  if (!flushError && !std::ferror(stdout) && std::cout.good())
    return status;
  int reason = outputError(flushError);
  if (reason != EPIPE) {
    Diagnostics diags;
    diags.report(diag::CannotWriteFile, {}, "<stdout>", std::strerror(reason));
    SourceManager none;
    std::cerr << (jsonDiagnostics ? renderJson(diags, none) : renderText(diags, none));
  }
  return status == Success ? EnvironmentFault : status;
}

} // namespace phobos::tools
