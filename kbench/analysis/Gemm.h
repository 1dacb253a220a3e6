// Kernels that a BLAS library has a routine for.
#pragma once
#include "compiler/sema/Typed.h"
#include "kbench/Backend.h"
#include <optional>

namespace phobos::kbench {

/// Whether the kernel looks like C = A @ B: it has these three tensors and nothing else, of fitting shapes
/// and one input type of f16, bf16, f32, f64, and contains a dot. That it computes nothing besides shows when
/// the routine is verified like a point of the kernel: `C = relu(A @ B)` is recognised here and differs
/// there.
std::optional<PlainGemm> recogniseGemm(const sema::TypedKernel &kernel, const Contract &contract);

} // namespace phobos::kbench
