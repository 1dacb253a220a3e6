// NumPy's .npy files (format 1 to 3), C order, little-endian, and how they meet a kernel's parameters.
#pragma once
#include "compiler/host/HostArray.h"
#include <string_view>

namespace phobos {

/// What a .npy header says.
struct NpyHeader {
  ScalarType elem = ScalarType::F32;
  std::vector<int64_t> extents;
  size_t dataOffset = 0; ///< bytes from the start of the file
};

/// Reads the header at the start of `bytes` (which may hold more). False with a reason on anything that is
/// not a readable header.
bool parseNpyHeader(std::string_view bytes, NpyHeader &header, std::string &error);

/// Who is at fault where an array cannot be read: the machine (no such file), the file's content, or its size
/// beside the machine's memory.
enum class NpyFault : uint8_t { Unreadable, Malformed, TooLarge };

/// Reads a whole file. Nothing is allocated before the file's size agrees with its header.
std::optional<HostArray> readNpy(const std::string &path, std::string &error, NpyFault *fault = nullptr);

/// Writes format 1.0. f16, bf16 and f8 are written as f32, index as int64.
bool writeNpy(const std::string &path, const HostArray &array, std::string &error);

/// `array` as an argument for a parameter of type `elem`: itself, or (a float array given for a narrower
/// float type) rounded to it. int64 serves index. Nullopt where the types do not meet.
std::optional<HostArray> convertForParameter(HostArray array, ScalarType elem);

} // namespace phobos
