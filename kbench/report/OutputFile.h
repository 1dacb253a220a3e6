// A file that a user asked for: found to be writable before a search begins, replaced as a whole while it
// goes on.
#pragma once
#include <string>

namespace phobos::kbench {

class OutputFile {
public:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  /// Whether it can be written, with the reason if not; what it holds stays until the first `write`.
  bool check(std::string &error);
  /// Replaces what it holds: readers see the old text or the new one. What cannot be replaced (a device, a
  /// pipe, standard output as `-`) takes the text only when it is the last.
  bool write(const std::string &text, bool isLast, std::string &error);

private:
  bool isReplaced_ = false; ///< through a file beside it
  std::string path_;
};

} // namespace phobos::kbench
