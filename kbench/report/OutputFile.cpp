#include "kbench/report/OutputFile.h"
#include "kbench/workers/Session.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace phobos::kbench {

bool OutputFile::check(std::string &error) {
  if (path_ == "-")
    return true;
  struct stat info{};
  const bool exists = stat(path_.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    errno = EISDIR;
    if (!S_ISDIR(info.st_mode) && access(path_.c_str(), W_OK) == 0)
      return true;
  } else if (!exists || access(path_.c_str(), W_OK) == 0) {
    const std::string beside = path_ + ".part";
    FILE *f = std::fopen(beside.c_str(), "wb");
    isReplaced_ = f != nullptr;
    if (f) {
      std::fclose(f);
      unlink(beside.c_str());
    }
    if (isReplaced_ || exists) // a folder that takes no new files: the file itself is overwritten
      return true;
  }
  error = "cannot write '" + path_ + "': " + std::strerror(errno);
  return false;
}

bool OutputFile::write(const std::string &text, bool isLast, std::string &error) {
  if (!isReplaced_ && !isLast)
    return true;
  if (path_ == "-") {
    bool ok = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!ok)
      error = std::string("cannot write to standard output: ") + std::strerror(errno);
    return ok;
  }
  if (!isReplaced_)
    return writeFile(path_, text.data(), text.size(), error);
  const std::string beside = path_ + ".part";
  if (!writeFile(beside, text.data(), text.size(), error))
    return false;
  if (std::rename(beside.c_str(), path_.c_str()) == 0)
    return true;
  error = "cannot write '" + path_ + "': " + std::strerror(errno);
  unlink(beside.c_str());
  return false;
}

} // namespace phobos::kbench
