// The generator's source of chance: the same sequence from a seed on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace phobos::differential {

/// SplitMix64.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  /// In [0, n).
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  /// In [low, high].
  int64_t range(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &from) {
    return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
  }

private:
  uint64_t state_;
};

} // namespace phobos::differential
