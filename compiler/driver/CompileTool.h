// What phobos-compile does, as a call.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace phobos::driver {

struct CompileRequest {
  std::string file, output;
  std::vector<std::string> targets = {"cpu"};
  std::vector<std::string> kernels;
  std::vector<std::string> point;
  std::string emit; ///< empty: what the output file's name says, else asm
  bool checkOnly = false, space = false, explain = false;
  std::vector<std::string> printAfter;
  bool printAfterAll = false;
  bool jsonDiagnostics = false, color = false;
  bool isTerminal = false; ///< standard error: what lasts is said there
  std::string ptx;         ///< version of PTX, as in 8.4; empty: the usual one of each target
  bool warningsAreErrors = false, noStd = false;
  std::string legality;
  int64_t sharedLimit = 49152;
};

/// Exit status: 0 success, 1 the input is at fault, 2 usage, 3 files that cannot be read or written.
int runCompile(const CompileRequest &request);

} // namespace phobos::driver
