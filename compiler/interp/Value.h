// What an expression evaluates to: cells of eight bytes, doubles of a float type and int64 of every other.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace phobos::interp {

/// One cell (a scalar that all threads share, or a tile whose elements are all equal: a splat), else one cell
/// an element of a tile in row-major order, or one a thread of a scalar that differs between threads. Copies
/// share the cells, which are written only by whoever made them, before they are shared (or after `own`).
class Value {
public:
  Value() = default;
  /// Cells without values yet.
  explicit Value(size_t n) : size_(n) {
    if (n > 1)
      heap_ = allocate(n);
  }
  static Value ofFloat(double x) {
    Value v(1);
    *v.floats() = x;
    return v;
  }
  static Value ofInt(int64_t x) {
    Value v(1);
    *v.ints() = x;
    return v;
  }
  /// One cell that is zero of either kind.
  static Value zero() {
    Value v(1);
    std::memset(v.bytes(), 0, 8);
    return v;
  }
  Value(const Value &o) : size_(o.size_), heap_(o.heap_) {
    std::memcpy(inline_, o.inline_, sizeof inline_);
    if (heap_)
      ++heap_->users;
  }
  Value(Value &&o) noexcept { swap(o); }
  Value &operator=(Value o) noexcept {
    swap(o);
    return *this;
  }
  ~Value() {
    if (heap_ && --heap_->users == 0)
      std::free(heap_);
  }

  size_t size() const { return size_; }
  bool isSplat() const { return size_ == 1; }
  double *floats() { return reinterpret_cast<double *>(bytes()); }
  int64_t *ints() { return reinterpret_cast<int64_t *>(bytes()); }
  const double *floats() const { return reinterpret_cast<const double *>(bytes()); }
  const int64_t *ints() const { return reinterpret_cast<const int64_t *>(bytes()); }
  /// Element `i` of a value or a splat.
  double floatAt(size_t i) const { return floats()[isSplat() ? 0 : i]; }
  int64_t intAt(size_t i) const { return ints()[isSplat() ? 0 : i]; }

  /// `n` cells with the same contents: this value, or a splat written out.
  Value expanded(size_t n) const {
    if (size_ == n)
      return *this;
    Value v(n);
    v.copyFrom(0, *this, 0, n);
    return v;
  }
  /// Cell `i`, or the splat's, alone.
  Value cell(size_t i) const {
    Value v(1);
    v.copyFrom(0, *this, isSplat() ? 0 : i, 1);
    return v;
  }
  /// Makes the cells this value's alone.
  void own() {
    if (!heap_ || heap_->users == 1)
      return;
    Value v(size_);
    std::memcpy(v.bytes(), bytes(), size_ * 8);
    swap(v);
  }
  /// The cells [first, first + n) of `from` to [at, at + n) of this; splats of `from` are written out.
  void copyFrom(size_t at, const Value &from, size_t first, size_t n) {
    std::byte *to = bytes() + at * 8;
    if (!from.isSplat())
      std::memcpy(to, from.bytes() + first * 8, n * 8);
    else
      for (size_t i = 0; i < n; ++i)
        std::memcpy(to + i * 8, from.bytes(), 8);
  }

private:
  struct Header {
    size_t users, unused; ///< 16 bytes, so that the cells stay aligned
  };
  static Header *allocate(size_t n) {
    auto *h = static_cast<Header *>(std::malloc(sizeof(Header) + n * 8));
    if (!h)
      std::abort();
    return new (h) Header{1, 0};
  }
  std::byte *bytes() { return heap_ ? reinterpret_cast<std::byte *>(heap_ + 1) : inline_; }
  const std::byte *bytes() const { return const_cast<Value *>(this)->bytes(); }
  void swap(Value &o) noexcept {
    std::swap(size_, o.size_);
    std::swap(heap_, o.heap_);
    std::swap(inline_, o.inline_);
  }

  size_t size_ = 0;
  Header *heap_ = nullptr;
  alignas(8) std::byte inline_[8] = {};
};

} // namespace phobos::interp
