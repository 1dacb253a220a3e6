// The language's 64-bit integer arithmetic on the host (spec/arithmetic.md): it wraps, and it is total. What
// folds constants, evaluates attributes, launch contracts and spaces uses this one.
//
// Two places have their own, by intent. compiler/sema/Literal.cpp computes literals that have no type yet: in
// 128 bits, and too large a value is a mistake instead of wrapping. compiler/interp is what everything else
// is compared with, so it shares no arithmetic with what it checks. A sum that must not wrap (an address, an
// extent) uses __builtin_add_overflow and its like where it stands.
#pragma once
#include <cstdint>

namespace phobos::integer {

inline int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline int64_t neg(int64_t a) { return sub(0, a); }

/// Truncated; by 0 it is 0.
inline int64_t div(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? neg(a) : a / b; }
/// With the sign of `a`; by 0 it is `a`.
inline int64_t rem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
/// Rounded towards +infinity; by 0 it is 0.
inline int64_t ceilDiv(int64_t a, int64_t b) {
  const int64_t r = rem(a, b);
  return div(a, b) + (b != 0 && r != 0 && (r < 0) == (b < 0));
}

/// A count of the type's width or more, or below 0, shifts everything out.
inline int64_t shl(int64_t a, int64_t n, int64_t width = 64) {
  return n < 0 || n >= width ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << n);
}
/// With such a count 0, or -1 of a negative `a`.
inline int64_t shr(int64_t a, int64_t n, int64_t width = 64) {
  return n < 0 || n >= width ? (a < 0 ? -1 : 0) : a >> n;
}

} // namespace phobos::integer
