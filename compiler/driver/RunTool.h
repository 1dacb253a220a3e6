// What phobos-run does, as a call.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace phobos::driver {

struct RunRequest {
  std::string file, kernel;
  std::string target = "cpu";
  std::string ptx; ///< version of PTX, as in 8.4; empty: the newest that driver and assembler take
  std::vector<std::string> point;
  std::string grid;                 ///< `X,Y,Z`; empty: the kernel's own
  std::vector<std::string> args;    ///< NAME=VALUE
  std::vector<std::string> dims;    ///< NAME=VALUE
  std::vector<std::string> outputs; ///< NAME=FILE
  uint64_t seed = 0;
  uint64_t maxSteps = 0; ///< of the interpreter; 0: no limit
  bool check = false;
  bool jsonDiagnostics = false, color = false;
  bool noStd = false;
  const std::atomic<bool> *cancel = nullptr;
  void (*beforeRun)() = nullptr; ///< called when only the kernel is left to run
  bool showsProgress = false;    ///< standard error is a terminal
};

/// Exit status: 0 success, 1 the input is at fault (what is given does not fit the kernel, too), 2 a command
/// line that cannot be read, 3 files or memory.
int runKernel(const RunRequest &request);

} // namespace phobos::driver
