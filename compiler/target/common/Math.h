// The language's functions as LLVM IR, written once for both targets: on a scalar or on a fixed vector of f32
// or f64. No libm, no libdevice. Accuracy: spec/math.md.
#pragma once
#include "llvm/IR/IRBuilder.h"

namespace phobos::target {

enum class MathFunction : uint8_t {
  Exp,
  Exp2,
  Log,
  Log2,
  Sqrt,
  Rsqrt,
  Tanh,
  Sigmoid,
  Erf,
  Sin,
  Cos,
  Abs,
  Floor,
  Ceil,
  Round,
  Pow,
  Fma
};

/// What the target does well; chooses instruction sequences, never results beyond the stated accuracy.
struct MathTarget {
  bool nvptx =
      false; ///< ex2.approx, rsqrt.approx and the like may be used where their error is within the bound
  bool avx512 = false; ///< vscalefps for 2^n
};

/// Arguments of one type (float, double, or a vector of either); the result has it too.
llvm::Value *emitMath(llvm::IRBuilderBase &b, MathFunction fn, llvm::ArrayRef<llvm::Value *> args,
                      const MathTarget &target);

} // namespace phobos::target
