// Work in a process of its own, which may crash or hang.
#pragma once
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace phobos::differential {

/// Runs `work` in a child process; it writes lines to the file it is given, and `onLine` gets each in this
/// one. Returns why the child ended badly, or an empty string; one that says nothing for `deadlineMs` is
/// killed.
template <typename Work, typename OnLine> std::string inChild(int deadlineMs, Work work, OnLine onLine) {
  int fds[2];
  if (pipe(fds) != 0)
    return "no pipe";
  pid_t child = fork(); // safe: this process has not started LLVM
  if (child == 0) {
    close(fds[0]);
    FILE *out = fdopen(fds[1], "w");
    work(out);
    std::fclose(out);
    _exit(0);
  }
  close(fds[1]);
  std::string buffer, why;
  for (;;) {
    pollfd p{fds[0], POLLIN, 0};
    if (poll(&p, 1, deadlineMs) == 0) {
      kill(child, SIGKILL);
      why = "hangs";
      break;
    }
    char chunk[4096];
    ssize_t n = read(fds[0], chunk, sizeof chunk);
    if (n <= 0)
      break;
    buffer.append(chunk, static_cast<size_t>(n));
    for (size_t end; (end = buffer.find('\n')) != std::string::npos; buffer.erase(0, end + 1))
      onLine(buffer.substr(0, end));
  }
  close(fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (why.empty() && WIFSIGNALED(status))
    why = std::string("crashes: ") + strsignal(WTERMSIG(status));
  else if (why.empty() && WEXITSTATUS(status) != 0)
    why = "exits with " + std::to_string(WEXITSTATUS(status));
  return why;
}

} // namespace phobos::differential
