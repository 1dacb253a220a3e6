// Memory accesses of each thread: gathers, stores in the order of the threads, atomics.
#include "compiler/target/cpu/Emitter.h"

namespace phobos::cpu {

KernelEmitter::Place KernelEmitter::placeAt(mlir::Value view, mlir::ValueRange starts,
                                            mlir::ValueRange extents, llvm::ArrayRef<bool> inBounds,
                                            const At &at) {
  const View &tensor = views_.at(view);
  Place place;
  place.offset = splat(i64(0), at.lanes);
  place.inside = activeAt(at);
  for (unsigned k = 0; k < starts.size(); ++k) {
    llvm::Value *start = evaluate(starts[k], at), *stride = splat(tensor.strides[k], at.lanes);
    place.offset = builder_.CreateAdd(place.offset, builder_.CreateMul(start, stride));
    if (!inBounds.empty() && inBounds[k])
      continue;
    llvm::Value *inside = builder_.CreateICmpULT(start, evaluate(extents[k], at));
    place.inside = place.inside ? builder_.CreateAnd(place.inside, inside) : inside;
  }
  return place;
}

void KernelEmitter::emitGather(pho::LoadOp load) {
  Buffer buffer = newBuffer(load.getResult());
  const View &tensor = views_.at(load.getView());
  llvm::Align align(module_.getDataLayout().getTypeAllocSize(buffer.elem));
  tileLoop(buffer.shape, [&](const At &at) {
    Place place = placeAt(load.getView(), load.getStarts(), load.getExtents(), load.getInBounds(), at);
    llvm::Type *type = vectorOf(buffer.elem, at.lanes);
    llvm::Value *fill =
        load.getFill() ? toMemory(evaluate(load.getFill(), at)) : llvm::Constant::getNullValue(type);
    llvm::Value *mask = place.inside ? place.inside : splat(builder_.getTrue(), at.lanes);
    if (at.isPartial())
      mask = builder_.CreateAnd(mask, validMask(at));
    llvm::Value *address = builder_.CreateGEP(buffer.elem, tensor.data, place.offset);
    llvm::Value *value;
    if (at.lanes > 1) {
      value = builder_.CreateMaskedGather(type, address, align, mask, fill);
    } else {
      llvm::Value *safe = builder_.CreateSelect(mask, address, scratchBase_);
      value = builder_.CreateSelect(mask, builder_.CreateAlignedLoad(type, safe, align), fill);
    }
    storeTo(buffer, at, value);
  });
  bind(load.getResult(), buffer);
}

void KernelEmitter::emitThreadStore(pho::StoreOp store) {
  const View &tensor = views_.at(store.getView());
  llvm::Type *elem = memoryType(store.getValue());
  llvm::Align align(module_.getDataLayout().getTypeAllocSize(elem));
  // Two threads may store to one place, where the later one wins: scatters write their lanes in order.
  tileLoop(TileShape{1, plan_.threads}, [&](const At &at) {
    Place place = placeAt(store.getView(), store.getStarts(), store.getExtents(), store.getInBounds(), at);
    llvm::Value *mask = place.inside ? place.inside : splat(builder_.getTrue(), at.lanes);
    if (store.getMask())
      mask = builder_.CreateAnd(mask, evaluate(store.getMask(), at));
    if (at.isPartial())
      mask = builder_.CreateAnd(mask, validMask(at));
    llvm::Value *value = toMemory(evaluate(store.getValue(), at));
    llvm::Value *address = builder_.CreateGEP(elem, tensor.data, place.offset);
    if (at.lanes > 1)
      builder_.CreateMaskedScatter(value, address, align, mask);
    else
      ifThen(mask, [&] { builder_.CreateAlignedStore(value, address, align); });
  });
}

/// Blocks run in parallel, so atomics are real ones. Integers have instructions; for floats the bits are
/// exchanged if they are still what the new value was computed from.
llvm::Value *KernelEmitter::emitAtomicAt(pho::AtomicOp atomic, llvm::Value *address,
                                         llvm::ArrayRef<llvm::Value *> values) {
  using llvm::AtomicOrdering;
  llvm::Type *type = values[0]->getType();
  mlir::Type elem = elementType(atomic.getView());
  const llvm::Align align(module_.getDataLayout().getTypeAllocSize(type));
  const auto order = AtomicOrdering::SequentiallyConsistent;
  const bool isUnsigned = atomic.getIsUnsigned();
  if (type->isIntegerTy() && !type->isIntegerTy(1) && atomic.getKind() != pho::AtomicKind::Cas &&
      mlir::isa<mlir::IntegerType, mlir::IndexType>(elem)) {
    using Op = llvm::AtomicRMWInst;
    const Op::BinOp op = atomic.getKind() == pho::AtomicKind::Add   ? Op::Add
                         : atomic.getKind() == pho::AtomicKind::Max ? (isUnsigned ? Op::UMax : Op::Max)
                                                                    : (isUnsigned ? Op::UMin : Op::Min);
    return builder_.CreateAtomicRMW(op, address, values[0], align, order);
  }
  llvm::SmallVector<llvm::Value *> stored;
  for (llvm::Value *v : values)
    stored.push_back(toMemory(v));
  llvm::Type *bits = builder_.getIntNTy(static_cast<unsigned>(8 * align.value()));
  auto asBits = [&](llvm::Value *v) { return builder_.CreateBitCast(v, bits); };
  auto asValue = [&](llvm::Value *v) {
    return fromMemory(builder_.CreateBitCast(v, stored[0]->getType()), type->isIntegerTy(1));
  };
  if (atomic.getKind() == pho::AtomicKind::Cas) {
    llvm::Value *pair =
        builder_.CreateAtomicCmpXchg(address, asBits(stored[0]), asBits(stored[1]), align, order, order);
    return asValue(builder_.CreateExtractValue(pair, 0));
  }
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, function_);
  };
  llvm::BasicBlock *entry = builder_.GetInsertBlock(), *retry = block("retry"), *done = block("done");
  llvm::Value *before = builder_.CreateAlignedLoad(bits, address, align);
  builder_.CreateBr(retry);
  builder_.SetInsertPoint(retry);
  llvm::PHINode *seen = builder_.CreatePHI(bits, 2);
  seen->addIncoming(before, entry);
  const pho::ReduceKind kind = atomic.getKind() == pho::AtomicKind::Add   ? pho::ReduceKind::Sum
                               : atomic.getKind() == pho::AtomicKind::Max ? pho::ReduceKind::Max
                                                                          : pho::ReduceKind::Min;
  llvm::Value *next = toMemory(combine(kind, elem, isUnsigned, asValue(seen), values[0]));
  llvm::Value *pair = builder_.CreateAtomicCmpXchg(address, seen, asBits(next), align, order, order);
  seen->addIncoming(builder_.CreateExtractValue(pair, 0), builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateExtractValue(pair, 1), done, retry);
  builder_.SetInsertPoint(done);
  return asValue(seen);
}

void KernelEmitter::emitAtomic(pho::AtomicOp atomic) {
  const View &tensor = views_.at(atomic.getView());
  llvm::Type *elem = memoryType(atomic.getValues()[0]);
  auto at = [&](const At &place) -> llvm::Value * {
    Place where = placeAt(atomic.getView(), atomic.getStarts(), atomic.getExtents(), {}, place);
    llvm::SmallVector<llvm::Value *> values;
    for (mlir::Value v : atomic.getValues())
      values.push_back(evaluate(v, place));
    auto act = [&] {
      return emitAtomicAt(atomic, builder_.CreateGEP(elem, tensor.data, where.offset), values);
    };
    if (!where.inside)
      return act();
    return ifValue(where.inside, act,
                   [&]() -> llvm::Value * { return llvm::Constant::getNullValue(values[0]->getType()); });
  };
  if (!plan_.perThread.contains(atomic.getResult())) {
    evaluated_.clear();
    At once = first({});
    scalars_[atomic.getResult()] = at(once);
    return;
  }
  Buffer old = newBuffer(atomic.getResult());
  eachThread([&](const At &place) { storeTo(old, place, at(place)); });
  bind(atomic.getResult(), old);
}

} // namespace phobos::cpu
