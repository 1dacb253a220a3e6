// What a run has of its own on this machine: a folder for its files, gone when it is over, and a lock.
#pragma once
#include <string>

namespace phobos::kbench {

/// Its owner holds a lock in it, which the system lets go however the owner ends: what a killed run left is
/// told from what is in use by that, and removed by the next run.
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
  int owner_ = -1; ///< locked while this lives
};

/// Removes what killed runs of this user have left in the folder for temporary files.
void removeStale();

/// Held while a search adds to a run of the ledger, so that another process does not take the run up
/// meanwhile.
class RunLock {
public:
  RunLock() = default;
  ~RunLock();
  RunLock(const RunLock &) = delete;
  RunLock &operator=(const RunLock &) = delete;
  /// False if another process on this machine holds it.
  bool take(const std::string &run);

private:
  int fd_ = -1;
  std::string path_;
};

} // namespace phobos::kbench
