// A folder for the files of one run, gone when the run is over.
#pragma once
#include <string>

namespace phobos::kbench {

class RunFolder {
public:
  RunFolder() = default;
  ~RunFolder();
  RunFolder(const RunFolder &) = delete;
  RunFolder &operator=(const RunFolder &) = delete;
  bool create(std::string &error);
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace phobos::kbench
