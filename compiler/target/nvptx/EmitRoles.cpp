// Warp roles: who does what, what tells one role of the other, and the registers of each.
#include "compiler/target/nvptx/Emitter.h"
#include "compiler/target/nvptx/Roles.h"
#include "compiler/target/nvptx/SharedTile.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace phobos::nvptx {

namespace {
/// Named barriers. 0 is all warps' (and the only one where there are no roles). From kReadyBarrier on each
/// phog.roles has one at which workers come and producers wait: the bytes of its ring are free. At
/// kRoundBarrier producers come and workers wait: a persistent block's round is over.
constexpr int64_t kWorkersBarrier = 1, kReadyBarrier = 2, kRoundBarrier = kReadyBarrier + kMostRoles;
static_assert(kRoundBarrier < 16);

/// Each its own: workers of a loop without iterations come to the next one's before producers leave this
/// one's.
int64_t readyBarrierOf(phog::RolesOp op) {
  int64_t before = 0;
  for (mlir::Operation *o = op->getPrevNode(); o; o = o->getPrevNode())
    before += mlir::isa<phog::RolesOp>(o);
  return kReadyBarrier + before;
}
} // namespace

void Emitter::barrier() {
  if (helpers)
    nvvm(Intrinsic::nvvm_barrier_cta_sync_aligned_count, {i32(kWorkersBarrier), i32(target.warps * 32)});
  else
    meetAll();
}

Reg Emitter::barrierOr(Reg condition) {
  if (helpers)
    return nvvm(Intrinsic::nvvm_barrier_cta_red_or_aligned_count,
                {i32(kWorkersBarrier), i32(target.warps * 32), condition});
  return nvvm(Intrinsic::nvvm_barrier_cta_red_or_aligned_all, {i32(0), condition});
}

void Emitter::endRound() {
  if (!helpers)
    return meetAll();
  nvvm(isProducing ? Intrinsic::nvvm_barrier_cta_arrive_aligned_count
                   : Intrinsic::nvvm_barrier_cta_sync_aligned_count,
       {i32(kRoundBarrier), i32(target.warps * 32 + helpers)});
}

void Emitter::meetAll() { nvvm(Intrinsic::nvvm_barrier_cta_sync_aligned_all, {i32(0)}); }

// At the kernel's start all signals are made ready; then the warps past the workers leave the kernel's path
// and do, for each of their blocks, what each phog.roles of it has for them, in order. One branch of the
// whole kernel, ahead of a persistent block's rounds: registers are shared out once, and the assembler sees
// what each warpgroup does (setmaxnreg needs that).
void Emitter::emitProducers(mlir::func::FuncOp func, const std::function<void()> &emitBlocks) {
  SmallVector<phog::RolesOp> all(func.getBody().front().getOps<phog::RolesOp>());
  auto registers = all.front().getRegisters();
  const int64_t workers = target.warps;
  when(b.CreateICmpEQ(thread, i32(0)), [&] {
    for (phog::RolesOp roles : all)
      makeReady(roles);
  });
  meetAll();
  BasicBlock *produce = newBlock("producers"), *work = newBlock("workers");
  b.CreateCondBr(b.CreateICmpUGE(warp, i32(workers)), produce, work);
  b.SetInsertPoint(produce);
  if (registers)
    nvvm(Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32, {i32((*registers)[1])});
  isProducing = true;
  emitBlocks();
  Reg workersThread = thread;
  thread = b.CreateSub(thread, i32(workers * 32));
  target.warps = helpers / 32;
  for (phog::RolesOp roles : all) {
    setLocation(roles.getLoc());
    nvvm(Intrinsic::nvvm_barrier_cta_sync_aligned_count,
         {i32(readyBarrierOf(roles)), i32(workers * 32 + helpers)});
    emitBlock(roles.getProduce().front());
  }
  leave();
  isProducing = false;
  thread = workersThread;
  target.warps = workers;
  b.SetInsertPoint(work);
  if (registers)
    nvvm(Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32, {i32((*registers)[0])});
}

Reg Emitter::signalAddress(mlir::Value signals, bool isFull, Reg stage) {
  auto alloc = signals.getDefiningOp<phog::AllocOp>();
  const SharedLayout layout = sharedLayoutOf(mlir::cast<phog::BufferType>(signals.getType()));
  Reg base =
      sharedAddress(static_cast<int64_t>(alloc.getOffset().value_or(0)) + (isFull ? 0 : layout.pitchBytes));
  return b.CreateGEP(b.getInt8Ty(), base, b.CreateMul(b.CreateTrunc(stage, b.getInt32Ty()), i32(8)));
}

void Emitter::eachSignal(phog::RolesOp op, const std::function<void(Reg address, bool isFull)> &then) {
  const SharedLayout signals = sharedLayoutOf(mlir::cast<phog::BufferType>(op.getSignals().getType()));
  for (int64_t stage = 0; stage < signals.cols; ++stage)
    for (bool isFull : {true, false})
      then(signalAddress(op.getSignals(), isFull, i32(stage)), isFull);
}

void Emitter::makeReady(phog::RolesOp op) {
  eachSignal(op, [&](Reg address, bool isFull) {
    const auto arrivals = static_cast<int64_t>(isFull ? op.getProducers() * 32 : op.getWorkers());
    nvvm(Intrinsic::nvvm_mbarrier_init_shared, {address, i32(arrivals)});
  });
}

void Emitter::emitRoles(phog::RolesOp op) {
  // The stages' bytes may have been something else's: all workers are done with that.
  barrier();
  nvvm(Intrinsic::nvvm_barrier_cta_arrive_aligned_count,
       {i32(readyBarrierOf(op)), i32(target.warps * 32 + helpers)});
  mlir::Block &block = op.getWork().front();
  emitBlock(block);
  if (!error.empty())
    return;
  for (auto [result, value] : llvm::zip(op.getResults(), block.getTerminator()->getOperands())) {
    Regs copy = regs(value);
    setRegs(result, copy);
  }
  barrier();
  // Nobody waits for a signal any more; the next round's is another run of them.
  if (returnTo)
    when(b.CreateICmpEQ(thread, i32(0)), [&] {
      eachSignal(op, [&](Reg address, bool) { nvvm(Intrinsic::nvvm_mbarrier_inval_shared, {address}); });
      makeReady(op);
    });
}

void Emitter::emitAwait(phog::AwaitOp op) {
  Reg address = signalAddress(op.getSignals(), op.getFull(), scalar(op.getStage())),
      parity = b.CreateTrunc(scalar(op.getParity()), b.getInt32Ty());
  BasicBlock *again = newBlock("await"), *done = newBlock("arrived");
  b.CreateBr(again);
  b.SetInsertPoint(again);
  Reg isOver = nvvm(Intrinsic::nvvm_mbarrier_try_wait_parity_scope_cta_space_cta, {address, parity});
  b.CreateCondBr(isOver, done, again);
  b.SetInsertPoint(done);
}

void Emitter::emitSignal(phog::SignalOp op) {
  Reg address = signalAddress(op.getSignals(), op.getFull(), scalar(op.getStage()));
  if (op.getFull()) {
    nvvm(Intrinsic::nvvm_cp_async_mbarrier_arrive_noinc_shared, {address});
    return;
  }
  // A predicate, not a branch: the assembler follows the products that are under way through straight code.
  Reg isOne = b.CreateICmpEQ(lane, i32(0));
  if (op.getPred())
    isOne = b.CreateAnd(isOne, scalar(op.getPred()));
  auto *fn = FunctionType::get(b.getVoidTy(), {b.getInt32Ty(), b.getInt1Ty()}, false);
  b.CreateCall(InlineAsm::get(fn, "@$1 mbarrier.arrive.shared.b64 _, [$0];", "r,b,~{memory}", true),
               {b.CreatePtrToInt(address, b.getInt32Ty()), isOne});
}

} // namespace phobos::nvptx
