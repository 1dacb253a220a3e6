// How compiled CPU kernels are called. Plain C layout: object code in a bundle follows it, so it is versioned
// with the bundle.
#pragma once
#include <cstdint>

namespace phobos {

/// A tensor argument: element pointer and the stride of each axis, in elements (the last is 1).
struct CpuTensor {
  void *data;
  int64_t strides[5];
};

/// One launch. `params[i]` points at a CpuTensor, or at the scalar's bytes in its own type (bool: one byte,
/// index: 8).
struct CpuLaunch {
  const void *const *params;
  const int64_t *dims; ///< the contract's runtime dimensions
  int64_t grid[3];
};

/// Runs blocks [first, last) of the grid, numbered x fastest. `scratch` is private to the caller's thread,
/// 64-byte aligned, of the size the compiler recorded.
using CpuEntry = void (*)(const CpuLaunch *launch, int64_t first, int64_t last, void *scratch);

} // namespace phobos
