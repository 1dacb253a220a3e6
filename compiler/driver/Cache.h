// The on-disk cache of compilations: one file an entry, named by its key. Safe with many processes: entries
// appear by rename, vanish by unlink, and one that cannot be read is a miss.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace phobos::driver {

class Cache {
public:
  /// `folder` empty: $XDG_CACHE_HOME/phobos, else ~/.cache/phobos; without either there is no cache.
  /// `capBytes` 0: 1 GiB.
  Cache(std::string folder, uint64_t capBytes);
  std::optional<std::string> read(const std::string &key) const;
  /// Drops the least recently used entries past the cap. A folder that cannot be written is no error: nothing
  /// is kept.
  void write(const std::string &key, const std::string &bytes) const;
  void remove(const std::string &key) const;

private:
  void trim() const;
  std::string folder_;
  uint64_t cap_;
};

} // namespace phobos::driver
