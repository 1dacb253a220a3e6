// Finds the axes of loads and stores that cannot leave the tensor.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace phobos::passes {

/// Sets `inBounds` of an axis where [start, start + size) is inside [0, extent) for certain: by the bounds of
/// both numbers, or because start and extent are multiples of the size (pho.multiple, from @aligned) and
/// start counts a loop that ends at the extent. A block's coordinate proves nothing: the host may launch a
/// larger grid than covers the tensor.
std::unique_ptr<mlir::Pass> createProveInBounds();

} // namespace phobos::passes
