// Which accesses of a block's threads are in order: vector clocks. Two accesses to a byte, of which one
// writes, are a race unless a barrier or an mbarrier is between them; that both lie in one order in this run
// is no excuse. Threads of a warp are in no order among themselves.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace phobos::emulate {

class Races {
public:
  using Clock = std::vector<uint32_t>;

  /// The last readers of a byte. Two, so that a writer meets another one than itself.
  struct Readers {
    uint32_t clock[2] = {0, 0}; ///< the thread's then
    uint16_t thread[2] = {0, 0}, line[2] = {0, 0};
  };
  /// What is known of the accesses to one byte.
  struct Byte {
    uint32_t written = 0; ///< the thread's clock then; kUnderWay: a copy that has not landed
    uint16_t writer = 0, writeLine = 0;
    bool isAtomic = false; ///< how it was written
    Readers plain, atomic;
  };
  static constexpr uint32_t kUnderWay = ~0u;

  /// A block's threads begin; all that was before is done.
  void begin(unsigned threads);
  /// What was before in `thread` is before whatever takes `to` after.
  void release(unsigned thread, Clock &to);
  void acquire(unsigned thread, const Clock &from);
  /// `thread` touches `count` bytes; whom it races with, empty if none.
  std::string access(unsigned thread, Byte *bytes, uint64_t count, unsigned line, bool isWrite,
                     bool isAtomic);
  /// A copy that `thread` begins, and its landing.
  std::string beginCopy(unsigned thread, Byte *bytes, uint64_t count, unsigned line);
  void endCopy(unsigned thread, Byte *bytes, uint64_t count);

private:
  void read(unsigned thread, Readers &readers, unsigned line) const;
  /// The index of one of the readers that `thread` races with, -1 if none.
  int raceWith(unsigned thread, const Readers &readers) const;
  bool isBefore(unsigned thread, unsigned other, uint32_t clock) const {
    return clocks_[thread][other] >= clock;
  }
  std::vector<Clock> clocks_; ///< of each thread: what of each thread is before now
  uint32_t latest_ = 0;
};

} // namespace phobos::emulate
