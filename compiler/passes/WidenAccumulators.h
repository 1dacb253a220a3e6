// Keeps narrow accumulators of products in the wider type across their loop.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace phobos::passes {

/// `var acc: tile<f16>` with `acc += dot(a, b)` in a loop rounds the sum to f16 in every step; the language
/// allows to carry it in the product's own type and round once after the loop (spec, "dot"). Of integers
/// nothing changes at all: the low bits of a sum do not depend on the high ones.
std::unique_ptr<mlir::Pass> createWidenAccumulators();

} // namespace phobos::passes
