// The one way in which result files are written: whole or not at all.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace phobos {

/// A file in the making. What is written goes to a file beside it that takes its place in commit(); until
/// then, and where anything fails, what stood there stays as it was. A device, a pipe, or a file in a folder
/// that takes no new ones is written in place.
class FileReplacement {
public:
  explicit FileReplacement(const std::string &path);
  ~FileReplacement(); ///< without commit(): nothing remains
  FileReplacement(const FileReplacement &) = delete;
  FileReplacement &operator=(const FileReplacement &) = delete;

  /// False after the first failure; later writes do nothing.
  bool write(const void *data, size_t bytes);
  /// Puts the file in its place. On failure, of a write before too, `error` is the system's reason.
  bool commit(std::string &error);

private:
  std::string path_, beside_; ///< `beside_` is empty where the file itself is written
  FILE *file_ = nullptr;
  int failure_ = 0;
};

/// All of `bytes` to `path`, by a FileReplacement.
bool writeFileWhole(const std::string &path, std::string_view bytes, std::string &error);

/// What is written to one would be lost by writing to the other: both name one file, by whatever links.
/// Devices and pipes are no such files.
bool isSameFile(const std::string &a, const std::string &b);

} // namespace phobos
