// Parts of k: what the blocks that share a tile leave for each other in the workspace.
//
// The workspace begins with a counter for each block of the grid (GpuAbi.h). Behind them each block of the
// grid has, for each part, the accumulators of all threads: chunk c of thread t, 16 bytes of them, is chunk
// threads * c + t of the part, so that a warp's accesses are whole lines.
#include "compiler/target/nvptx/Emitter.h"
#include "runtime/contract/GpuAbi.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace phobos::nvptx {

namespace {

int64_t perChunk(mlir::Type elem) { return 16 / elementBytes(elem); }

/// Chunks that a thread has of a tile.
int64_t chunksOf(const Layout &layout, mlir::Type elem) {
  return (layout.registers() + perChunk(elem) - 1) / perChunk(elem);
}

int64_t chunksOf(mlir::ValueRange tiles) {
  int64_t chunks = 0;
  for (mlir::Value v : tiles)
    chunks += chunksOf(layoutOf(v.getType()), elementOf(v.getType()));
  return chunks;
}

} // namespace

int64_t partBytes(const Layout &layout, mlir::Type elem, int64_t threads) {
  return chunksOf(layout, elem) * 16 * threads;
}

int64_t workspaceBytes(mlir::Operation *func) {
  int64_t bytes = 0;
  func->walk([&](phog::CombinePartsOp op) {
    bytes += static_cast<int64_t>(op.getParts()) * chunksOf(op.getValues()) * 16 *
             func->getAttrOfType<mlir::IntegerAttr>("phog.threads").getInt();
  });
  return bytes;
}

// Memory model: each thread writes its chunks; the barrier hands them to thread 0 of its block, whose fence
// releases them to the device with the ticket that it takes. The thread 0 that takes the last ticket has read
// all others, so its fence acquires what they released, and the second barrier hands it to its block. Nobody
// waits for another block: whoever is not last leaves.
void Emitter::emitCombineParts(phog::CombinePartsOp op) {
  const int64_t threads = target.warps * 32, partBytes = chunksOf(op.getValues()) * 16 * threads,
                parts = static_cast<int64_t>(op.getParts());
  Reg blocks = b.CreateMul(b.CreateMul(gridDims[0], gridDims[1]), gridDims[2]);
  constexpr auto align = static_cast<int64_t>(kCounterAlign);
  Reg counters = b.CreateAnd(b.CreateAdd(b.CreateMul(blocks, i64(4)), i64(align - 1)), i64(-align));
  Reg thisBlock = b.CreateAdd(counters, b.CreateMul(blockNumber, i64(parts * partBytes)));
  Reg thisThread = b.CreateAdd(thisBlock, b.CreateZExt(b.CreateMul(thread, i32(16)), b.getInt64Ty()));
  auto at = [&](Reg offset) { return b.CreateGEP(b.getInt8Ty(), workspace, offset); };
  Reg corner = at(thisThread);
  auto chunk = [&](Reg ofPart, int64_t c) {
    return b.CreateGEP(b.getInt8Ty(), ofPart, i64(c * threads * 16));
  };
  auto partAt = [&](Reg p) { return b.CreateGEP(b.getInt8Ty(), corner, b.CreateMul(p, i64(partBytes))); };
  auto vectorOf = [&](mlir::Type elem) {
    return FixedVectorType::get(memoryTypeOf(elem), static_cast<unsigned>(perChunk(elem)));
  };

  Reg mine = partAt(partOfK);
  int64_t c = 0;
  for (mlir::Value v : op.getValues()) {
    mlir::Type elem = elementOf(v.getType());
    const Regs &r = regs(v);
    const auto each = static_cast<size_t>(perChunk(elem));
    for (size_t first = 0; first < r.size(); first += each) {
      Reg vector = Constant::getNullValue(vectorOf(elem));
      for (size_t k = 0; k < each && first + k < r.size(); ++k)
        vector = b.CreateInsertElement(vector, toMemory(r[first + k], elem), static_cast<uint64_t>(k));
      b.CreateAlignedStore(vector, chunk(mine, c++), Align(16));
    }
  }
  barrier();
  const SyncScope::ID device = deviceScope();
  Reg isLast = either(
      b.CreateICmpEQ(thread, i32(0)),
      [&] {
        Reg counter = at(b.CreateMul(blockNumber, i64(4)));
        b.CreateFence(AtomicOrdering::AcquireRelease, device);
        Reg ticket = b.CreateAtomicRMW(AtomicRMWInst::Add, counter, i32(1), Align(4),
                                       AtomicOrdering::Monotonic, device);
        b.CreateFence(AtomicOrdering::AcquireRelease, device);
        Reg last = b.CreateICmpEQ(ticket, i32(parts - 1));
        when(last, [&] { b.CreateStore(i32(0), counter); }); // for the next launch
        return Regs{last};
      },
      [&] { return Regs{b.getFalse()}; })[0];
  isLast = barrierOr(isLast);
  BasicBlock *goOn = newBlock("last"), *leave = newBlock("leave");
  b.CreateCondBr(isLast, goOn, leave);
  b.SetInsertPoint(leave);
  b.CreateRetVoid();
  b.SetInsertPoint(goOn);

  // All parts, this block's own too, in their order: the sum does not depend on who is last.
  auto load = [&](Reg p) {
    Reg from = partAt(p);
    Regs out;
    int64_t number = 0;
    for (mlir::Value v : op.getValues()) {
      mlir::Type elem = elementOf(v.getType());
      const auto each = static_cast<size_t>(perChunk(elem));
      for (size_t first = 0; first < regs(v).size(); first += each) {
        Reg vector = b.CreateAlignedLoad(vectorOf(elem), chunk(from, number++), Align(16));
        for (size_t k = 0; k < each && first + k < regs(v).size(); ++k)
          out.push_back(fromMemory(b.CreateExtractElement(vector, static_cast<uint64_t>(k)), elem));
      }
    }
    return out;
  };
  Regs start = load(i64(0));
  BasicBlock *before = b.GetInsertBlock(), *body = newBlock("parts"), *done = newBlock("parts.done");
  b.CreateBr(body);
  b.SetInsertPoint(body);
  PHINode *p = b.CreatePHI(b.getInt64Ty(), 2);
  p->addIncoming(i64(1), before);
  SmallVector<PHINode *> sums;
  for (Reg r : start) {
    sums.push_back(b.CreatePHI(r->getType(), 2));
    sums.back()->addIncoming(r, before);
  }
  Regs more = load(p), all;
  for (auto [sum, x] : llvm::zip(sums, more)) {
    all.push_back(x->getType()->isFloatingPointTy() ? b.CreateFAdd(sum, x) : b.CreateAdd(sum, x));
    sum->addIncoming(all.back(), body);
  }
  Reg next = b.CreateAdd(p, i64(1));
  p->addIncoming(next, body);
  BranchInst *latch = b.CreateCondBr(b.CreateICmpULT(next, i64(parts)), body, done);
  MDNode *node = MDNode::getDistinct(
      context, {nullptr, MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.disable")})});
  node->replaceOperandWith(0, node);
  latch->setMetadata(LLVMContext::MD_loop, node);
  b.SetInsertPoint(done);
  size_t first = 0;
  for (auto [value, result] : llvm::zip(op.getValues(), op.getResults())) {
    const size_t n = regs(value).size();
    setRegs(result, Regs(all.begin() + first, all.begin() + first + n));
    first += n;
  }
}

} // namespace phobos::nvptx
