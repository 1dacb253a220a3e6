// The CUDA driver, opened at run time: everything builds and starts on a machine without one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace phobos::cuda {

/// The driver's functions. Immutable once loaded; safe from any thread. Each returns CUDA's status, 0 for
/// success. An old driver has no pools of memory: those functions are null.
struct Driver {
#define CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS) int(*NAME) PARAMETERS = nullptr;
#include "runtime/cuda/Functions.def"
  int version = 0; ///< 1000 * major + 10 * minor of the CUDA that it supports

  /// Opened and initialised on the first call; null with the reason where there is none, it is too old, or it
  /// finds no device.
  static const Driver *get(std::string &error);
};

/// `CUDA_ERROR_INVALID_VALUE: invalid argument`
std::string errorText(const Driver &driver, int status);

/// The highest PTX version, 10 * major + minor, that a driver supporting this CUDA version takes.
unsigned ptxVersionOf(int cudaVersion);

// Attribute numbers of the driver's interface.
inline constexpr int outOfMemory = 2; ///< a status
namespace attribute {
inline constexpr int maxSharedPerBlockOptin = 97, sharedPerMultiprocessor = 81, multiprocessors = 16,
                     ccMajor = 75, ccMinor = 76, l2Bytes = 38, registersPerMultiprocessor = 82,
                     threadsPerMultiprocessor = 39, blocksPerMultiprocessor = 106, memoryClockKHz = 36,
                     memoryBusBits = 37, clockKHz = 13, reservedSharedPerBlock = 111;
namespace pointer {
inline constexpr int memoryType = 2, devicePointer = 3, isManaged = 8, deviceOrdinal = 9, accessFlags = 16;
inline constexpr unsigned typeHost = 1; ///< page-locked: kernels may read and write it
inline constexpr unsigned mayRead = 1, mayReadAndWrite = 3;
} // namespace pointer
namespace pool {
inline constexpr int releaseThreshold = 4;
}
namespace function {
inline constexpr int maxThreads = 0, sharedBytes = 1, localBytes = 3, registers = 4, maxDynamicShared = 8;
}
} // namespace attribute

} // namespace phobos::cuda
