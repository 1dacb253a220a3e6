// A grid's blocks, one after the other, each thread a fiber. What instructions mean that the host has none
// for is in the files of their subjects; here is what they need of the block: who is who, who waits.
#pragma once
#include "tests/emulate/Banks.h"
#include "tests/emulate/Fibers.h"
#include "tests/emulate/Memory.h"
#include "tests/emulate/Races.h"
#include <array>
#include <deque>
#include <map>
#include <vector>

namespace phobos::emulate {

class Machine;

/// One instruction of the program that the emulator does: a call site.
struct Operation {
  /// `in` has the operands, a 64-bit word each, zero-extended; the results go to `out` in the same way.
  using Handler = void (*)(Machine &, const Operation &, const uint64_t *in, uint64_t *out);
  std::string name;
  unsigned line = 0; ///< of the kernel's source; 0: unknown
  Handler handler = nullptr;
  std::vector<int64_t> numbers; ///< what the name says, as the handler reads it
  size_t results = 0;
};

/// In which order the threads of a block are tried, again and again.
enum class Order : uint8_t { Forward, Backward, Shuffled };

struct Grid {
  std::array<uint32_t, 3> extents{1, 1, 1};
  uint32_t threads = 1;
  uint64_t sharedBytes = 0;
};

struct Copy {
  uint64_t to = 0, from = 0, bytes = 0; ///< the rest of 16 becomes 0
};

struct Thread {
  enum class State : uint8_t { Ready, Waiting, Done } state = State::Done;
  const Operation *at = nullptr;           ///< where it waits
  std::vector<Copy> copies;                ///< begun, in no group yet
  std::deque<std::vector<Copy>> groups;    ///< in groups, oldest first
  uint32_t productGroups = 0, settled = 0; ///< wgmma: groups committed, groups waited for
  /// Of what it was handed by a barrier or a signal it knows that wgmma sees it.
  bool isProxyFenced = true;
};

/// Threads that do one instruction together: those of a warp, or of a warpgroup.
struct Meeting {
  const Operation *at = nullptr;
  unsigned arrived = 0;
  std::vector<const uint64_t *> in;
  std::vector<uint64_t *> out;
};

struct Barrier {
  unsigned expected = 0, arrived = 0;
  bool anyOf = false;
  std::vector<unsigned> waiting, all;
  std::vector<uint64_t *> outs; ///< of those that wait for a vote
  Races::Clock clock;
  const Operation *at = nullptr;
};

/// An mbarrier object.
struct Signal {
  unsigned expected = 0, pending = 0;
  uint64_t phase = 0; ///< the one that is not over
  std::vector<unsigned> waiting;
  Races::Clock clock, over; ///< of all arrivals, and of those of the phases that are over
};

struct Warpgroup; // Wgmma.h

class Machine {
public:
  Machine();
  ~Machine();

  using Kernel = void (*)(const uint64_t *arguments);
  /// What went wrong; empty if every thread of every block came to its end.
  std::string run(Kernel kernel, const uint64_t *arguments, const Grid &grid, Order order, uint64_t seed);

  // For instructions, on a thread's own stack.
  [[noreturn]] void fail(const Operation &op, const std::string &what);
  void check(const Operation &op, const Access &access, uint64_t address) {
    check(op, access, address, current_);
  }
  /// As done by another thread: of an instruction of several threads.
  void check(const Operation &op, const Access &access, uint64_t address, unsigned thread);
  unsigned current() const { return current_; }
  Thread &self() { return threads_[current_]; }
  Thread &thread(unsigned k) { return threads_[k]; }
  const Grid &grid() const { return grid_; }
  const std::array<uint32_t, 3> &block() const { return block_; }
  /// Until another thread wakes it.
  void sleep(const Operation &op);
  void wake(unsigned thread) { threads_[thread].state = Thread::State::Ready; }
  /// All `count` threads of a warp (32) or a warpgroup (128) come here; the last one does `work` for all.
  template <typename Work>
  void together(const Operation &op, unsigned count, const uint64_t *in, uint64_t *out, Work work) {
    if (Meeting *all = meet(op, count, in, out)) {
      work(*all, current_ / count * count);
      dismiss(*all, current_ / count * count, count);
    } else {
      sleep(op);
    }
  }
  Barrier &barrier(unsigned id) { return barriers_[id]; }
  std::map<uint64_t, Signal> &signals() { return signals_; } ///< by address
  Warpgroup &warpgroup(unsigned k);

  Memory memory;
  Races races;
  Banks *banks = nullptr; ///< told of accesses to shared memory, if it is there
  unsigned sm = 0;        ///< the processor, where instructions differ between them

private:
  Meeting *meet(const Operation &op, unsigned count, const uint64_t *in, uint64_t *out);
  void dismiss(Meeting &all, unsigned first, unsigned count);
  std::string runBlock();
  std::string stuck() const;
  std::string placeText(const Operation &op) const;
  static void body(void *machine);

  Kernel kernel_ = nullptr;
  const uint64_t *arguments_ = nullptr;
  Grid grid_;
  std::array<uint32_t, 3> block_{};
  Order order_ = Order::Forward;
  uint64_t random_ = 0;
  std::string fault_;
  unsigned current_ = 0;
  std::unique_ptr<Fibers> fibers_;
  std::vector<Thread> threads_;
  std::vector<Meeting> warps_, groups_;
  std::array<Barrier, 16> barriers_;
  std::map<uint64_t, Signal> signals_;
  std::vector<std::unique_ptr<Warpgroup>> warpgroups_;
};

/// A value of type T in a word.
template <typename T> T fromWord(uint64_t word) {
  T value;
  static_assert(sizeof value <= sizeof word);
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
template <typename T> uint64_t toWord(T value) {
  uint64_t word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}

} // namespace phobos::emulate
