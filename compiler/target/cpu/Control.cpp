// Operations in order, and control flow that is the same for all threads of a block.
#include "compiler/target/cpu/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

namespace phobos::cpu {

void KernelEmitter::emitBlock(mlir::Block &block) {
  llvm::SmallVector<mlir::Operation *> done; // a tile that is filled later still reads its operands
  for (mlir::Operation &op : block.without_terminator()) {
    emitOperation(op);
    done.push_back(&op);
    if (!pending_.empty())
      continue;
    for (mlir::Operation *earlier : done)
      releaseAfter(*earlier);
    done.clear();
  }
}

/// Gives back the storage of tiles that nothing after `op` reads.
void KernelEmitter::releaseAfter(mlir::Operation &op) {
  auto drop = [&](mlir::Value v) {
    auto stored = buffers_.find(v);
    if (stored == buffers_.end() || mlir::isa<mlir::BlockArgument>(v)) // an argument's storage is its loop's
      return;
    release(stored->second);
    buffers_.erase(stored);
  };
  if (auto dying = plan_.dying.find(&op); dying != plan_.dying.end())
    for (mlir::Value v : dying->second)
      drop(v);
  for (mlir::Value v : op.getResults())
    if (plan_.isTile(v) && !plan_.lastUse.contains(v))
      drop(v);
}

void KernelEmitter::emitOperation(mlir::Operation &op) {
  if (llvm::any_of(op.getResults(), [&](mlir::Value v) { return plan_.fused.contains(v); })) {
    if (mlir::isa<pho::LoadOp>(op))
      accessOf(&op); // here, so that every loop that reads it is dominated
    return;
  }
  if (mlir::isPure(&op) && op.use_empty() && op.getNumRegions() == 0)
    return;
  llvm::TypeSwitch<mlir::Operation *>(&op)
      .Case([&](mlir::scf::ForOp loop) { emitFor(loop); })
      .Case([&](mlir::scf::WhileOp loop) { emitWhile(loop); })
      .Case([&](mlir::scf::IfOp branch) { emitIf(branch); })
      .Case([&](pho::StoreOp store) { emitStore(store); })
      .Case([&](pho::AtomicOp atomic) { emitAtomic(atomic); })
      .Case([&](pho::BarrierOp) {}) // threads advance together
      .Case([&](pho::ReduceOp reduce) { emitReduce(reduce); })
      .Case([&](pho::ArgReduceOp reduce) { emitArgReduce(reduce); })
      .Case([&](pho::ScanOp scan) { emitScan(scan); })
      .Case([&](pho::DotOp dot) { emitDot(dot); })
      .Case([&](pho::CatOp cat) { emitCat(cat); })
      .Case([&](pho::InsertSliceOp insert) { emitInsertSlice(insert); })
      .Case([&](pho::ExtractOp extract) { emitExtract(extract); })
      .Default([&](mlir::Operation *other) {
        mlir::Value result = other->getNumResults() ? other->getResult(0) : mlir::Value();
        if (!result || !plan_.isTile(result))
          return emitScalarOperation(*other);
        const bool isTensor = mlir::isa<mlir::RankedTensorType>(result.getType());
        if (auto load = mlir::dyn_cast<pho::LoadOp>(other); load && !isTensor)
          return emitGather(load);
        if (auto reshape = mlir::dyn_cast<pho::ReshapeOp>(other))
          return emitReshape(reshape);
        if (auto transpose = mlir::dyn_cast<pho::TransposeOp>(other))
          return emitTranspose(transpose);
        if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(other);
            constant && !mlir::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat())
          return emitTable(constant);
        if (mlir::isa<pho::LoadOp>(other))
          accessOf(other);
        Buffer buffer = resultBuffer(result);
        if (isReducedNext(*other)) {
          pending_[result] = buffer;
          return;
        }
        materialise(result, buffer);
        bind(result, buffer);
      });
}

void KernelEmitter::emitScalarOperation(mlir::Operation &op) {
  if (op.getNumResults() != 1) {
    error_ = "operation '" + op.getName().getStringRef().str() + "' is unknown to the CPU target";
    for (mlir::Value v : op.getResults())
      scalars_[v] = llvm::PoisonValue::get(valueType(v));
    return;
  }
  scalars_[op.getResult(0)] =
      llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(&op)
          .Case([&](pho::BlockIdOp id) { return blockId_[id.getAxis()]; })
          .Case([&](pho::GridDimOp dim) { return gridDim_[dim.getAxis()]; })
          .Case([&](pho::LoadOp load) { return emitScalarLoad(load); })
          .Case([&](mlir::arith::ConstantOp constant) { return emitConstant(constant.getValue(), 1); })
          .Default([&](mlir::Operation *other) {
            llvm::SmallVector<llvm::Value *> args;
            for (mlir::Value v : other->getOperands())
              args.push_back(scalar(v));
            return emitElementwise(other, args, 1);
          });
}

/// Rounds of a loop from lower below upper; none for a step below 1. Unsigned, so that no bound can wrap.
llvm::Value *KernelEmitter::tripCount(llvm::Value *lower, llvm::Value *upper, llvm::Value *step) {
  llvm::Value *runs =
      builder_.CreateAnd(builder_.CreateICmpSLT(lower, upper),
                         builder_.CreateICmpSGE(step, llvm::ConstantInt::get(step->getType(), 1)));
  llvm::Value *one = llvm::ConstantInt::get(step->getType(), 1);
  llvm::Value *divisor = builder_.CreateSelect(builder_.CreateICmpSGE(step, one), step, one);
  llvm::Value *last = builder_.CreateSub(builder_.CreateSub(upper, lower), one);
  llvm::Value *count = builder_.CreateAdd(builder_.CreateUDiv(last, divisor), one);
  return builder_.CreateSelect(runs, count, llvm::ConstantInt::get(step->getType(), 0));
}

void KernelEmitter::emitFor(mlir::scf::ForOp loop) {
  if (plan_.perThread.contains(loop.getInductionVar()))
    return emitDivergentFor(loop);
  llvm::SmallVector<mlir::Value> carriedScalars;
  llvm::SmallVector<llvm::Value *> init;
  llvm::SmallVector<unsigned> scalarIndex, tileIndex;
  llvm::SmallVector<Buffer> tiles;
  for (auto [k, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!plan_.isTile(arg)) {
      scalarIndex.push_back(k);
      init.push_back(scalar(loop.getInitArgs()[k]));
      continue;
    }
    tileIndex.push_back(k);
    tiles.push_back(takeInitial(loop.getInitArgs()[k], arg, loop));
    bind(arg, tiles.back());
  }
  llvm::Value *lower = scalar(loop.getLowerBound()), *step = scalar(loop.getStep());
  llvm::Value *count = tripCount(lower, scalar(loop.getUpperBound()), step);
  auto results =
      foldLoop(i64(0), count, 1, init, [&](llvm::Value *round, llvm::ArrayRef<llvm::Value *> carried) {
        scalars_[loop.getInductionVar()] = builder_.CreateAdd(lower, builder_.CreateMul(round, step));
        for (auto [k, v] : llvm::zip(scalarIndex, carried))
          scalars_[loop.getRegionIterArg(k)] = v;
        emitBlock(*loop.getBody());
        mlir::Operation *yield = loop.getBody()->getTerminator();
        llvm::SmallVector<mlir::Value> yielded;
        for (unsigned k : tileIndex)
          yielded.push_back(yield->getOperand(k));
        assignTiles(yielded, tiles, false);
        llvm::SmallVector<llvm::Value *> next;
        for (unsigned k : scalarIndex)
          next.push_back(scalar(yield->getOperand(k)));
        releaseLocals(*loop.getBody());
        return next;
      });
  for (auto [k, v] : llvm::zip(scalarIndex, results))
    scalars_[loop.getResult(k)] = v;
  for (auto [k, buffer] : llvm::zip(tileIndex, tiles))
    bind(loop.getResult(k), buffer);
}

/// What lives to the end of `block`, its arguments apart: those belong to the loop.
void KernelEmitter::releaseLocals(mlir::Block &block) { releaseAfter(*block.getTerminator()); }

void KernelEmitter::emitWhile(mlir::scf::WhileOp loop) {
  auto condition = loop.getConditionOp();
  if (plan_.perThread.contains(condition.getCondition()))
    return emitDivergentWhile(loop);
  mlir::Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, function_);
  };

  llvm::BasicBlock *entry = builder_.GetInsertBlock();
  llvm::SmallVector<Buffer> beforeTiles, afterTiles;
  llvm::SmallVector<mlir::Value> forwarded, yielded;
  llvm::SmallVector<std::pair<llvm::PHINode *, unsigned>> phis;
  for (auto [k, arg] : llvm::enumerate(before.getArguments()))
    if (plan_.isTile(arg)) {
      beforeTiles.push_back(takeInitial(loop.getInits()[k], arg, loop));
      bind(arg, beforeTiles.back());
      yielded.push_back(loop.getYieldOp().getOperand(k));
    }
  for (auto [k, arg] : llvm::enumerate(after.getArguments()))
    if (plan_.isTile(arg)) {
      afterTiles.push_back(newBuffer(arg));
      bind(arg, afterTiles.back());
      forwarded.push_back(condition.getArgs()[k]);
    }
  entry = builder_.GetInsertBlock();
  llvm::BasicBlock *head = block("while"), *body = block("do"), *end = block("done");
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  for (auto [k, arg] : llvm::enumerate(before.getArguments()))
    if (!plan_.isTile(arg)) {
      phis.push_back({builder_.CreatePHI(valueType(arg), 2), k});
      phis.back().first->addIncoming(scalar(loop.getInits()[k]), entry);
      scalars_[arg] = phis.back().first;
    }
  emitBlock(before);
  assignTiles(forwarded, afterTiles, false);
  for (auto [k, arg] : llvm::enumerate(after.getArguments()))
    if (!plan_.isTile(arg))
      scalars_[arg] = scalars_[loop.getResult(k)] = scalar(condition.getArgs()[k]);
  builder_.CreateCondBr(scalar(condition.getCondition()), body, end);
  releaseLocals(before);
  builder_.SetInsertPoint(body);
  emitBlock(after);
  assignTiles(yielded, beforeTiles, false);
  for (auto [phi, k] : phis)
    phi->addIncoming(scalar(loop.getYieldOp().getOperand(k)), builder_.GetInsertBlock());
  builder_.CreateBr(head);
  releaseLocals(after);
  builder_.SetInsertPoint(end);
  unsigned next = 0;
  for (mlir::Value result : loop.getResults())
    if (plan_.isTile(result))
      bind(result, afterTiles[next++]);
  for (const Buffer &buffer : beforeTiles)
    release(buffer);
}

void KernelEmitter::emitIf(mlir::scf::IfOp branch) {
  if (plan_.perThread.contains(branch.getCondition()))
    return emitDivergentIf(branch);
  llvm::SmallVector<Buffer> tiles;
  for (mlir::Value result : branch.getResults())
    if (plan_.isTile(result))
      tiles.push_back(newBuffer(result));
  llvm::SmallVector<llvm::Value *> values[2];
  llvm::BasicBlock *ends[2] = {};
  auto side = [&](mlir::Region &region, unsigned which) {
    if (!region.empty()) {
      emitBlock(region.front());
      llvm::SmallVector<mlir::Value> yielded;
      for (mlir::Value v : region.front().getTerminator()->getOperands())
        if (!plan_.isTile(branch.getResult(values[which].size() + yielded.size())))
          values[which].push_back(scalar(v));
        else
          yielded.push_back(v);
      assignTiles(yielded, tiles, false);
      releaseLocals(region.front());
    }
    ends[which] = builder_.GetInsertBlock();
  };
  ifThen(
      scalar(branch.getCondition()), [&] { side(branch.getThenRegion(), 0); },
      [&] { side(branch.getElseRegion(), 1); });
  unsigned nextTile = 0, nextScalar = 0;
  for (mlir::Value result : branch.getResults()) {
    if (plan_.isTile(result)) {
      bind(result, tiles[nextTile++]);
      continue;
    }
    llvm::PHINode *phi = builder_.CreatePHI(valueType(result), 2);
    phi->addIncoming(values[0][nextScalar], ends[0]);
    phi->addIncoming(values[1][nextScalar++], ends[1]);
    scalars_[result] = phi;
  }
}

} // namespace phobos::cpu
