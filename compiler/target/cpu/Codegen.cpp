// Target machines, and assembly and object files from LLVM IR.
#include "compiler/target/common/ShortPipeline.h"
#include "compiler/target/cpu/Cpu.h"
#include "compiler/target/cpu/TargetInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace phobos::cpu {

static std::string hostFeatures() {
  llvm::SubtargetFeatures features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return features.getString();
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Options &options) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  const std::string cpu = options.cpu.empty() ? llvm::sys::getHostCPUName().str() : options.cpu;
  if (!options.cpu.empty() && llvm::X86::parseArchX86(cpu) == llvm::X86::CK_None)
    return llvm::createStringError("LLVM knows no x86 processor '" + cpu + "'");
  const std::string features =
      options.features.empty() && options.cpu.empty() ? hostFeatures() : options.features;
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard; // what carries `contract`, nothing more
  auto level = llvm::CodeGenOpt::getLevel(static_cast<int>(options.optLevel))
                   .value_or(llvm::CodeGenOptLevel::Aggressive);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features, targetOptions, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (!machine)
    return llvm::createStringError("no x86 target machine for CPU '" + cpu + "'");
  return machine;
}

TargetInfo targetInfoOf(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo *subtarget = machine.getMCSubtargetInfo();
  auto has = [&](const char *feature) { return subtarget->checkFeatures(feature); };
  TargetInfo info;
  info.hasAvx2 = has("+avx2") && has("+fma");
  info.hasAvx512 =
      info.hasAvx2 && has("+avx512f") && has("+avx512vl") && has("+avx512bw") && has("+avx512dq");
  info.hasVnni = info.hasAvx512 && has("+avx512vnni");
  info.vectorLanes = info.hasAvx512 ? 16 : info.hasAvx2 ? 8 : 4;
  info.vectorRegisters = info.hasAvx512 ? 32 : 16;
  info.scalar.hasF16c = has("+f16c");
  return info;
}

static llvm::Expected<std::string> generate(llvm::Module &module, const Options &options,
                                            llvm::CodeGenFileType type) {
  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  (*machine)->setOptLevel(common::codeGenLevel(module, (*machine)->getOptLevel()));
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, type))
    return llvm::createStringError("LLVM cannot write this kind of file");
  passes.run(module);
  return std::string(buffer.begin(), buffer.end());
}

llvm::Expected<std::string> emitAssembly(llvm::Module &module, const Options &options) {
  return generate(module, options, llvm::CodeGenFileType::AssemblyFile);
}

llvm::Expected<std::string> emitObject(llvm::Module &module, const Options &options) {
  return generate(module, options, llvm::CodeGenFileType::ObjectFile);
}

} // namespace phobos::cpu
