// Scalar, tile and tensor types of the language (spec/types.md), shared by every phase.
#pragma once
#include "runtime/contract/ScalarType.h"
#include <cstdint>
#include <string>
#include <vector>

namespace phobos {

/// A value's type at one point of the shape environment: nothing, a scalar, or a tile with constant extents.
struct Type {
  enum class Kind : uint8_t { Void, Scalar, Tile };
  Kind kind = Kind::Void;
  ScalarType elem = ScalarType::F32;
  std::vector<int64_t> shape; ///< of a tile: rank 1 or 2, each extent >= 1

  static Type none() { return {}; }
  static Type scalar(ScalarType t) { return {Kind::Scalar, t, {}}; }
  static Type tile(ScalarType t, std::vector<int64_t> shape) { return {Kind::Tile, t, std::move(shape)}; }
  bool isVoid() const { return kind == Kind::Void; }
  bool isScalar() const { return kind == Kind::Scalar; }
  bool isTile() const { return kind == Kind::Tile; }
  unsigned rank() const { return static_cast<unsigned>(shape.size()); }
  int64_t elements() const;
  Type withElem(ScalarType t) const { return {kind, t, shape}; }
  bool operator==(const Type &) const = default;
};

/// As a user writes it: `f32`, `tile<f32>[32, 128]`.
std::string str(const Type &t);
std::string str(const std::vector<int64_t> &shape);

} // namespace phobos
