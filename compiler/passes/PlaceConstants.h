// Gives shared constants a source location.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace phobos::passes {

/// MLIR's folder unites equal constants at the kernel's start and drops their locations, since none is the
/// right one. They take the place of the kernel, so that every operation has one.
std::unique_ptr<mlir::Pass> createPlaceConstants();

} // namespace phobos::passes
