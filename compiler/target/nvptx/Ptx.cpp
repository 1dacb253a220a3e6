// LLVM's side: the O3 pipeline and the NVPTX back end.
#include "compiler/target/common/ShortPipeline.h"
#include "compiler/target/nvptx/NarrowStoredBits.h"
#include "compiler/target/nvptx/PtxVersion.h"
#include "compiler/target/nvptx/SpellOutAbs.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace llvm;

namespace phobos::nvptx {

namespace {
std::unique_ptr<TargetMachine> machineFor(const Options &options, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Triple triple("nvptx64-nvidia-cuda");
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  unsigned ptx = options.ptxVersion ? options.ptxVersion : usualPtxVersion(options);
  TargetOptions machineOptions;
  machineOptions.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, processorName(options), "+ptx" + std::to_string(ptx),
                                  machineOptions, Reloc::Static, std::nullopt, CodeGenOptLevel::Aggressive));
}

/// The assembler (13.0) makes 0.0 of the constant -0.0 in a selp.f32 of two constants. As bits it comes
/// through.
void selectBits(std::string &text) {
  constexpr StringLiteral f32 = "selp.f32";
  for (size_t at = 0; (at = text.find(f32, at)) != text.npos; at += f32.size())
    if (StringRef(text).substr(at).split(';').first.contains("0f80000000"))
      text[at + 5] = 'b';
}
} // namespace

void optimize(Module &module, const Options &options) {
  std::string error;
  auto machine = machineFor(options, error);
  if (!machine)
    return;
  module.setDataLayout(machine->createDataLayout());
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(machine.get(), tuning);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager calls;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  if (common::isTooLargeToOptimize(module, common::kLargestGpu)) {
    common::runShortPipeline(module, modules);
  } else {
    OptimizationLevel level = options.optLevel >= 3   ? OptimizationLevel::O3
                              : options.optLevel == 2 ? OptimizationLevel::O2
                                                      : OptimizationLevel::O1;
    builder.buildPerModuleDefaultPipeline(level).run(module, modules);
  }
  narrowStoredBits(module);
  spellOutAbs(module);
}

Expected<std::string> emitPtx(Module &module, const Options &options) {
  std::string error;
  auto machine = machineFor(options, error);
  if (!machine)
    return createStringError(inconvertibleErrorCode(), "%s", error.c_str());
  module.setDataLayout(machine->createDataLayout());
  machine->setOptLevel(common::codeGenLevel(module, machine->getOptLevel()));
  SmallString<0> text;
  raw_svector_ostream out(text);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError(inconvertibleErrorCode(), "the NVPTX back end writes no assembly");
  passes.run(module);
  std::string ptx(text.str());
  selectBits(ptx);
  return ptx;
}

} // namespace phobos::nvptx
