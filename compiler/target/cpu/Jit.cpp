// Kernels as machine code in this process, by ORC's LLJIT.
#include "compiler/target/cpu/Cpu.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/ObjectFile.h"

namespace phobos::cpu {
namespace {

class OrcKernel : public JitKernel {
public:
  OrcKernel(std::unique_ptr<llvm::orc::LLJIT> jit, CpuEntry entry, uint64_t scratchBytes)
      : jit_(std::move(jit)), entry_(entry), scratchBytes_(scratchBytes) {}
  CpuEntry entry() const override { return entry_; }
  uint64_t scratchBytes() const override { return scratchBytes_; }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit_; // owns the code
  CpuEntry entry_;
  uint64_t scratchBytes_;
};

} // namespace

llvm::Expected<std::unique_ptr<JitKernel>> compileAndLoad(mlir::ModuleOp tileModule, const Options &options) {
  llvm::LLVMContext context;
  EntryInfo info;
  auto module = emitLLVM(tileModule, context, options, info);
  if (!module)
    return module.takeError();
  optimize(**module, options);
  auto object = emitObject(**module, options);
  if (!object)
    return object.takeError();
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(*object, info.symbol)))
    return std::move(error);
  auto address = (*jit)->lookup(info.symbol);
  if (!address)
    return address.takeError();
  return std::make_unique<OrcKernel>(std::move(*jit), address->toPtr<CpuEntry>(), info.scratchBytes);
}

} // namespace phobos::cpu
