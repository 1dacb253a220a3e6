// The one way in which files and standard input are read: whole, but never past a limit.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

namespace phobos {

struct ReadFile {
  std::string bytes;
  bool isCut = false; ///< there is more than the limit: `bytes` holds the limit's worth
};

/// Reads `path` ("-" is standard input) up to `limit` bytes; the limit holds while reading, so that a device
/// or a pipe without an end costs no memory. Nothing, with the system's reason, for what cannot be read.
std::optional<ReadFile> readFile(const std::string &path, size_t limit, std::string &error);

/// What a bundle may have: some hundred variants of machine code stay far below it.
inline constexpr size_t kMaxBundleBytes = size_t(256) << 20;

} // namespace phobos
