// How the CPU target sees tiles: every tile is two-dimensional, evaluated a vector of neighbouring elements
// at a time.
#pragma once
#include "mlir/IR/Value.h"
#include "runtime/contract/ScalarType.h"
#include "llvm/IR/IRBuilder.h"
#include <cstdint>

namespace phobos::cpu {

/// Rank 1 [n] is one row of n; a per-thread scalar is one row of as many elements as the block has threads.
struct TileShape {
  int64_t rows = 1, cols = 1;
  int64_t elements() const { return rows * cols; }
  bool operator==(const TileShape &) const = default;
  /// A column vector is walked down its rows, everything else along them.
  bool isColumn() const { return cols == 1 && rows > 1; }
};

/// Lanes advance along rows (the column index grows) or down a column.
enum class Along : uint8_t { Cols, Rows };

/// What is evaluated once a row of a loop nest: code goes before the terminator of `block`.
struct RowScope {
  llvm::BasicBlock *block = nullptr;
  llvm::DenseMap<mlir::Value, llvm::Value *> values;
};

/// A place in a tile: `lanes` neighbouring elements from (i, j), of which the first `valid` are inside the
/// tile (known when the kernel is compiled). Values of lanes past `valid` are unspecified, and memory is not
/// touched for them.
struct At {
  llvm::Value *i = nullptr, *j = nullptr; ///< i64
  unsigned lanes = 1, valid = 1;
  Along along = Along::Cols;
  RowScope *row = nullptr; ///< null: nothing is hoisted
  bool whole = false;      ///< every access of this loop was tested to be inside its tensor
  bool isPartial() const { return valid < lanes; }
};

/// A tile in the block's scratch, row-major. Rows are padded to whole vectors; a column vector is dense.
struct Buffer {
  llvm::Value *base = nullptr;
  llvm::Type *elem = nullptr; ///< as memory holds it
  TileShape shape;
  int64_t rowStride = 0;
  unsigned slot = ~0u; ///< whose storage it is; two tiles may share one
};

} // namespace phobos::cpu
