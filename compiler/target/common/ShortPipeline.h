// What becomes of a kernel that is larger than any written by hand. Several of LLVM's passes take time that
// grows with the square of a function's loops, blocks or instructions; for a kernel of thousands of branches
// that would be minutes. Past the bounds below it gets a few passes of linear time and code generation
// without optimisation: slower code, the same results.
#pragma once
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CodeGen.h"

namespace phobos::common {

/// Of one module as emitted. The largest kernels of the examples have 50 loops, 200 blocks, 20,000
/// instructions.
struct LargestOptimized {
  unsigned loops, blocks, instructions;
};
inline constexpr LargestOptimized kLargestCpu{200, 3000, 30000};
inline constexpr LargestOptimized kLargestGpu{200, 2500, 40000}; ///< both entry points together

bool isTooLargeToOptimize(const llvm::Module &module, const LargestOptimized &largest);

/// Runs the linear passes and marks the module, for codeGenLevel.
void runShortPipeline(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

/// `usual`, or none for a module that went through the short pipeline.
llvm::CodeGenOptLevel codeGenLevel(const llvm::Module &module, llvm::CodeGenOptLevel usual);

} // namespace phobos::common
