#include "kbench/tool/RunFolder.h"
#include "kbench/Environment.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

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

bool RunLock::take(const std::string &run) {
  path_ = get(Environment::TempDir).value_or("/tmp") + "/phobos-kbench-" + run + ".lock";
  fd_ = open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  return fd_ < 0 || flock(fd_, LOCK_EX | LOCK_NB) == 0; // a folder that takes no files locks nobody out
}

RunLock::~RunLock() {
  if (fd_ < 0)
    return;
  if (flock(fd_, LOCK_EX | LOCK_NB) == 0)
    unlink(path_.c_str());
  close(fd_);
}

} // namespace phobos::kbench
