// Storage of materialised tiles in a block's scratch: first fit over what is live, counted by the values that
// share a slot.
#pragma once
#include <cstdint>
#include <vector>

namespace phobos::cpu {

class Scratch {
public:
  /// A slot of at least `bytes`, 64-byte aligned, held once.
  unsigned allocate(uint64_t bytes);
  uint64_t offset(unsigned slot) const { return slots_[slot].offset; }
  void hold(unsigned slot) { ++slots_[slot].holders; }
  void release(unsigned slot);
  uint64_t totalBytes() const { return total_; }

private:
  struct Slot {
    uint64_t offset, bytes;
    unsigned holders;
  };
  std::vector<Slot> slots_;
  uint64_t total_ = 0;
};

} // namespace phobos::cpu
