// A child process that speaks lines over pipes. Started by posix_spawn of an executable (never a bare fork:
// LLVM or a driver may have threads), in a process group of its own, so that Ctrl-C at the terminal reaches
// the parent alone.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phobos::kbench {

/// How a child ended.
struct Ending {
  int signal = 0; ///< 0: it exited
  int exitCode = 0;
  std::string lastWords; ///< the last line it wrote to standard error
  /// `died of signal 11 (Segmentation fault): ..`, `left with exit status 7`.
  std::string str() const;
  /// A signal that a program brings upon itself, against one that somebody sent or an exit.
  bool isCrash() const;
};

class ChildProcess {
public:
  /// `command[0]` is the executable's path. Null with a reason.
  static std::unique_ptr<ChildProcess> start(const std::vector<std::string> &command, std::string &error);
  ~ChildProcess(); ///< kills it if it still runs
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Becomes readable when it writes or ends.
  int readFd() const { return out_; }
  int pid() const { return pid_; }
  /// Writes one line; false if it does not listen any more.
  bool sendLine(const std::string &line);
  /// Takes what it wrote: call when readFd() is readable. False once it has closed its end.
  bool receive();
  /// The next whole line received.
  std::optional<std::string> takeLine();
  /// Waits for the end of a process that has closed its pipe, or kills one that has not.
  Ending reap(bool kill);

private:
  ChildProcess() = default;
  std::string lastWords() const;

  int pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string buffer_;
};

} // namespace phobos::kbench
