// One launch of a kernel's GPU code, on each of its entry points.
#pragma once
#include "compiler/driver/Execute.h"
#include "tests/emulate/Machine.h"
#include <functional>

namespace phobos::emulate {

enum class Verdict : uint8_t {
  Right,
  Failed,
  NotEmulated, ///< something in the code that the emulator does not do
  Undefined,   ///< the interpreter finds no one result
  Illegal,     ///< a rule of the target does not take the point
};

struct Outcome {
  Verdict verdict = Verdict::Right;
  std::string message;
};

/// How the machine goes about it.
struct How {
  Order order = Order::Forward;
  uint64_t seed = 0;
  bool seesBanks = false; ///< conflicts of banks are failures
};

/// Compiles `kernel` for the GPU `target` and runs every entry point on copies of `given`: the fast one with
/// tensors whose addresses and rows are at multiples of 16 and no more, the other one with tensors that keep
/// to nothing but their elements' size. `judge` says of the arguments after it what is wrong.
Outcome launch(const sema::TypedKernel &kernel, const SourceManager &sources, const std::string &target,
               const driver::HostArguments &given, const BoundLaunch &bound, const How &how,
               const std::function<std::string(const driver::HostArguments &)> &judge);

/// A random program, with the header that tests/differential/Inputs.h describes, against the interpreter,
/// at a point of its space.
Outcome runProgram(const std::string &text, const Point &point, const std::string &target, const How &how);
/// A case of tests/conformance/run, by its folder, against what it expects.
Outcome runCase(const std::string &folder, const std::string &target, const How &how);

} // namespace phobos::emulate
