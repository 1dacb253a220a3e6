#include "runtime/files/WriteFile.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace phobos {

FileReplacement::FileReplacement(const std::string &path) : path_(path) {
  char real[PATH_MAX];
  if (realpath(path.c_str(), real))
    path_ = real; // a link stays, what it names is replaced
  struct stat info{};
  const bool exists = stat(path_.c_str(), &info) == 0;
  if (!exists || (S_ISREG(info.st_mode) && access(path_.c_str(), W_OK) == 0)) {
    beside_ = path_ + ".part" + std::to_string(getpid());
    file_ = std::fopen(beside_.c_str(), "wb");
    if (file_ && exists && fchmod(fileno(file_), info.st_mode & 07777) != 0)
      failure_ = errno;
  }
  if (!file_) {
    beside_.clear();
    file_ = std::fopen(path_.c_str(), "wb");
  }
  if (!file_)
    failure_ = errno;
}

FileReplacement::~FileReplacement() {
  if (file_)
    std::fclose(file_);
  if (!beside_.empty())
    unlink(beside_.c_str());
}

bool FileReplacement::write(const void *data, size_t bytes) {
  if (!failure_ && std::fwrite(data, 1, bytes, file_) != bytes)
    failure_ = errno ? errno : EIO;
  return !failure_;
}

bool FileReplacement::commit(std::string &error) {
  if (file_ && std::fclose(file_) != 0 && !failure_)
    failure_ = errno;
  file_ = nullptr;
  if (!failure_ && !beside_.empty() && std::rename(beside_.c_str(), path_.c_str()) != 0)
    failure_ = errno;
  if (!failure_)
    beside_.clear();
  else
    error = std::strerror(failure_);
  return !failure_;
}

bool writeFileWhole(const std::string &path, std::string_view bytes, std::string &error) {
  FileReplacement file(path);
  file.write(bytes.data(), bytes.size());
  return file.commit(error);
}

bool isSameFile(const std::string &a, const std::string &b) {
  struct stat x{}, y{};
  const bool isThere = stat(a.c_str(), &x) == 0, areBoth = isThere && stat(b.c_str(), &y) == 0;
  if (a == b && !isThere)
    return true;
  return areBoth && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

} // namespace phobos
