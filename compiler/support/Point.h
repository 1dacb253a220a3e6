// A point of the shape environment: names with their values at one compilation.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phobos {

/// Names in declaration order. Small, so look-up is linear.
class Point {
public:
  void set(std::string_view name, int64_t value);
  std::optional<int64_t> get(std::string_view name) const;
  const std::vector<std::pair<std::string, int64_t>> &entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  /// `TILE_M=64 TILE_N=32`
  std::string str() const;
  bool operator==(const Point &) const = default;

private:
  std::vector<std::pair<std::string, int64_t>> entries_;
};

/// Reads `NAME=VALUE NAME=VALUE ..` (spaces or commas between; values as the language writes integers). On
/// failure the message says what is wrong, `at` (if given) where in the text, and `point` is untouched.
bool parsePoint(std::string_view text, Point &point, std::string &error, size_t *at = nullptr);

/// The same for extents of runtime dimensions, which may be 0 and go past 2^31 (to 2^48).
bool parseExtents(std::string_view text, Point &extents, std::string &error);

} // namespace phobos
