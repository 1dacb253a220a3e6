// The GPU's target IR dialect `phog`, and layouts as types carry them. Heavy: include it where its operations
// are built or matched.
#pragma once
#include "compiler/ir/Pho.h"
#include "compiler/target/nvptx/Layout.h"

#include "compiler/target/nvptx/PhogDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/target/nvptx/PhogAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/target/nvptx/PhogTypes.h.inc"
#define GET_OP_CLASSES
#include "compiler/target/nvptx/PhogOps.h.inc"

namespace phobos::nvptx {

/// A tile's shape as layouts count it: rank 1 is one row.
Coord shapeOf(mlir::Type tile);
/// The layout that a tile's type carries.
Layout layoutOf(mlir::Type tile);
mlir::Type withLayout(mlir::Type tile, const Layout &layout);
SharedLayout sharedLayoutOf(phog::BufferType buffer);
phog::BufferType bufferType(mlir::Type element, const SharedLayout &layout, int64_t stages = 1);
/// Bytes of an element in memory: a bool is one.
int64_t elementBytes(mlir::Type element);
/// Of a tile or a scalar, the scalar.
mlir::Type elementOf(mlir::Type type);

} // namespace phobos::nvptx
