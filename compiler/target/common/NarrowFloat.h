// f16, bf16, f8e4m3 and f8e5m2 from and to f32, by the target's instruction where it has one with the
// language's meaning and by bit manipulation, which vectorises, where not.
#pragma once
#include "compiler/target/common/Scalar.h"

namespace phobos::target {

/// Exact. `x` is of valueType(from, target), from one of the four narrow types.
llvm::Value *narrowToF32(llvm::IRBuilderBase &b, llvm::Value *x, ScalarType from, const ScalarTarget &target);
/// Nearest even; f16 and bf16 overflow to infinity, the f8 types to their largest finite value.
llvm::Value *f32ToNarrow(llvm::IRBuilderBase &b, llvm::Value *x, ScalarType to, const ScalarTarget &target);
/// An f64 to f32, an inexact result with its last bit odd: rounding that to a narrower type rounds the f64
/// once.
llvm::Value *f64ToOddF32(llvm::IRBuilderBase &b, llvm::Value *x);

} // namespace phobos::target
