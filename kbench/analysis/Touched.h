// Which elements of its tensors a launch can touch, read off the typed tree without its data.
#pragma once
#include "compiler/sema/Typed.h"
#include <array>
#include <map>
#include <vector>

namespace phobos::kbench {

/// Positions along all axes of a tensor: from the least to the greatest of each axis.
struct Box {
  std::vector<std::array<int64_t, 2>> axes; ///< closed; empty: nothing
  double elements() const;
  void include(const Box &other);
};

/// One direction, reading or writing. An access whose position, or whether it happens, depends on the values
/// of tensors or of scalar arguments touches something in its box, and nobody knows what.
struct Touched {
  Box certain; ///< of the accesses that depend on no data
  Box all;
};

struct TouchedTensor {
  Touched read, written; ///< an atomic does both
};

/// What holds of every block, thread and trip.
struct TouchedElements {
  std::vector<TouchedTensor> params;          ///< one a parameter
  std::map<const void *, bool> dependsOnData; ///< by the Expr or Stmt that is the access
};

/// `dims` are the values of kernel.dims.
TouchedElements touchedElements(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims,
                                const std::array<int64_t, 3> &grid);

} // namespace phobos::kbench
