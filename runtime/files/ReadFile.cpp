#include "runtime/files/ReadFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace phobos {

namespace {

/// An open file that closes itself; standard input stays open.
class Descriptor {
public:
  explicit Descriptor(const std::string &path)
      : owned_(path != "-"), fd_(owned_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO) {}
  ~Descriptor() {
    if (owned_ && fd_ >= 0)
      close(fd_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return fd_; }

private:
  bool owned_;
  int fd_;
};

} // namespace

std::optional<ReadFile> readFile(const std::string &path, size_t limit, std::string &error) {
  Descriptor file(path);
  struct stat st{};
  if (file.get() < 0 || fstat(file.get(), &st) != 0) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  if (S_ISDIR(st.st_mode)) {
    error = "it is a directory";
    return std::nullopt;
  }
  ReadFile result;
  char chunk[65536];
  while (true) {
    ssize_t n = read(file.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      error = std::strerror(errno);
      return std::nullopt;
    }
    if (n == 0)
      return result;
    size_t room = limit - result.bytes.size(), got = static_cast<size_t>(n);
    result.bytes.append(chunk, got < room ? got : room);
    if (got > room) {
      result.isCut = true;
      return result;
    }
  }
}

} // namespace phobos
