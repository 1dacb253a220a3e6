// How much work a launch is, read off the typed tree: floating-point operations of the products, bytes that
// must move, and how long the sums are (for the error bound of the verification).
#pragma once
#include "compiler/sema/Typed.h"
#include <array>
#include <string>
#include <vector>

namespace phobos::kbench {

/// Types of the operands of products, each with its part of all operations; empty: there are no products.
using Products = std::vector<std::pair<std::string, double>>;

struct Effort {
  double dotFlops = 0; ///< 2 m n k of each dot, times how often it runs; edge tiles count for what is inside
  bool isApproximate = false; ///< a trip count or condition depends on data
  Products products;          ///< whose operations dotFlops are
  double longestSum =
      1; ///< elements that go into one result: k of a dot or a reduction, times the trips around it
  /// Each element that the grid touches, read once and written once, as far as that shows without data; of
  /// these, those that only data tells of, and the tensors that they are of.
  double bytes = 0, unsureBytes = 0;
  std::vector<std::string> unsure;
  double tensorBytes = 0; ///< each whole tensor that is read once, each that is written once
  // what rounds on the way
  bool hasContraction = false, hasExponential = false;
  double accumulatorRoundoff = 0; ///< of dots, reductions and atomics
  double middleRoundoff = 0;      ///< of other intermediate values
  double functionRoundoff = 0;    ///< of f32 and f64 built-in functions

  /// Bound by arithmetic: enough of it a byte that a machine's units, not its memory, set the pace.
  bool isComputeBound() const { return dotFlops >= 8 * bytes; }
};

/// `dims` are the values of kernel.dims. Blocks count in fractions where the last one is partly outside.
Effort measureEffort(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims,
                     const std::array<int64_t, 3> &grid, bool gridFromHost);

/// Half an ulp of 1: 2^-24 for f32.
double unitRoundoff(ScalarType t);

} // namespace phobos::kbench
