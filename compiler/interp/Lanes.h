// A set of threads of a block.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace phobos::interp {

/// Up to 1024 threads, as bits. A kernel without per-thread code has one.
class Lanes {
public:
  explicit Lanes(unsigned n = 0) : count_(n) {}
  static Lanes all(unsigned n) {
    Lanes l(n);
    for (unsigned i = 0; i < l.words(); ++i)
      l.bits_[i] = ~uint64_t(0);
    if (n % 64)
      l.bits_[n / 64] = (uint64_t(1) << (n % 64)) - 1;
    return l;
  }
  unsigned count() const { return count_; }
  void add(unsigned i) { bits_[i / 64] |= uint64_t(1) << (i % 64); }
  bool has(unsigned i) const { return bits_[i / 64] >> (i % 64) & 1; }
  bool any() const {
    uint64_t found = 0;
    for (unsigned i = 0; i < words(); ++i)
      found |= bits_[i];
    return found;
  }
  bool isAll() const {
    unsigned n = 0;
    for (unsigned i = 0; i < words(); ++i)
      n += static_cast<unsigned>(std::popcount(bits_[i]));
    return n == count_;
  }
  unsigned first() const {
    for (unsigned i = 0; i < words(); ++i)
      if (bits_[i])
        return i * 64 + static_cast<unsigned>(std::countr_zero(bits_[i]));
    return 0;
  }
  Lanes &operator|=(const Lanes &o) {
    for (unsigned i = 0; i < words(); ++i)
      bits_[i] |= o.bits_[i];
    return *this;
  }
  Lanes &operator&=(const Lanes &o) {
    for (unsigned i = 0; i < words(); ++i)
      bits_[i] &= o.bits_[i];
    return *this;
  }
  Lanes &operator-=(const Lanes &o) {
    for (unsigned i = 0; i < words(); ++i)
      bits_[i] &= ~o.bits_[i];
    return *this;
  }
  template <typename F> void forEach(F f) const {
    for (unsigned i = 0; i < words(); ++i)
      for (uint64_t w = bits_[i]; w; w &= w - 1)
        f(i * 64 + static_cast<unsigned>(std::countr_zero(w)));
  }

private:
  unsigned words() const { return (count_ + 63) / 64; }
  unsigned count_;
  std::array<uint64_t, 16> bits_{};
};

} // namespace phobos::interp
