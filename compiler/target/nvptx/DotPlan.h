// Which path a product takes, and how its accumulators lie. Everything that the environment leaves open is
// decided here, once for each entry point; the passes are handed what was decided.
#pragma once
#include "compiler/legality/Legality.h"
#include "compiler/target/nvptx/Phog.h"
#include "compiler/target/nvptx/Roles.h"

namespace phobos::nvptx {

/// Of a phog.dot: its products are summed apart, over so many of k at most, before they are added to `acc`.
constexpr const char *kOwnSums = "phog.own_sums";
constexpr int64_t kOwnSumsSpan = 128;

struct DotPlan {
  bool isMma = false;      ///< on tensor cores
  bool isWgmma = false;    ///< of those, by warpgroups; `grid` counts warps still, four of a warpgroup down
  std::string whyNotMma;   ///< a sentence of `--explain`; empty on tensor cores
  int64_t producers = 0;   ///< of wgmma: warps that bring the operands
  std::string whyNotWgmma; ///< the same where the processor has it
  std::string kind; ///< on tensor cores: f16 bf16 tf32 s8 u8 e4m3 e5m2 f64; of simt: the element type's name
  mlir::Type operandType; ///< what the operands are rounded to before
  WarpGrid grid;
  Layout accumulator;
  /// The matrix units keep 14 bits of a sum, of the one that comes in too (`kOwnSums`).
  bool hasNarrowSums = false;
  int64_t perRegister = 1; ///< mma: elements of k in a 32-bit register
  bool isF64() const { return kind == "f64"; }
  /// Elements of k that one mma takes.
  int64_t kStep() const { return isF64() ? 4 : 8 * perRegister; }
};

/// What is decided about a kernel.
struct Plans {
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;   ///< of each pho.dot
  llvm::DenseMap<mlir::Operation *, RolePlan> loops; ///< of each loop whose products go by wgmma
};
/// Asked of the tile IR. Where a product accumulates in a recognised loop and the point sets names of its
/// warp or thread tiles, these decide, completed by the rules of the path; a point that the rules do not take
/// is found by judgeNames before.
Plans planDots(mlir::Operation *func, const Target &target);

/// Whether the copy unit can bring what `load` reads: rows are contiguous and start at multiples of 16 bytes,
/// and what is outside of the tensor is 0.
bool canCopy(pho::LoadOp load, const Target &target);

/// The first rule that the GEMM names of the point break for this product; none where they set nothing for
/// it.
legality::Verdict judgeNames(pho::DotOp dot, const Target &target);

} // namespace phobos::nvptx
