#include "tests/common/Ptx.h"
#include "compiler/target/common/Scalar.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <cstdlib>

extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

namespace phobos::testing {

std::string ptxOf(const std::string &cpu, llvm::function_ref<void(llvm::Module &)> fill) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *t = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      t->createTargetMachine(triple, cpu, "+ptx81", llvm::TargetOptions(), std::nullopt, std::nullopt,
                             llvm::CodeGenOptLevel::Default));
  llvm::LLVMContext context;
  llvm::Module module("common", context);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(triple);
  fill(module);
  if (llvm::verifyModule(module, &llvm::errs()))
    std::abort();
  llvm::SmallString<0> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager pm;
  machine->addPassesToEmitFile(pm, stream, nullptr, llvm::CodeGenFileType::AssemblyFile);
  pm.run(module);
  return std::string(out);
}

namespace {
void addKernel(llvm::Module &module, const PtxKernel &k) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  target::ScalarTarget gpu;
  gpu.nvptx = true;
  std::vector<llvm::Type *> params(k.in.size() + 1, b.getPtrTy(1));
  auto *f = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), params, false),
                                   llvm::Function::ExternalLinkage, k.name, module);
  f->setCallingConv(llvm::CallingConv::PTX_Kernel);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", f));
  llvm::Value *i = b.CreateSExt(
      b.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, llvm::ArrayRef<llvm::Value *>()),
      b.getInt64Ty());
  std::vector<llvm::Value *> args;
  for (size_t a = 0; a < k.in.size(); ++a) {
    llvm::Type *mem = target::memoryType(context, k.in[a], gpu),
               *val = target::valueType(context, k.in[a], gpu);
    llvm::Value *v = b.CreateLoad(mem, b.CreateGEP(mem, f->getArg(a), i));
    args.push_back(mem == val ? v : b.CreateTrunc(v, val));
  }
  llvm::Value *r = k.emit(b, args);
  llvm::Type *mem = target::memoryType(context, k.out, gpu);
  b.CreateStore(r->getType() == mem ? r : b.CreateZExt(r, mem), b.CreateGEP(mem, f->getArg(k.in.size()), i));
  b.CreateRetVoid();
}
} // namespace

std::string emitPtx(const std::vector<PtxKernel> &kernels, const std::string &cpu) {
  return ptxOf(cpu, [&](llvm::Module &module) {
    for (const PtxKernel &k : kernels)
      addKernel(module, k);
  });
}

std::optional<std::string> findPtxas() {
  if (auto p = llvm::sys::findProgramByName("ptxas"))
    return *p;
  for (const char *place : {"/usr/local/cuda/bin/ptxas", "/usr/local/cuda-13.0/bin/ptxas"})
    if (llvm::sys::fs::can_execute(place))
      return place;
  return std::nullopt;
}

std::string assemblePtx(const std::string &ptx, const std::string &cpu) {
  std::string problems;
  if (ptx.find("call.uni") != std::string::npos || ptx.find(".extern .func") != std::string::npos)
    problems += "a call in the PTX of " + cpu + "\n";
  llvm::SmallString<128> source, log;
  llvm::sys::fs::createTemporaryFile("phobos", "ptx", source);
  llvm::sys::fs::createTemporaryFile("phobos", "log", log);
  std::error_code ec;
  llvm::raw_fd_ostream(source, ec) << ptx;
  std::string ptxas = *findPtxas(), arch = "-arch=" + cpu;
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, llvm::StringRef(log), llvm::StringRef(log)};
  int rc = llvm::sys::ExecuteAndWait(ptxas, {ptxas, arch, "-v", "-o", "/dev/null", source}, std::nullopt,
                                     redirects);
  auto text = llvm::MemoryBuffer::getFile(log);
  llvm::StringRef rest = text ? (*text)->getBuffer() : "";
  if (rc != 0)
    problems += rest.str();
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    rest = after;
    bool spills = line.contains("spill stores") &&
                  !line.contains("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads");
    if (spills || line.contains("warning"))
      problems += line.str() + "\n";
  }
  llvm::sys::fs::remove(source);
  llvm::sys::fs::remove(log);
  return problems;
}

} // namespace phobos::testing
