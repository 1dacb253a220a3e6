#include "compiler/driver/Cache.h"
#include "runtime/files/ReadFile.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace phobos::driver {

namespace fs = std::filesystem;

static std::string defaultFolder() {
  if (const char *xdg = std::getenv("XDG_CACHE_HOME");
      xdg && *xdg == '/') // a relative one counts for nothing
    return std::string(xdg) + "/phobos";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/phobos";
  return {};
}

Cache::Cache(std::string folder, uint64_t capBytes)
    : folder_(folder.empty() ? defaultFolder() : std::move(folder)),
      cap_(capBytes ? capBytes : uint64_t(1) << 30) {}

std::optional<std::string> Cache::read(const std::string &key) const {
  if (folder_.empty())
    return std::nullopt;
  fs::path path = fs::path(folder_) / (key + ".entry");
  std::string error;
  std::optional<ReadFile> file = readFile(path.string(), cap_, error);
  if (!file || file->isCut)
    return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored); // its last use, for trim()
  return std::move(file->bytes);
}

void Cache::write(const std::string &key, const std::string &bytes) const {
  if (folder_.empty() || bytes.size() > cap_)
    return;
  std::error_code ec;
  fs::create_directories(folder_, ec);
  // A name of its own for this process, so that two writers do not meet before the rename.
  std::string temporary = folder_ + "/.new-XXXXXX";
  int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0)
    return;
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n <= 0)
      break;
    done += static_cast<size_t>(n);
  }
  close(fd);
  if (done == bytes.size())
    fs::rename(temporary, fs::path(folder_) / (key + ".entry"), ec);
  if (done != bytes.size() || ec)
    fs::remove(temporary, ec);
  trim();
}

void Cache::remove(const std::string &key) const {
  std::error_code ignored;
  if (!folder_.empty())
    fs::remove(fs::path(folder_) / (key + ".entry"), ignored);
}

void Cache::trim() const {
  struct Entry {
    fs::file_time_type used;
    uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code ec;
  for (fs::directory_iterator it(folder_, ec), end; !ec && it != end; it.increment(ec)) {
    std::error_code gone; // another process may remove it meanwhile
    if (it->path().filename().string().starts_with(".new-") &&
        fs::file_time_type::clock::now() - it->last_write_time(gone) > std::chrono::hours(1) && !gone)
      fs::remove(it->path(), gone); // of a process that ended while it wrote
    if (it->path().extension() != ".entry")
      continue;
    uint64_t size = it->file_size(gone);
    auto used = it->last_write_time(gone);
    if (gone)
      continue;
    entries.push_back({used, size, it->path()});
    total += size;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &e : entries) {
    if (total <= cap_)
      return;
    std::error_code gone;
    fs::remove(e.path, gone);
    total -= e.size;
  }
}

} // namespace phobos::driver
