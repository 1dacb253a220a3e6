// LLVM's O3 pipeline. The loops are vector code already, so LLVM's own vectorisers stay out.
#include "compiler/target/common/ShortPipeline.h"
#include "compiler/target/cpu/Cpu.h"
#include "compiler/target/cpu/TargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace phobos::cpu {

void optimize(llvm::Module &module, const Options &options) {
  auto machine = createTargetMachine(options);
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return;
  }
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(machine->get(), tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  if (options.optLevel > 0 && common::isTooLargeToOptimize(module, common::kLargestCpu))
    return common::runShortPipeline(module, modules);
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  const llvm::OptimizationLevel level = levels[std::min(options.optLevel, 3u)];
  llvm::ModulePassManager pipeline = options.optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                                                           : builder.buildPerModuleDefaultPipeline(level);
  pipeline.run(module, modules);
}

} // namespace phobos::cpu
