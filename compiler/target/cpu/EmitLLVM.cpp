// The entry function of a kernel: its arguments, and the loop over the blocks it was asked to run.
#include "compiler/legality/IllegalPoint.h"
#include "compiler/legality/Legality.h"
#include "compiler/target/common/Quiet.h"
#include "compiler/target/cpu/Emitter.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

namespace phobos::cpu {

KernelEmitter::KernelEmitter(mlir::func::FuncOp kernel, llvm::Module &module, const TargetInfo &target)
    : kernel_(kernel), module_(module), builder_(module.getContext()), target_(target) {
  int64_t threads = 256;
  if (auto attribute = kernel->getAttrOfType<mlir::IntegerAttr>("pho.threads"))
    threads = attribute.getInt();
  plan_ = planTiles(kernel, threads);
  kernel.walk([&](pho::LoadOp load) { readViews_.insert(load.getView()); });
  kernel.walk([&](pho::AtomicOp atomic) { readViews_.insert(atomic.getView()); });
  llvm::FastMathFlags flags;
  flags.setAllowContract(); // a * b + c may be one fma, nothing else
  builder_.setFastMathFlags(flags);
}

/// CpuLaunch is { params, dims, grid[3] }; CpuTensor is { data, strides[5] }.
void KernelEmitter::emitArguments(llvm::Value *launch) {
  llvm::Type *pointer = builder_.getPtrTy(), *word = builder_.getInt64Ty();
  auto at = [&](llvm::Value *base, uint64_t bytes) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, bytes);
  };
  llvm::Value *params = builder_.CreateLoad(pointer, launch);
  llvm::Value *dims = builder_.CreateLoad(pointer, at(launch, 8));
  for (unsigned axis = 0; axis < 3; ++axis)
    gridDim_[axis] = builder_.CreateLoad(word, at(launch, 16 + 8 * axis));
  unsigned param = 0, dim = 0;
  for (mlir::BlockArgument arg : kernel_.getArguments()) {
    const bool isDim = static_cast<bool>(kernel_.getArgAttr(arg.getArgNumber(), "pho.dim"));
    if (auto type = mlir::dyn_cast<pho::ViewType>(arg.getType())) {
      llvm::Value *tensor = builder_.CreateLoad(pointer, at(params, 8 * param++));
      View view;
      view.elem = type.getElementType();
      view.data = builder_.CreateLoad(pointer, tensor);
      for (int64_t axis = 0; axis + 1 < type.getRank(); ++axis)
        view.strides.push_back(builder_.CreateLoad(word, at(tensor, static_cast<uint64_t>(8 + 8 * axis))));
      view.strides.push_back(i64(1));
      views_[arg] = view;
    } else if (!isDim) {
      llvm::Value *place = builder_.CreateLoad(pointer, at(params, 8 * param++));
      scalars_[arg] = fromMemory(builder_.CreateLoad(memoryType(arg), place), arg.getType().isInteger(1));
    } else {
      scalars_[arg] = builder_.CreateLoad(word, at(dims, 8 * dim++));
    }
  }
}

/// Blocks are numbered x fastest.
void KernelEmitter::emitBlockLoop(llvm::Value *first, llvm::Value *last) {
  forLoop(
      first, last, 1,
      [&](llvm::Value *number) {
        blockId_[0] = builder_.CreateURem(number, gridDim_[0]);
        llvm::Value *rest = builder_.CreateUDiv(number, gridDim_[0]);
        blockId_[1] = builder_.CreateURem(rest, gridDim_[1]);
        blockId_[2] = builder_.CreateUDiv(rest, gridDim_[1]);
        emitBlock(kernel_.getBody().front());
      },
      1);
}

llvm::Error KernelEmitter::run(llvm::StringRef symbol) {
  llvm::Type *pointer = builder_.getPtrTy(), *word = builder_.getInt64Ty();
  auto *type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer, word, word, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module_);
  function_->addFnAttr("no-builtins");
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(3, llvm::Attribute::NoAlias);
  scratchBase_ = function_->getArg(3);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
  emitArguments(function_->getArg(0));
  scratch_.allocate(64); // held for good: where loads go that must not happen
  emitBlockLoop(function_->getArg(1), function_->getArg(2));
  if (isStreaming_) // before anybody is told that the grid is done
    builder_.CreateIntrinsic(builder_.getVoidTy(), llvm::Intrinsic::x86_sse_sfence,
                             llvm::ArrayRef<llvm::Value *>());
  builder_.CreateRetVoid();
  if (!error_.empty())
    return llvm::createStringError(error_);
  std::string why;
  llvm::raw_string_ostream stream(why);
  if (llvm::verifyFunction(*function_, &stream))
    return llvm::createStringError("the CPU target wrote invalid LLVM IR: " + why);
  return llvm::Error::success();
}

/// The rules of the list `cpu` on what the kernel turned out to need.
static legality::Verdict judge(mlir::func::FuncOp kernel, uint64_t scratchBytes) {
  Point facts, completed;
  facts.set("SCRATCH_BYTES", static_cast<int64_t>(std::min<uint64_t>(scratchBytes, INT64_MAX)));
  if (auto threads = kernel->getAttrOfType<mlir::IntegerAttr>("pho.threads"))
    facts.set("THREADS", threads.getInt());
  return legality::Judge(legality::Path::Cpu).complete(facts, {}, completed);
}

static mlir::func::FuncOp kernelOf(mlir::ModuleOp module) {
  mlir::func::FuncOp kernel;
  module.walk([&](mlir::func::FuncOp f) {
    if (!kernel && (f->hasAttr("pho.kernel") || f.getName() == "kernel"))
      kernel = f;
  });
  return kernel;
}

llvm::Error tellPaths(mlir::ModuleOp tileModule, const Options &options) {
  auto machine = createTargetMachine(options);
  mlir::func::FuncOp kernel = kernelOf(tileModule);
  if (!machine || !kernel)
    return machine.takeError();
  llvm::LLVMContext context;
  llvm::Module scratch("paths", context);
  scratch.setDataLayout((*machine)->createDataLayout());
  const TargetInfo target = targetInfoOf(**machine);
  KernelEmitter emitter(kernel, scratch, target);
  kernel.walk([&](pho::DotOp dot) {
    const auto [path, why] = emitter.pathOf(dot);
    dot->setAttr("pho.path", mlir::StringAttr::get(dot.getContext(), path));
    if (!why.empty())
      dot->setAttr("pho.path_reason", mlir::StringAttr::get(dot.getContext(), why));
  });
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::Module>> emitLLVM(mlir::ModuleOp tileModule, llvm::LLVMContext &context,
                                                       const Options &options, EntryInfo &info) {
  target::silenceWarnings(context);
  auto machine = createTargetMachine(options);
  if (!machine)
    return machine.takeError();
  mlir::func::FuncOp kernel = kernelOf(tileModule);
  if (!kernel)
    return llvm::createStringError("the module holds no kernel");
  auto module = std::make_unique<llvm::Module>(kernel.getName(), context);
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  const TargetInfo target = targetInfoOf(**machine);
  KernelEmitter emitter(kernel, *module, target);
  info.symbol = "phobos_cpu_" + kernel.getName().str();
  if (llvm::Error error = emitter.run(info.symbol))
    return std::move(error);
  info.scratchBytes = emitter.scratchBytes();
  if (legality::Verdict v = judge(kernel, info.scratchBytes); !v.isLegal())
    return llvm::make_error<legality::IllegalPoint>(std::string(v.broken->name), v.reason);
  for (llvm::Function &f : *module)
    if (!f.isDeclaration()) {
      f.addFnAttr("target-cpu", (*machine)->getTargetCPU());
      f.addFnAttr("target-features", (*machine)->getTargetFeatureString());
      f.addFnAttr("prefer-vector-width", std::to_string(target.vectorLanes * 32));
    }
  return module;
}

} // namespace phobos::cpu
