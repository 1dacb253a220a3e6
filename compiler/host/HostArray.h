// Arrays in host memory, as the tools and the interpreter use them: C order, any element type of the
// language.
#pragma once
#include "runtime/contract/ScalarType.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phobos {

/// A dense C-order array. Storage is 64-byte aligned; copies are deep.
class HostArray {
public:
  HostArray() = default;
  /// Zero-filled.
  HostArray(ScalarType elem, std::vector<int64_t> extents);
  /// The same for extents that nobody has judged: nullopt with a reason where it would not fit the machine's
  /// memory.
  static std::optional<HostArray> tryCreate(ScalarType elem, std::vector<int64_t> extents,
                                            std::string &error);
  HostArray(const HostArray &other);
  HostArray &operator=(const HostArray &other);
  HostArray(HostArray &&) noexcept = default;
  HostArray &operator=(HostArray &&) noexcept = default;

  ScalarType elem() const { return elem_; }
  const std::vector<int64_t> &extents() const { return extents_; }
  int64_t size() const { return size_; } ///< elements
  size_t bytes() const { return static_cast<size_t>(size_) * byteSize(elem_); }
  void *data() { return data_.get(); }
  const void *data() const { return data_.get(); }

  /// Element `i` in C order. Floats through double (exact for every type), integers and bool through int64.
  double getFloat(int64_t i) const;
  int64_t getInt(int64_t i) const;
  void setFloat(int64_t i, double value); ///< rounded as T(x) rounds
  void setInt(int64_t i, int64_t value);  ///< wrapped as T(x) wraps
  /// The element's bytes, zero-extended.
  uint64_t getBits(int64_t i) const;
  void setBits(int64_t i, uint64_t bits);

private:
  struct Free {
    void operator()(void *p) const;
  };
  ScalarType elem_ = ScalarType::F32;
  std::vector<int64_t> extents_;
  int64_t size_ = 0;
  std::unique_ptr<void, Free> data_;
};

} // namespace phobos
