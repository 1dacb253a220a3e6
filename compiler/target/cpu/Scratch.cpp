#include "compiler/target/cpu/Scratch.h"
#include <algorithm>
#include <cassert>

namespace phobos::cpu {

unsigned Scratch::allocate(uint64_t bytes) {
  bytes = (bytes + 63) / 64 * 64;
  std::vector<Slot> live;
  for (const Slot &s : slots_)
    if (s.holders)
      live.push_back(s);
  std::sort(live.begin(), live.end(), [](const Slot &a, const Slot &b) { return a.offset < b.offset; });
  uint64_t offset = 0;
  for (const Slot &s : live) {
    if (offset + bytes <= s.offset)
      break;
    offset = s.offset + s.bytes;
  }
  slots_.push_back({offset, bytes, 1});
  total_ = std::max(total_, offset + bytes);
  return static_cast<unsigned>(slots_.size() - 1);
}

void Scratch::release(unsigned slot) {
  assert(slots_[slot].holders && "released more often than held");
  --slots_[slot].holders;
}

} // namespace phobos::cpu
