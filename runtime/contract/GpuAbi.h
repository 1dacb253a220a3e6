// How compiled GPU kernels are called: the order of their parameters, and the entry points with what each
// assumes. Written by the compiler, followed by whoever launches. No LLVM and no driver here.
#pragma once
#include "runtime/contract/Contract.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phobos {

/// One parameter of every entry point of a kernel.
struct GpuParam {
  enum class Kind : uint8_t {
    Pointer,   ///< of tensor `param`, 8 bytes
    Stride,    ///< of axis `axis` of tensor `param`, in elements, 8 bytes; of all axes but the last
    Scalar,    ///< parameter `param` in its own type (bool: one byte, index: 8)
    Dim,       ///< runtime dimension `param`, 8 bytes
    Grid,      ///< the grid's extent on `axis`, 4 bytes
    Workspace, ///< the address of the launch's workspace (GpuWorkspace), 8 bytes; of entries that need one
  };
  Kind kind = Kind::Pointer;
  int64_t param = 0, axis = 0;
  ScalarType elem = ScalarType::F32; ///< of a scalar
};

/// A function of the compiled module and what it assumes.
struct GpuEntry {
  std::string symbol;
  bool aligned16 =
      false; ///< each tensor's address, and each stride but the last in bytes, is a multiple of 16
  bool nativeGrid = false;  ///< the grid's y and z are at most 65535, its x times `parts` at most 2^31 - 1,
                            ///< and it is launched as it is; else it is launched flat (hardwareGrid)
  int64_t stridesBelow = 0; ///< longestStride of each tensor is below this; 0: nothing is assumed
  uint32_t threads = 0;
  uint32_t sharedBytes = 0; ///< dynamic
  /// Blocks of the hardware that share one block of the kernel's grid, each summing a part of k (SPLIT_K):
  /// numbers n of the hardware's x (of the flat number) are part n % parts of block n / parts. The grid that
  /// the kernel sees and is given as parameters is the one without them.
  uint32_t parts = 1;
  uint64_t workspaceBytes = 0; ///< of the workspace, for each block of the kernel's grid; 0: none is needed
};

/// The most parts of k that the contract knows.
inline constexpr uint32_t kMostParts = 256;
/// What follows the counters of a workspace begins at a multiple of it.
inline constexpr uint64_t kCounterAlign = 256;

struct GpuKernel {
  std::vector<GpuParam> params;
  std::vector<GpuEntry> entries; ///< the first whose assumptions hold is launched; the last assumes nothing
  bool persistent = false; ///< any number of blocks may be launched, x only: as many as fit at once, at most
                           ///< the grid's number
};

/// What the fast entry points assume of strides: steps within a tile are then products of 32-bit numbers,
/// added to a 64-bit address once a tile.
inline constexpr int64_t kNarrowStride = int64_t(1) << 32;

/// The longest stride of `t` but the last, in bytes; INT64_MAX where one is negative.
int64_t longestStride(const TensorShape &t);

/// Parameters in the order that every entry point has them: for each of the contract's parameters the pointer
/// and strides or the scalar; then the dimensions; then the grid's three extents; then the workspace, where
/// the entry points need one.
std::vector<GpuParam> gpuParams(const Contract &contract, bool needsWorkspace);
/// The kernel of these entry points.
GpuKernel gpuKernel(const Contract &contract, std::vector<GpuEntry> entries, bool persistent);

/// Device memory that a launch needs beside its arguments, at a multiple of 256 bytes: first a counter for
/// each block of the grid, all of which are 0 before the first launch and again after each; then what the
/// blocks leave for each other. Launches that may run at one time must not share it.
struct GpuWorkspace {
  uint64_t bytes = 0;        ///< 0: none is needed
  uint64_t counterBytes = 0; ///< of the beginning, to be zeroed once
};
/// Nothing if it is larger than an address space.
std::optional<GpuWorkspace> workspaceOf(const GpuEntry &entry, const std::array<int64_t, 3> &grid);

/// The values of one launch, packed as the driver wants them: `pointers()[i]` addresses the i-th parameter.
class GpuArguments {
public:
  /// `devicePointers` has one entry a parameter (0 for scalars); `scalars[i]` is the bytes of scalar
  /// parameter i; `workspace` is the address of what workspaceOf asks for.
  GpuArguments(const GpuKernel &kernel, const std::vector<const TensorShape *> &tensors,
               const std::vector<uint64_t> &devicePointers, const std::vector<const void *> &scalars,
               const BoundLaunch &launch, uint64_t workspace = 0);
  void **pointers() { return pointers_.data(); }

private:
  std::vector<uint64_t> words_;
  std::vector<void *> pointers_;
};

/// Whether the hardware takes the grid as it is, in `parts`.
bool isNativeGrid(const std::array<int64_t, 3> &grid, uint32_t parts);

/// The entry point for these arguments.
const GpuEntry &chooseEntry(const GpuKernel &kernel, const std::vector<const TensorShape *> &tensors,
                            const std::vector<uint64_t> &devicePointers, const std::array<int64_t, 3> &grid);

/// The extents to launch with. Flat: blocks are numbered x fastest; x is at most 2^31 - 1 and y takes the
/// rest (a few blocks too many may start, and leave). Of a kernel in parts, x has them, too.
std::array<uint32_t, 3> hardwareGrid(const GpuKernel &kernel, const GpuEntry &entry,
                                     const std::array<int64_t, 3> &grid, int64_t residentBlocks);

} // namespace phobos
