#include "kbench/workers/Process.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

namespace phobos::kbench {

std::string Ending::str() const {
  std::string text = signal ? "died of signal " + std::to_string(signal) + " (" + strsignal(signal) + ")"
                            : "left with exit status " + std::to_string(exitCode);
  return lastWords.empty() ? text : text + ": " + lastWords;
}

bool Ending::isCrash() const {
  switch (signal) {
  case SIGSEGV:
  case SIGBUS:
  case SIGILL:
  case SIGFPE:
  case SIGABRT:
  case SIGTRAP:
  case SIGSYS:
    return true;
  default:
    return false;
  }
}

std::unique_ptr<ChildProcess> ChildProcess::start(const std::vector<std::string> &command,
                                                  std::string &error) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  child->err_ = memfd_create("stderr", MFD_CLOEXEC);
  // Towards the child a socket, for writing to one that has gone must not raise SIGPIPE here.
  bool made = child->err_ >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) == 0 &&
              pipe2(out, O_CLOEXEC) == 0;
  child->in_ = in[1];
  child->out_ = out[0];
  if (!made) {
    error = std::string("cannot make a pipe: ") + std::strerror(errno);
    for (int fd : {in[0], out[1]})
      if (fd >= 0)
        close(fd);
    return nullptr;
  }
  fcntl(child->out_, F_SETFL, O_NONBLOCK);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, child->err_, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t nothing, ours;
  sigemptyset(&nothing);
  sigemptyset(&ours);
  for (int s : {SIGINT, SIGTERM, SIGPIPE, SIGHUP})
    sigaddset(&ours, s);
  posix_spawnattr_setsigmask(&attributes, &nothing);
  posix_spawnattr_setsigdefault(&attributes, &ours);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char *> argv;
  for (const std::string &a : command)
    argv.push_back(const_cast<char *>(a.c_str()));
  argv.push_back(nullptr);
  int status = posix_spawn(&child->pid_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(in[0]);
  close(out[1]);
  if (status != 0) {
    child->pid_ = -1;
    error = "cannot start '" + command[0] + "': " + std::strerror(status);
    return nullptr;
  }
  return child;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0)
    reap(true);
  for (int fd : {in_, out_, err_})
    if (fd >= 0)
      close(fd);
}

bool ChildProcess::sendLine(const std::string &line) {
  std::string text = line + "\n";
  size_t sent = 0;
  while (sent < text.size()) {
    ssize_t n = send(in_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

bool ChildProcess::receive() {
  char chunk[65536];
  while (true) {
    ssize_t n = read(out_, chunk, sizeof chunk);
    if (n > 0) {
      buffer_.append(chunk, static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR)
      continue;
    return n < 0 && errno == EAGAIN;
  }
}

std::optional<std::string> ChildProcess::takeLine() {
  size_t end = buffer_.find('\n');
  if (end == std::string::npos)
    return std::nullopt;
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

std::string ChildProcess::lastWords() const {
  off_t size = lseek(err_, 0, SEEK_END);
  char tail[2048];
  off_t from = std::max<off_t>(0, size - static_cast<off_t>(sizeof tail));
  ssize_t n = pread(err_, tail, sizeof tail, from);
  std::string text(tail, n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  size_t line = text.rfind('\n');
  if (line != std::string::npos)
    text.erase(0, line + 1);
  return text.substr(0, 300);
}

Ending ChildProcess::reap(bool kill) {
  Ending ending;
  if (pid_ <= 0)
    return ending;
  int status = 0;
  if (kill) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL); // should it not have its own group yet
  } else {
    // It has closed its pipe, so it is about to end; if it lingers it is killed.
    for (int i = 0; i < 200; ++i) {
      if (waitpid(pid_, &status, WNOHANG) == pid_)
        goto ended;
      timespec pause{0, 5'000'000};
      nanosleep(&pause, nullptr);
    }
    ::kill(pid_, SIGKILL);
  }
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
ended:
  pid_ = -1;
  if (WIFSIGNALED(status))
    ending.signal = WTERMSIG(status);
  else
    ending.exitCode = WEXITSTATUS(status);
  ending.lastWords = lastWords();
  return ending;
}

} // namespace phobos::kbench
