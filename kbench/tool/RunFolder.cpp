#include "kbench/tool/RunFolder.h"
#include "kbench/Environment.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdlib.h>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace phobos::kbench {

namespace {

constexpr std::string_view prefix = "phobos-kbench-", lockEnding = ".lock", ownerFile = "/owner";

std::string temporaryFolder() { return get(Environment::TempDir).value_or("/tmp"); }

/// A regular file of this user, locked by nobody else: its descriptor, locked; -1 where it is not.
int lockOwn(const std::string &path, int flags) {
  const int fd = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  struct stat s;
  if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
      flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  if (fd >= 0)
    close(fd);
  return -1;
}

} // namespace

void removeStale() {
  std::error_code ignored;
  for (const auto &entry : std::filesystem::directory_iterator(temporaryFolder(), ignored)) {
    const std::string path = entry.path(), name = entry.path().filename();
    struct stat s;
    if (!name.starts_with(prefix) || lstat(path.c_str(), &s) != 0 || s.st_uid != geteuid())
      continue;
    if (S_ISDIR(s.st_mode)) {
      // One without an owner's file is being made this moment, or is not ours.
      if (const int fd = lockOwn(path + std::string(ownerFile), O_RDWR); fd >= 0) {
        std::filesystem::remove_all(path, ignored);
        close(fd);
      }
    } else if (name.ends_with(lockEnding)) {
      if (const int fd = lockOwn(path, O_RDWR); fd >= 0) {
        unlink(path.c_str());
        close(fd);
      }
    }
  }
}

bool RunFolder::create(std::string &error) {
  std::string pattern = temporaryFolder() + "/" + std::string(prefix) + "XXXXXX";
  if (!mkdtemp(pattern.data())) {
    error = "cannot make a folder '" + pattern + "': " + std::strerror(errno);
    return false;
  }
  path_ = pattern;
  // The file gets its name once it is locked, so that nobody finds it free.
  const std::string owner = path_ + std::string(ownerFile), made = owner + ".new";
  owner_ = lockOwn(made, O_CREAT | O_RDWR);
  if (owner_ >= 0)
    rename(made.c_str(), owner.c_str());
  return true;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  if (!path_.empty())
    std::filesystem::remove_all(path_, ignored);
  if (owner_ >= 0)
    close(owner_);
}

bool RunLock::take(const std::string &run) {
  path_ = temporaryFolder() + "/" + std::string(prefix) + run + std::string(lockEnding);
  while (true) {
    fd_ = open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd_ < 0)
      return true; // a folder that takes no files locks nobody out
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0)
      return false;
    struct stat s;
    if (fstat(fd_, &s) != 0 || s.st_nlink > 0)
      return true;
    close(fd_); // another process removed it between the two calls: what is locked has no name any more
  }
}

RunLock::~RunLock() {
  if (fd_ < 0)
    return;
  if (flock(fd_, LOCK_EX | LOCK_NB) == 0)
    unlink(path_.c_str());
  close(fd_);
}

} // namespace phobos::kbench
