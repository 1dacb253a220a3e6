// PTX to a cubin, on a machine with or without a GPU: nvJitLink where its library is found, else ptxas as a
// process, else not at all (the driver compiles PTX at load). nvJitLink compiles for linking with others, as
// `ptxas -c` does: it takes some more registers, so where it spills and ptxas spills less that one's code is
// taken; and setmaxnreg is ignored (C7504), so code that has it goes to ptxas first. The lines that the PTX's
// .loc name go into the cubin, so that a profiler shows them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::cuda {

struct AssembleOptions {
  std::string target = "sm_80"; ///< as ptxas names it
  std::string tool;             ///< "nvjitlink", "ptxas" or empty: what assemblersFor() names, in turn
  unsigned timeoutSeconds = 0;  ///< of ptxas; 0: it may take its time, as nvJitLink does
};

struct Assembled {
  std::string cubin;
  std::string tool; ///< which one did it
  std::string log;  ///< what it printed: registers, spills, warnings
  int registers = -1, spillBytes = -1,
      sharedBytes = -1; ///< the largest of any function, read from the log; -1 where it does not say
  std::string error;    ///< empty on success
  bool ok() const { return error.empty(); }

  /// What one function of the PTX takes; -1 where the log does not say.
  struct Usage {
    int registers = -1, spillBytes = -1;
  };
  Usage usageOf(std::string_view function) const;
};

Assembled assemble(std::string_view ptx, const AssembleOptions &options);
/// The tools on this machine that assemble() takes for this code: the next where one fails or spills.
std::vector<std::string> assemblersFor(std::string_view ptx);
/// The first of them for code without setmaxnreg, or empty.
std::string assemblerFound();
/// What is here, for people: `nvJitLink 13.0`, `ptxas`, or empty.
std::string assemblerNames();
/// The newest PTX that it takes, 10 * major + minor; 0 where that is not known (ptxas, or none).
unsigned assemblerPtxVersion();

} // namespace phobos::cuda
