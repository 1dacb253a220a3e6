// What parent and workers say to each other after the greeting: one line each way.
#pragma once
#include "compiler/support/Point.h"
#include "kbench/Backend.h"
#include "kbench/analysis/Effort.h"
#include <string>
#include <vector>

namespace phobos::kbench {

/// To a compile worker: make code and expected results of a point in `folder`. To the device worker: verify,
/// time, or sample.
struct Request {
  enum class Kind : uint8_t {
    Compile,    ///< code, then the interpreter's results at small sizes
    Verify,     ///< run those sizes and compare
    Time,       ///< warm up and repeat at full size
    VerifyFull, ///< run the first item at full size and compare with the second, the plain point; with
                ///< itself: only make that reference
    Stored,     ///< run it at full size: only whether it stores all that the kernel only writes
    Compare,    ///< to a compile worker: only whether the first item, compiled, computes what the second does
    Judge,      ///< to a compile worker: only whether the point is legal
    Roof,       ///< to the device worker: the copy, or products of `type` alone (items: one, empty)
    Sample,     ///< `repeats` more timings of each of several points, interleaved
  };
  struct Item {
    std::string point, folder;
    std::string library; ///< its routine instead of the point's code; empty: the point itself
  };
  Kind kind = Kind::Compile;
  std::vector<Item>
      items;         ///< one, except to sample and to verify at full size; Compile: the plain point behind it
  uint64_t seed = 0; ///< Compile, VerifyFull: of the inputs
  bool isFinal = false;  ///< Compile, Verify: the winner, once more
  double budgetMs = 200; ///< Time: to spend on repeats
  unsigned repeats = 1;  ///< Sample: a point
  double slowNs = 0; ///< Time: a point whose first repeats all take longer is timed no further; 0: none is
  std::string type;  ///< Roof: of products; empty: the copy, and what the target measures beside it

  std::string toLine() const;
  static bool fromLine(const std::string &line, Request &request);
};

struct Reply {
  /// Of an ok answer to Compile, Compare and VerifyFull: why the point is not verified at full size, if it is
  /// not.
  Verdict verdict;
  /// Compile; Verify: those that only the device tells.
  Resources resources;
  // Compile
  double flops = 0, bytes = 0;
  bool isApproximate = false, isComputeBound = false;
  double unsurePart = 0; ///< of the bytes, of which only data tells whether they are touched
  std::string unsure;    ///< the tensors that they are of
  Products products;     ///< in which types the operations are made
  unsigned cases = 0;
  std::string warning; ///< of the checks of its small runs (verify/Findings.h)
  double compileMs = 0;
  /// Compile: why the point's files cannot be written. That is no ending of the point: the search ends.
  std::string cannotWrite;
  // Verify
  double worstError = 0; ///< in units of the bound
  std::string note;      ///< of a library its name and version; Roof: why a type is not measured
  // Time, Sample: nanoseconds, per item
  std::vector<std::vector<double>> samples;
  size_t failedItem = 0; ///< Sample: whom the verdict is about
  Roof roof;

  std::string toLine() const;
  static bool fromLine(const std::string &line, Reply &reply);
};

/// What to tell the user of `cannotWrite`.
inline std::string noRoom(const Reply &reply) {
  return reply.cannotWrite + "; TMPDIR names another folder for such files";
}

} // namespace phobos::kbench
