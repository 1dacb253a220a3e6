// What follows the front end, on one typed kernel: tile IR, the tile pipeline with its verifiers, legality,
// and the LLVM IR of both targets. Optimisation and code generation are LLVM's and are left out.
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Source.h"
#include <memory>
#include <set>
#include <string>

namespace phobos::test {

/// Tile elements of all expressions of a kernel together; past it a run would take too long for a fuzzer.
constexpr int64_t kMaxFuzzedElements = 1 << 18;

class Lowering {
public:
  struct Counts {
    uint64_t tooLarge = 0, tileIr = 0, cpu = 0, nvptx = 0; ///< kernels that came that far (refusals included)
    uint64_t refused = 0; ///< by a diagnostic: a rule, or what a target has not
    std::set<std::string> refusals;
  };

  /// Each target's IR is emitted for every `every`-th kernel.
  explicit Lowering(unsigned every);
  ~Lowering();

  /// What is wrong with the compiler, not with the kernel: empty if all is well.
  std::string run(const sema::TypedKernel &kernel, const SourceManager &sources);
  const Counts &counts() const { return counts_; }

private:
  struct State;
  std::unique_ptr<State> state_;
  unsigned every_;
  Counts counts_;
};

} // namespace phobos::test
