// Checks that every operation has a source location.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace phobos::passes {

/// Fails on an operation whose location names no place in a file: a profiler could not show its line, nor an
/// error point at it. Runs at the pipeline's start and end where assertions are on, so that a pass that drops
/// a location is found by any test.
std::unique_ptr<mlir::Pass> createVerifyLocations();

} // namespace phobos::passes
