// What a point must compute at a small size, and how far from it a result may be: from the interpreter.
//
// The bound of an element y of a float output is
//     4 e_acc sqrt(K) S  +  8 e_mid S  +  2 e_out |y|  +  32 e_fn |y|
// where e_* are unit roundoffs of the accumulators, of other intermediate values, of the output and of
// built-in functions used, K is the longest sum that goes into one element, and S stands for (|A| |B|): the
// interpreter's result on the absolute values of all inputs, but never less than |y| or the output's root
// mean square. The first two terms count eightfold where exponentials follow a contraction, since these
// amplify. Integers and bools must be equal; NaN must meet NaN and an infinity its like. Of f64 sin and cos
// beyond 2^46 the language promises no accuracy: an element that depends on one may be anything.
#pragma once
#include "compiler/sema/Typed.h"
#include "kbench/analysis/Effort.h"
#include "kbench/verify/Inputs.h"

namespace phobos::kbench {

struct ExpectedOutput {
  size_t param = 0;
  HostArray values;
  std::vector<double>
      bounds; ///< an element, infinite where anything goes; empty for integers that must be equal
};

/// Interprets the kernel on `inputs` (left as they are). Nullopt with a reason if it did not finish. With
/// `checked`, the run is checked as by phobos-run --check, and what that finds is there (Findings.h).
std::optional<std::vector<ExpectedOutput>>
interpret(const sema::TypedKernel &kernel, const Contract &contract, const std::vector<Input> &inputs,
          const std::vector<int64_t> &dims, const std::array<int64_t, 3> &grid, const Effort &effort,
          std::string &error, Diagnostics *checked = nullptr);

/// The outputs alone, an array a parameter (empty where it is not one).
std::optional<std::vector<HostArray>> interpretValues(const sema::TypedKernel &kernel,
                                                      const std::vector<Input> &inputs,
                                                      const std::vector<int64_t> &dims,
                                                      const std::array<int64_t, 3> &grid, std::string &error);

/// The inputs of the run that S is taken from.
std::vector<Input> absoluteValues(std::vector<Input> inputs, const sema::TypedKernel &kernel);
/// The formula above: a bound an element of a float output from its values and from S.
class ErrorBound {
public:
  ErrorBound(const Effort &effort, ScalarType elem, const HostArray &values);
  /// Of an element of this value, where S is `size`.
  double of(double value, double size) const;

private:
  double ofSize_, ofValue_, least_, rms_;
};

/// `[3, 17]`: where the `i`-th element is.
std::string placeOf(const HostArray &a, int64_t i);

/// How a result compares: the largest error in units of its bound (at most 1 passes), and a sentence on the
/// first element past it.
struct Comparison {
  double worst = 0;
  std::string failure; ///< empty if it passes: `C[3, 17] = 0.5, expected 0.25 (within 1e-06)`
};
Comparison compare(const HostArray &got, const ExpectedOutput &expected, const std::string &name);

} // namespace phobos::kbench
