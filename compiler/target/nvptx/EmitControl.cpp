// The function of an entry point: parameters, the block's place in the grid, structured control flow.
#include "compiler/passes/Ranges.h"
#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/Emitter.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace phobos::nvptx {

Emitter::Emitter(Module &m, const Target &t, unsigned ptxVersion, DIBuilder *d, DIFile *f)
    : module(m), context(m.getContext()), b(m.getContext()), target(t), debug(d), file(f) {
  scalarTarget.nvptx = true;
  scalarTarget.sm = t.sm;
  scalarTarget.ptx = ptxVersion;
  FastMathFlags flags;
  flags.setAllowContract(true); // a * b + c may be one fma (spec, "Types and conversions")
  b.setFastMathFlags(flags);
}

bool Emitter::fail(mlir::Operation *op, const std::string &what) {
  if (error.empty())
    error = what + " (" + op->getName().getStringRef().str() + ")";
  return false;
}

BasicBlock *Emitter::newBlock(const char *name) { return BasicBlock::Create(context, name, function); }

Regs &Emitter::regs(mlir::Value v) {
  auto it = values.find(v);
  assert(it != values.end() && "used before it is emitted");
  return it->second;
}

/// The end of the kernel's path: out, or to the block's next round.
void Emitter::leave() {
  if (returnTo)
    b.CreateBr(returnTo);
  else
    b.CreateRetVoid();
}

void Emitter::setLocation(mlir::Location loc) {
  if (!subprogram)
    return;
  mlir::FileLineColLoc at;
  loc->walk([&](mlir::Location l) {
    at = mlir::dyn_cast<mlir::FileLineColLoc>(l);
    return at ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  if (at)
    b.SetCurrentDebugLocation(DILocation::get(context, at.getLine(), at.getColumn(), subprogram));
}

bool Emitter::emitKernel(mlir::func::FuncOp func, const std::string &symbol, bool nativeGrid,
                         std::string &message) {
  SmallVector<Type *> types;
  SmallVector<std::string> names;
  auto param = [&](Type *t, std::string name) { types.push_back(t), names.push_back(std::move(name)); };
  Type *pointer = PointerType::get(context, 1);
  for (mlir::BlockArgument arg : func.getArguments()) {
    auto nameAttr = func.getArgAttrOfType<mlir::StringAttr>(arg.getArgNumber(), "pho.name");
    std::string name = nameAttr ? nameAttr.str() : "p" + std::to_string(arg.getArgNumber());
    auto view = mlir::dyn_cast<pho::ViewType>(arg.getType());
    param(view ? pointer : memoryTypeOf(arg.getType()), name);
    for (int64_t axis = 0; view && axis + 1 < view.getRank(); ++axis)
      param(b.getInt64Ty(), name + ".stride" + std::to_string(axis));
  }
  for (const char *axis : {"x", "y", "z"})
    param(b.getInt32Ty(), std::string("grid.") + axis);
  auto partsAttr = func->getAttrOfType<mlir::IntegerAttr>("phog.parts");
  const int64_t parts = partsAttr ? partsAttr.getInt() : 1;
  if (parts > 1)
    param(pointer, "workspace");

  function = Function::Create(FunctionType::get(b.getVoidTy(), types, false), GlobalValue::ExternalLinkage,
                              symbol, module);
  function->setCallingConv(CallingConv::PTX_Kernel);
  if (auto n = func->getAttrOfType<mlir::IntegerAttr>("phog.helpers"))
    helpers = n.getInt();
  function->addFnAttr("nvvm.maxntid", std::to_string(target.warps * 32 + helpers));
  if (auto n = func->getAttrOfType<mlir::IntegerAttr>("pho.min_blocks"))
    function->addFnAttr("nvvm.minctasm", std::to_string(n.getInt()));
  else if (helpers && !func->hasAttr("pho.max_registers")) // to share them out, the assembler must know how
                                                           // many a block has
    function->addFnAttr("nvvm.minctasm", "1");
  if (auto n = func->getAttrOfType<mlir::IntegerAttr>("pho.max_registers")) {
    // It counts before what the threads of a block leave each other: threads of other roles are among them.
    const int64_t each = 65536 / (target.warps * 32 + helpers) / 8 * 8;
    function->addFnAttr("nvvm.maxnreg", std::to_string(helpers ? std::min(n.getInt(), each) : n.getInt()));
  }
  function->addFnAttr(Attribute::NoUnwind);
  if (debug) {
    unsigned line = 1;
    if (auto at = func.getLoc()->findInstanceOf<mlir::FileLineColLoc>())
      line = at.getLine();
    subprogram = debug->createFunction(
        file, symbol, symbol, file, line, debug->createSubroutineType(debug->getOrCreateTypeArray({})), line,
        DINode::FlagZero, DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
    function->setSubprogram(subprogram);
  }
  shared = module.getGlobalVariable("phobos_shared");
  if (!shared) {
    shared = new GlobalVariable(module, ArrayType::get(b.getInt8Ty(), 0), false, GlobalValue::ExternalLinkage,
                                nullptr, "phobos_shared", nullptr, GlobalValue::NotThreadLocal, 3);
    shared->setAlignment(Align(1024)); // where the pattern of a swizzled panel begins
  }

  BasicBlock *entry = newBlock("entry");
  b.SetInsertPoint(entry);
  setLocation(func.getLoc());
  thread = nvvm(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  lane = b.CreateAnd(thread, 31);
  warp = b.CreateLShr(thread, 5);

  // Parameters, in the order of gpuParams().
  unsigned at = 0;
  for (mlir::BlockArgument arg : func.getArguments()) {
    Argument *value = function->getArg(at);
    value->setName(names[at++]);
    auto view = mlir::dyn_cast<pho::ViewType>(arg.getType());
    if (!view) {
      setRegs(arg, {fromMemory(value, arg.getType())});
      continue;
    }
    unsigned index = value->getArgNo();
    // Other threads' stores are accesses of another kind: LLVM would move its own over a barrier that orders
    // them with those.
    if (isOneThreads(arg))
      function->addParamAttr(index, Attribute::NoAlias);
    if (!isWritten(arg))
      function->addParamAttr(index, Attribute::ReadOnly);
    if (target.aligned)
      function->addParamAttr(index, Attribute::getWithAlignment(context, Align(16)));
    TensorView &v = views[arg];
    v.data = value;
    for (int64_t axis = 0; axis + 1 < view.getRank(); ++axis) {
      v.strides.push_back(function->getArg(at));
      function->getArg(at)->setName(names[at]);
      ++at;
    }
    v.strides.push_back(i64(1));
    if (target.aligned)
      for (Reg stride : v.strides)
        v.steps.push_back(narrowStep(stride, elementBytes(view.getElementType())));
  }
  Reg extents[3];
  for (int axis = 0; axis < 3; ++axis, ++at) {
    function->getArg(at)->setName(names[at]);
    extents[axis] = function->getArg(at);
  }
  if (parts > 1) {
    workspace = function->getArg(at);
    workspace->setName(names[at]);
    function->addParamAttr(at, Attribute::getWithAlignment(context, Align(16)));
  }
  BasicBlock *body = newBlock("body");
  entryEnd = b.CreateBr(body);
  b.SetInsertPoint(body);
  const bool persistent = func->hasAttr("pho.persistent");
  auto emitBlocks = [&] {
    emitGrid(nativeGrid, persistent, parts, extents);
    if (parts > 1)
      blockNumber = b.CreateAdd(
          blockIds[0],
          b.CreateMul(gridDims[0], b.CreateAdd(blockIds[1], b.CreateMul(gridDims[1], blockIds[2]))));
    if (auto group = func->getAttrOfType<mlir::DenseI64ArrayAttr>("phog.group"))
      groupBlocks(group.asArrayRef()[0], group.asArrayRef()[1], group.asArrayRef()[2]);
  };
  if (helpers)
    emitProducers(func, emitBlocks);
  emitBlocks();
  emitBlock(func.getBody().front());
  message = error;
  return error.empty();
}

void Emitter::when(Reg condition, const std::function<void()> &then) {
  if (!condition)
    return then();
  BasicBlock *yes = newBlock("then"), *done = newBlock("done");
  b.CreateCondBr(condition, yes, done);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

Regs Emitter::either(Reg condition, const std::function<Regs()> &then,
                     const std::function<Regs()> &otherwise) {
  if (!condition)
    return then();
  BasicBlock *yes = newBlock("then"), *no = newBlock("else"), *done = newBlock("done");
  b.CreateCondBr(condition, yes, no);
  b.SetInsertPoint(yes);
  Regs a = then();
  BasicBlock *yesEnd = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(no);
  Regs c = otherwise();
  BasicBlock *noEnd = b.GetInsertBlock();
  b.CreateBr(done);
  b.SetInsertPoint(done);
  Regs out;
  for (size_t k = 0; k < a.size(); ++k) {
    PHINode *phi = b.CreatePHI(a[k]->getType(), 2);
    phi->addIncoming(a[k], yesEnd);
    phi->addIncoming(c[k], noEnd);
    out.push_back(phi);
  }
  return out;
}

void Emitter::emitBlock(mlir::Block &block) {
  for (mlir::Operation &op : block) {
    if (!error.empty())
      return;
    setLocation(op.getLoc());
    emit(&op);
  }
}

/// Whether the counter may pass the largest index when it is stepped past its last value.
static bool mayWrap(mlir::scf::ForOp op) {
  if (passes::isModestPart(op))
    return false;
  passes::Range high = passes::rangeOf(op.getUpperBound()), step = passes::rangeOf(op.getStep());
  return !(step.isConstant() && step.lo == 1) && !(high.isModest() && step.isModest());
}

void Emitter::emitFor(mlir::scf::ForOp op) {
  Reg low = scalar(op.getLowerBound()), high = scalar(op.getUpperBound()), step = scalar(op.getStep());
  BasicBlock *before = b.GetInsertBlock(), *head = newBlock("for"), *body = newBlock("for.body"),
             *done = newBlock("for.done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  PHINode *iv = b.CreatePHI(low->getType(), 2);
  iv->addIncoming(low, before);
  setRegs(op.getInductionVar(), {iv});
  std::vector<SmallVector<PHINode *>> carried;
  for (auto [arg, init] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs())) {
    b.SetInsertPoint(before->getTerminator());
    Regs start = packed(regs(init)), phis;
    b.SetInsertPoint(head);
    carried.emplace_back();
    for (Reg r : start) {
      PHINode *phi = b.CreatePHI(r->getType(), 2);
      phi->addIncoming(r, before);
      carried.back().push_back(phi);
      phis.push_back(phi);
    }
    setRegs(arg, phis);
  }
  for (auto [arg, init, result] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs(), op.getResults())) {
    setRegs(arg, unpacked(regs(arg), regs(init)));
    Regs copy = regs(arg);
    setRegs(result, copy);
  }
  b.CreateCondBr(b.CreateICmpSLT(iv, high), body, done);
  b.SetInsertPoint(body);
  emitBlock(*op.getBody());
  if (!error.empty())
    return;
  // To the end at most, where a step may pass the largest index: the distance to it is exact without a sign.
  Reg stride = mayWrap(op) ? b.CreateBinaryIntrinsic(Intrinsic::umin, step, b.CreateSub(high, iv)) : step;
  Reg next = b.CreateAdd(iv, stride, "", false, true);
  BasicBlock *end = b.GetInsertBlock();
  iv->addIncoming(next, end);
  for (auto [phis, yielded] : llvm::zip(carried, op.getYieldedValues()))
    for (auto [phi, r] : llvm::zip(phis, packed(regs(yielded))))
      phi->addIncoming(r, end);
  BranchInst *latch = b.CreateBr(head);
  // Loops over tiles are as long as they should be; per-thread loops unroll as written.
  bool holdsTiles = false;
  op.getBody()->walk([&](mlir::Operation *inner) {
    for (mlir::Type t : inner->getResultTypes())
      holdsTiles |= mlir::isa<mlir::RankedTensorType>(t);
  });
  SmallVector<Metadata *> loopMd{nullptr};
  if (auto unroll = op->getAttrOfType<mlir::IntegerAttr>("pho.unroll"); unroll && unroll.getInt() > 1)
    loopMd.push_back(
        MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.count"),
                              ConstantAsMetadata::get(b.getInt32(static_cast<uint32_t>(unroll.getInt())))}));
  else if (holdsTiles || unroll)
    loopMd.push_back(MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.disable")}));
  if (loopMd.size() > 1) {
    MDNode *node = MDNode::getDistinct(context, loopMd);
    node->replaceOperandWith(0, node);
    latch->setMetadata(LLVMContext::MD_loop, node);
  }
  b.SetInsertPoint(done);
}

void Emitter::emitWhile(mlir::scf::WhileOp op) {
  BasicBlock *before = b.GetInsertBlock(), *head = newBlock("while"), *body = newBlock("while.body"),
             *done = newBlock("while.done");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  std::vector<SmallVector<PHINode *>> carried;
  for (auto [arg, init] : llvm::zip(op.getBeforeArguments(), op.getInits())) {
    Regs start = regs(init), phis;
    carried.emplace_back();
    for (Reg r : start) {
      PHINode *phi = b.CreatePHI(r->getType(), 2);
      phi->addIncoming(r, before);
      carried.back().push_back(phi);
      phis.push_back(phi);
    }
    setRegs(arg, phis);
  }
  for (mlir::Operation &inner : op.getBefore().front().without_terminator()) {
    setLocation(inner.getLoc());
    emit(&inner);
    if (!error.empty())
      return;
  }
  auto condition = op.getConditionOp();
  for (auto [k, v] : llvm::enumerate(condition.getArgs())) {
    Regs copy = regs(v);
    setRegs(op.getAfterArguments()[k], copy);
    setRegs(op.getResult(k), copy);
  }
  b.CreateCondBr(scalar(condition.getCondition()), body, done);
  b.SetInsertPoint(body);
  emitBlock(op.getAfter().front());
  if (!error.empty())
    return;
  BasicBlock *end = b.GetInsertBlock();
  for (auto [phis, yielded] : llvm::zip(carried, op.getYieldOp().getOperands()))
    for (auto [phi, r] : llvm::zip(phis, regs(yielded)))
      phi->addIncoming(r, end);
  b.CreateBr(head);
  b.SetInsertPoint(done);
}

void Emitter::emitIf(mlir::scf::IfOp op) {
  auto way = [&](mlir::Region &region) {
    Regs all;
    if (region.empty())
      return all;
    emitBlock(region.front());
    if (!error.empty())
      return all;
    for (mlir::Value v : region.front().getTerminator()->getOperands())
      all.append(regs(v));
    return all;
  };
  Regs all = either(
      scalar(op.getCondition()), [&] { return way(op.getThenRegion()); },
      [&] { return way(op.getElseRegion()); });
  if (!error.empty())
    return;
  size_t at = 0;
  for (auto [k, v] : llvm::enumerate(op.getResults())) {
    size_t n = op.thenYield().getOperand(k) ? regs(op.thenYield().getOperand(k)).size() : 0;
    setRegs(v, Regs(all.begin() + at, all.begin() + at + n));
    at += n;
  }
}

void Emitter::emit(mlir::Operation *op) {
  using mlir::dyn_cast;
  if (auto o = dyn_cast<mlir::scf::ForOp>(op))
    return emitFor(o);
  if (auto o = dyn_cast<mlir::scf::WhileOp>(op))
    return emitWhile(o);
  if (auto o = dyn_cast<mlir::scf::IfOp>(op))
    return emitIf(o);
  if (mlir::isa<mlir::scf::YieldOp, phog::YieldOp>(op))
    return;
  if (mlir::isa<mlir::func::ReturnOp>(op))
    return leave();
  if (auto o = dyn_cast<pho::BlockIdOp>(op))
    return setRegs(o, {blockIds[o.getAxis()]});
  if (auto o = dyn_cast<pho::GridDimOp>(op))
    return setRegs(o, {gridDims[o.getAxis()]});
  if (auto o = dyn_cast<phog::PartOp>(op))
    return setRegs(o, {partOfK});
  if (auto o = dyn_cast<phog::CombinePartsOp>(op))
    return emitCombineParts(o);
  if (auto o = dyn_cast<pho::ThreadIdOp>(op))
    return setRegs(o, {b.CreateZExt(thread, b.getInt64Ty())});
  if (mlir::isa<pho::BarrierOp, phog::BarrierOp>(op))
    return barrier();
  if (auto o = dyn_cast<pho::LoadOp>(op))
    return emitLoad(o);
  if (auto o = dyn_cast<pho::StoreOp>(op))
    return emitStore(o);
  if (auto o = dyn_cast<pho::AtomicOp>(op))
    return emitAtomic(o);
  if (auto o = dyn_cast<phog::ConvertOp>(op))
    return emitConvert(o);
  if (auto o = dyn_cast<pho::ReshapeOp>(op))
    return emitReshape(o);
  if (mlir::isa<pho::ExtractSliceOp, pho::InsertSliceOp, pho::CatOp>(op))
    return emitPieces(op);
  if (auto o = dyn_cast<pho::ExtractOp>(op))
    return emitExtract(o);
  if (auto o = dyn_cast<pho::TransposeOp>(op)) {
    Regs copy = regs(o.getValue()); // the layout is the transposed one: the registers stay
    return setRegs(o, copy);
  }
  if (auto o = dyn_cast<pho::ReduceOp>(op))
    return emitReduce(o);
  if (auto o = dyn_cast<pho::ArgReduceOp>(op))
    return emitArgReduce(o);
  if (auto o = dyn_cast<pho::ScanOp>(op))
    return emitScan(o);
  if (mlir::isa<phog::AllocOp>(op))
    return;
  if (auto o = dyn_cast<phog::StoreSharedOp>(op))
    return emitStoreShared(o);
  if (auto o = dyn_cast<phog::CopyAsyncOp>(op))
    return emitCopyAsync(o);
  if (mlir::isa<phog::CommitOp>(op)) {
    nvvm(Intrinsic::nvvm_cp_async_commit_group, {});
    return;
  }
  if (auto o = dyn_cast<phog::WaitOp>(op)) {
    nvvm(Intrinsic::nvvm_cp_async_wait_group, {i32(static_cast<int64_t>(o.getPending()))});
    return;
  }
  if (auto o = dyn_cast<phog::DotOp>(op))
    return emitDot(o);
  if (auto o = dyn_cast<phog::BeginOp>(op))
    return emitBegin(o);
  if (auto o = dyn_cast<phog::SettleOp>(op))
    return emitSettle(o);
  if (auto o = dyn_cast<phog::RolesOp>(op))
    return emitRoles(o);
  if (auto o = dyn_cast<phog::AwaitOp>(op))
    return emitAwait(o);
  if (auto o = dyn_cast<phog::SignalOp>(op))
    return emitSignal(o);
  if (!emitElementwise(op))
    fail(op, "the GPU target does not know this operation");
}

} // namespace phobos::nvptx
