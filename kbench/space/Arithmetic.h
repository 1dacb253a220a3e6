// The language's 64-bit integer arithmetic (spec/arithmetic.md): it wraps, and it is total.
#pragma once
#include <cstdint>
#include <limits>

namespace phobos::kbench {

inline int64_t wrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t wrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline int64_t wrapNeg(int64_t a) { return static_cast<int64_t>(0 - static_cast<uint64_t>(a)); }

inline int64_t totalDiv(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? wrapNeg(a) : a / b; }
inline int64_t totalRem(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
/// The quotient rounded towards +inf.
inline int64_t totalCeilDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  int64_t q = totalDiv(a, b), r = totalRem(a, b);
  return r != 0 && (r < 0) == (b < 0) ? q + 1 : q;
}
/// A shift by the width or more, or by a negative count, gives 0 or the sign.
inline int64_t totalShl(int64_t a, int64_t n) {
  return n < 0 || n > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << n);
}
inline int64_t totalShr(int64_t a, int64_t n) { return n < 0 || n > 63 ? (a < 0 ? -1 : 0) : a >> n; }

} // namespace phobos::kbench
