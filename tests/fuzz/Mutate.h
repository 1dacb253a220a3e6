// Texts that are nearly Phobos: tokens and statements of real kernels, moved about.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::test {

/// xorshift64*: the same numbers on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du) {}
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Du;
  }
  /// In [0, n); 0 if n is 0.
  size_t below(size_t n) { return n ? static_cast<size_t>(next() >> 33) % n : 0; }
  template <typename T> const T &pick(const std::vector<T> &list) { return list[below(list.size())]; }

private:
  uint64_t state_;
};

/// One to eight changes: a token swapped, doubled, deleted or replaced by one of the language or of this
/// text; a number replaced by one at an edge; a statement doubled, deleted, moved, or taken with its block
/// from `other`; an expression put in brackets or in the place of another.
std::string mutate(std::string_view text, std::string_view other, Random &random);

/// The texts of a folder's .pho files, below it too, in order of their paths.
std::vector<std::string> readPrograms(const std::string &folder);

} // namespace phobos::test
