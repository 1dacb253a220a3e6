// Control flow that differs between the threads of a block. All threads advance together; those that have
// nothing to do here are masked out. A scalar that differs between threads is a tile with one element a
// thread.
#include "compiler/target/cpu/Emitter.h"
#include "llvm/Analysis/VectorUtils.h"

namespace phobos::cpu {

llvm::Value *KernelEmitter::activeAt(const At &at) {
  return mask_ ? fromMemory(loadFrom(*mask_, at), true) : nullptr;
}

Buffer KernelEmitter::newMask(llvm::function_ref<llvm::Value *(const At &)> value) {
  Buffer mask = newBuffer(TileShape{1, plan_.threads}, builder_.getInt8Ty());
  tileLoop(mask.shape, [&](const At &at) {
    llvm::Value *active = value(at);
    if (llvm::Value *outer = activeAt(at))
      active = builder_.CreateAnd(active, outer);
    storeTo(mask, at, active);
  });
  return mask;
}

llvm::Value *KernelEmitter::anyActive(const Buffer &mask) {
  const unsigned lanes = lanesFor(mask.shape);
  const int64_t full = plan_.threads / lanes * lanes;
  At at = first(mask.shape);
  at.lanes = at.valid = lanes;
  auto any = foldLoop(
      i64(0), i64(full), lanes, {llvm::Constant::getNullValue(vectorOf(builder_.getInt8Ty(), lanes))},
      [&](llvm::Value *j, llvm::ArrayRef<llvm::Value *> carried) {
        at.j = j;
        return llvm::SmallVector<llvm::Value *>{builder_.CreateOr(carried[0], loadFrom(mask, at))};
      });
  llvm::Value *found = lanes == 1 ? any[0] : builder_.CreateOrReduce(any[0]);
  at.lanes = at.valid = 1;
  for (int64_t rest = full; rest < plan_.threads; ++rest) {
    at.j = i64(rest);
    found = builder_.CreateOr(found, loadFrom(mask, at));
  }
  return builder_.CreateICmpNE(found, builder_.getInt8(0));
}

void KernelEmitter::underMask(const Buffer &mask, llvm::function_ref<void()> body) {
  const Buffer *outer = mask_;
  mask_ = &mask;
  ifThen(anyActive(mask), [&] { body(); });
  mask_ = outer;
}

void KernelEmitter::eachThread(llvm::function_ref<void(const At &)> body) {
  forLoop(
      i64(0), i64(plan_.threads), 1,
      [&](llvm::Value *thread) {
        At at = first({});
        at.j = thread;
        evaluated_.clear();
        if (llvm::Value *active = activeAt(at))
          ifThen(active, [&] { body(at); });
        else
          body(at);
        evaluated_.clear();
      },
      1);
}

void KernelEmitter::emitDivergentIf(mlir::scf::IfOp branch) {
  llvm::SmallVector<Buffer> results;
  for (mlir::Value result : branch.getResults())
    results.push_back(newBuffer(result));
  auto side = [&](mlir::Region &region, bool takenWhen) {
    if (region.empty())
      return;
    Buffer mask = newMask([&](const At &at) {
      llvm::Value *condition = evaluate(branch.getCondition(), at);
      return takenWhen ? condition : builder_.CreateNot(condition);
    });
    underMask(mask, [&] {
      emitBlock(region.front());
      assignTiles(llvm::SmallVector<mlir::Value>(region.front().getTerminator()->getOperands()), results,
                  true);
      releaseLocals(region.front());
    });
    release(mask);
  };
  side(branch.getThenRegion(), true);
  side(branch.getElseRegion(), false);
  for (auto [result, buffer] : llvm::zip(branch.getResults(), results))
    bind(result, buffer);
}

/// Round r runs for the threads whose own trip count is above r.
void KernelEmitter::emitDivergentFor(mlir::scf::ForOp loop) {
  llvm::SmallVector<Buffer> carried;
  for (auto [arg, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
    carried.push_back(takeInitial(init, arg, loop));
    bind(arg, carried.back());
  }
  TileShape threads{1, plan_.threads};
  Buffer counts = newBuffer(threads, builder_.getInt64Ty()), position = newBuffer(loop.getInductionVar());
  bind(loop.getInductionVar(), position);
  tileLoop(threads, [&](const At &at) {
    llvm::Value *lower = evaluate(loop.getLowerBound(), at);
    storeTo(position, at, lower);
    storeTo(counts, at,
            laneTripCount(lower, evaluate(loop.getUpperBound(), at), evaluate(loop.getStep(), at), at.lanes));
  });
  // The bound of all: what the longest running thread needs.
  Buffer active = newBuffer(threads, builder_.getInt8Ty());
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, function_);
  };
  llvm::BasicBlock *head = block("lanes"), *body = block("lanes.body"), *end = block("lanes.end");
  llvm::BasicBlock *entry = builder_.GetInsertBlock();
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  llvm::PHINode *round = builder_.CreatePHI(builder_.getInt64Ty(), 2);
  round->addIncoming(i64(0), entry);
  tileLoop(threads, [&](const At &at) {
    llvm::Value *runs = builder_.CreateICmpULT(splat(round, at.lanes), loadFrom(counts, at));
    if (llvm::Value *outer = activeAt(at))
      runs = builder_.CreateAnd(runs, outer);
    storeTo(active, at, runs);
  });
  builder_.CreateCondBr(anyActive(active), body, end);
  builder_.SetInsertPoint(body);
  const Buffer *outer = mask_;
  mask_ = &active;
  emitBlock(*loop.getBody());
  assignTiles(llvm::SmallVector<mlir::Value>(loop.getBody()->getTerminator()->getOperands()), carried, true);
  releaseLocals(*loop.getBody());
  mask_ = outer;
  tileLoop(threads, [&](const At &at) {
    storeTo(position, at, builder_.CreateAdd(loadFrom(position, at), evaluate(loop.getStep(), at)));
  });
  round->addIncoming(builder_.CreateAdd(round, i64(1)), builder_.GetInsertBlock());
  builder_.CreateBr(head);
  builder_.SetInsertPoint(end);
  release(active);
  release(counts);
  release(position);
  for (auto [result, buffer] : llvm::zip(loop.getResults(), carried))
    bind(result, buffer);
}

llvm::Value *KernelEmitter::laneTripCount(llvm::Value *lower, llvm::Value *upper, llvm::Value *step,
                                          unsigned lanes) {
  if (auto *same = lanes > 1 ? llvm::getSplatValue(step) : step; same && lanes > 1) {
    // One division a loop, not one a thread, where the step is a power of two.
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(same);
        constant && constant->getValue().isPowerOf2()) {
      // (distance - 1) / step + 1: the distance alone may come near 2^64, so nothing is added to it first.
      llvm::Value *one = splat(i64(1), lanes);
      llvm::Value *last = builder_.CreateSub(builder_.CreateSub(upper, lower), one);
      llvm::Value *count =
          builder_.CreateAdd(builder_.CreateLShr(last, constant->getValue().logBase2()), one);
      return builder_.CreateSelect(builder_.CreateICmpSLT(lower, upper), count,
                                   llvm::Constant::getNullValue(count->getType()));
    }
  }
  return tripCount(lower, upper, step);
}

void KernelEmitter::emitDivergentWhile(mlir::scf::WhileOp loop) {
  auto condition = loop.getConditionOp();
  mlir::Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
  llvm::SmallVector<Buffer> beforeTiles, afterTiles;
  for (auto [arg, init] : llvm::zip(before.getArguments(), loop.getInits())) {
    beforeTiles.push_back(takeInitial(init, arg, loop));
    bind(arg, beforeTiles.back());
  }
  for (mlir::Value arg : after.getArguments()) {
    afterTiles.push_back(newBuffer(arg));
    bind(arg, afterTiles.back());
  }
  TileShape threads{1, plan_.threads};
  Buffer active = newMask([&](const At &at) { return splat(builder_.getTrue(), at.lanes); });
  const Buffer *outer = mask_;
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, function_);
  };
  llvm::BasicBlock *head = block("lanes"), *body = block("lanes.body"), *end = block("lanes.end");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  mask_ = &active;
  emitBlock(before);
  assignTiles(llvm::SmallVector<mlir::Value>(condition.getArgs()), afterTiles, true);
  tileLoop(threads, [&](const At &at) {
    storeTo(active, at, builder_.CreateAnd(activeAt(at), evaluate(condition.getCondition(), at)));
  });
  releaseLocals(before);
  builder_.CreateCondBr(anyActive(active), body, end);
  builder_.SetInsertPoint(body);
  emitBlock(after);
  assignTiles(llvm::SmallVector<mlir::Value>(loop.getYieldOp().getOperands()), beforeTiles, true);
  releaseLocals(after);
  builder_.CreateBr(head);
  builder_.SetInsertPoint(end);
  mask_ = outer;
  release(active);
  for (const Buffer &buffer : beforeTiles)
    release(buffer);
  for (auto [result, buffer] : llvm::zip(loop.getResults(), afterTiles))
    bind(result, buffer);
}

} // namespace phobos::cpu
