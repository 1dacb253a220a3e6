// What a processor was measured to do at most, kept beside the ledger: it takes a second or two each time,
// and most runs are on the same machine.
#pragma once
#include "kbench/tune/Search.h"

namespace phobos::kbench {

class KeptRoof {
public:
  static constexpr int64_t mostAgeSeconds = 7 * 24 * 3600;

  /// `path` empty: nothing is kept. What is kept belongs to the device (with its number of threads), the
  /// target and the build of `setting`.
  KeptRoof(std::string path, const Setting &setting);
  /// Of this device, not older than a week.
  std::optional<Roof> read();
  /// Of what was read: `3 h ago`.
  std::string age() const;
  /// A file that cannot be written is no error. A roof of products that some point is above, or whose
  /// measurements did not agree, is not kept, and what was kept before goes: the machine did something else
  /// while it was measured. (More bytes than a copy moves are those of a cache.)
  void write(const SearchOutcome &outcome) const;

private:
  std::string path_, key_;
  int64_t ageSeconds_ = 0;
};

} // namespace phobos::kbench
