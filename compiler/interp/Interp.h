// The interpreter: evaluates the typed tree of one kernel, plainly; the oracle of everything else (spec/,
// DESIGN "Flow"). Contractions and reductions of floats are evaluated in f64 and rounded once; everything
// else exactly as the spec says. Shares nothing with the compiler after sema.
#pragma once
#include "compiler/host/HostArray.h"
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include <array>
#include <atomic>
#include <optional>
#include <variant>
#include <vector>

namespace phobos::interp {

/// One argument a parameter, in order. Tensors are read and written in place.
struct ScalarArgument {
  double f = 0;  ///< of float parameters
  int64_t i = 0; ///< of integer and bool parameters
};
using Argument = std::variant<HostArray *, ScalarArgument>;

struct Options {
  bool check = false; ///< phobos-run --check: races, uncovered elements, bounds; reported as diagnostics
  uint64_t maxSteps = ~uint64_t(0);      ///< statements executed before it gives up (error InterpStepLimit)
  uint64_t maxBytes = uint64_t(8) << 30; ///< that a block's values may take (error ValuesTooLarge)
  /// The result of sin and cos of f64 beyond 2^46, where the language promises no accuracy; nothing: the
  /// exact one. Elements of outputs that change with it are not determined.
  std::optional<double> farTrig;
  const std::atomic<bool> *cancel = nullptr;  ///< set by a signal handler: stops between statements
  std::atomic<int64_t> *blocksDone = nullptr; ///< counted up, for who watches a long run
};

/// Runs the whole grid, blocks in order x fastest. `dims` are the values of kernel.dims. False if it was
/// stopped or (with `check`) found an error; findings are in `diags`.
bool run(const sema::TypedKernel &kernel, const std::vector<Argument> &args, const std::vector<int64_t> &dims,
         const std::array<int64_t, 3> &grid, const Options &options, Diagnostics &diags);

} // namespace phobos::interp
