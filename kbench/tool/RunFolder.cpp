#include "kbench/tool/RunFolder.h"
#include "kbench/Environment.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdlib.h>

namespace phobos::kbench {

bool RunFolder::create(std::string &error) {
  std::string pattern = get(Environment::TempDir).value_or("/tmp") + "/phobos-kbench-XXXXXX";
  if (!mkdtemp(pattern.data())) {
    error = "cannot make a folder '" + pattern + "': " + std::strerror(errno);
    return false;
  }
  path_ = pattern;
  return true;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty())
    std::filesystem::remove_all(path_, ignored);
}

} // namespace phobos::kbench
