// Marks the loops that are contractions.
#pragma once
#include "mlir/Pass/Pass.h"
#include <memory>

namespace phobos::passes {

/// Sets `pho.contraction` on each scf.for that passes::matchContraction takes: a dictionary of m, n, k,
/// advance (along k in one step), acc (the carried value's index), a and b (param: the tensor's argument
/// number; k_axis, free_axis: of the tensor; converted, computed: if so), and pure (unit) if the loop does
/// nothing else. Paths take the operations themselves from matchContraction.
std::unique_ptr<mlir::Pass> createRecogniseContractions();

} // namespace phobos::passes
