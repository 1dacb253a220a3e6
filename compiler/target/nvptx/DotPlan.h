// Which path a product takes, and how its accumulators lie. Everything that the environment leaves open is
// decided here.
#pragma once
#include "compiler/legality/Legality.h"
#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"

namespace phobos::nvptx {

struct DotPlan {
  bool isMma = false;
  std::string whyNotMma;  ///< a sentence of `--explain`; empty for mma
  std::string kind;       ///< of mma: f16 bf16 tf32 s8 u8 e4m3 e5m2 f64; of simt: the element type's name
  mlir::Type operandType; ///< what the operands are rounded to before
  WarpGrid grid;
  Layout accumulator;
  int64_t perRegister = 1; ///< mma: elements of k in a 32-bit register
  bool isF64() const { return kind == "f64"; }
  /// Elements of k that one mma takes.
  int64_t kStep() const { return isF64() ? 4 : 8 * perRegister; }
};

/// Where the product accumulates in a recognised loop and the point sets names of its warp or thread tiles,
/// these decide, completed by the rules of the path; a point that the rules do not take is found by
/// judgeNames before.
DotPlan planDot(pho::DotOp dot, const Target &target);

/// The first rule that the GEMM names of the point break for this product; none where they set nothing for
/// it.
legality::Verdict judgeNames(pho::DotOp dot, const Target &target);

} // namespace phobos::nvptx
