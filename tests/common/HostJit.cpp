#include "tests/common/HostJit.h"
#include "compiler/target/common/Scalar.h"
#include "compiler/target/common/Shape.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <cstdio>
#include <cstdlib>

namespace phobos::testing {
namespace orc = llvm::orc;

namespace {
orc::JITTargetMachineBuilder machineFor(const std::string &cpu) {
  auto builder = llvm::cantFail(orc::JITTargetMachineBuilder::detectHost());
  if (!cpu.empty()) {
    builder.setCPU(cpu);
    builder.getFeatures() = llvm::SubtargetFeatures();
  }
  return builder;
}
} // namespace

HostJit::HostJit(std::string processor) : cpu(std::move(processor)) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(machineFor(cpu));
  builder.setPlatformSetUp(orc::setUpInactivePlatform);
  builder.setLinkProcessSymbolsByDefault(false); // a call to libm does not link
  jit = llvm::cantFail(builder.create());
}

HostJit::~HostJit() = default;

namespace {
llvm::Value *loadElements(llvm::IRBuilderBase &b, llvm::Value *base, llvm::Value *i, ScalarType t,
                          unsigned width) {
  llvm::Type *mem = target::memoryType(b.getContext(), t, {}),
             *val = target::valueType(b.getContext(), t, {});
  if (width > 1) {
    mem = llvm::FixedVectorType::get(mem, width);
    val = llvm::FixedVectorType::get(val, width);
  }
  llvm::Value *p = b.CreateGEP(mem->getScalarType(), base, i);
  llvm::Value *v = b.CreateAlignedLoad(mem, p, llvm::Align(1));
  return mem == val ? v : b.CreateTrunc(v, val);
}

void storeElements(llvm::IRBuilderBase &b, llvm::Value *base, llvm::Value *i, llvm::Value *v, ScalarType t) {
  llvm::Type *mem = target::likeShape(v->getType(), target::memoryType(b.getContext(), t, {}));
  if (mem != v->getType())
    v = b.CreateZExt(v, mem);
  b.CreateAlignedStore(v, b.CreateGEP(mem->getScalarType(), base, i), llvm::Align(1));
}

void optimise(llvm::Module &m, llvm::TargetMachine &machine) {
  llvm::PassBuilder pb(&machine);
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cam;
  llvm::ModuleAnalysisManager mam;
  pb.registerModuleAnalyses(mam);
  pb.registerCGSCCAnalyses(cam);
  pb.registerFunctionAnalyses(fam);
  pb.registerLoopAnalyses(lam);
  pb.crossRegisterProxies(lam, fam, cam, mam);
  pb.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(m, mam);
}
} // namespace

Kernel HostJit::compile(llvm::ArrayRef<ScalarType> in, ScalarType out, unsigned width, Emit emit) {
  auto context = std::make_unique<llvm::LLVMContext>();
  std::string name = "kernel" + std::to_string(counter++);
  auto module = std::make_unique<llvm::Module>(name, *context);
  auto machine = llvm::cantFail(machineFor(cpu).createTargetMachine());
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(machine->getTargetTriple());
  llvm::IRBuilder<> b(*context);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  auto *f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, *module);
  f->addFnAttr("target-cpu", machine->getTargetCPU());
  f->addFnAttr("target-features", machine->getTargetFeatureString());
  f->addFnAttr("prefer-vector-width", "512");
  auto *entry = llvm::BasicBlock::Create(*context, "entry", f);
  auto *loop = llvm::BasicBlock::Create(*context, "loop", f),
       *done = llvm::BasicBlock::Create(*context, "done", f);
  b.SetInsertPoint(entry);
  std::vector<llvm::Value *> bases;
  for (size_t k = 0; k < in.size(); ++k)
    bases.push_back(b.CreateLoad(b.getPtrTy(), b.CreateGEP(b.getPtrTy(), f->getArg(0), b.getInt64(k))));
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto *i = b.CreatePHI(b.getInt64Ty(), 2);
  std::vector<llvm::Value *> args;
  for (size_t k = 0; k < in.size(); ++k)
    args.push_back(loadElements(b, bases[k], i, in[k], width));
  storeElements(b, f->getArg(1), i, emit(b, args), out);
  llvm::Value *next = b.CreateAdd(i, b.getInt64(width));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpULT(next, f->getArg(2)), loop, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  if (llvm::verifyModule(*module, &llvm::errs())) {
    module->print(llvm::errs(), nullptr);
    std::abort();
  }
  optimise(*module, *machine);
  llvm::cantFail(jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))));
  return llvm::cantFail(jit->lookup(name)).toPtr<Kernel>();
}

} // namespace phobos::testing
