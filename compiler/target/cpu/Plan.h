// Which tiles get storage. A tile that one loop reads once is evaluated inside that loop; one that several
// read, or that is dear to compute again, is written to scratch where it is defined.
#pragma once
#include "compiler/target/cpu/Tiles.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir {
class Operation;
}

namespace phobos::cpu {

struct Plan {
  llvm::DenseSet<mlir::Value>
      perThread; ///< scalars that differ between threads; they are tiles of `threads` elements here
  llvm::DenseSet<mlir::Value> fused;                      ///< tiles without storage
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastUse; ///< in the value's own block; absent: unused
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> dying; ///< the reverse of lastUse
  int64_t threads = 1;

  bool isTile(mlir::Value v) const;
  TileShape shapeOf(mlir::Value v) const;
  /// True if `expr`, read through fused elementwise operations only, or not at all, reaches `target`: then a
  /// loop may write target's storage while it evaluates `expr`.
  bool readsInPlace(mlir::Value expr, mlir::Value target) const;
  /// True if evaluating `expr` reads `target`.
  bool reads(mlir::Value expr, mlir::Value target) const;
  /// The ancestor of `op` in `block`, `op` itself included.
  static mlir::Operation *ancestorIn(mlir::Block *block, mlir::Operation *op);
};

Plan planTiles(mlir::Operation *function, int64_t threads);

/// Operations whose result at a place needs their operands at the same place only.
bool isElementwise(mlir::Operation *op);
/// One row or one column: reshaping or transposing it only renames its axis.
bool isVector(TileShape shape);

} // namespace phobos::cpu
