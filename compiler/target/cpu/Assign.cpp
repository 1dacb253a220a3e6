// Tiles carried by control flow: each has one buffer, written in place.
#include "compiler/target/cpu/Emitter.h"

namespace phobos::cpu {

Buffer KernelEmitter::takeInitial(mlir::Value initial, mlir::Value carried, mlir::Operation *loop) {
  auto stored = buffers_.find(initial);
  auto last = plan_.lastUse.find(initial);
  const bool isOnlyHere =
      last != plan_.lastUse.end() && last->second == loop && initial.getParentBlock() == loop->getBlock() &&
      !mlir::isa<mlir::BlockArgument>(initial) && llvm::hasSingleElement(initial.getUses());
  if (stored != buffers_.end() && stored->second.slot != ~0u && isOnlyHere) {
    scratch_.hold(stored->second.slot);
    return stored->second;
  }
  Buffer buffer = newBuffer(carried);
  copyInto(buffer, initial);
  return buffer;
}

void KernelEmitter::copyInto(const Buffer &target, mlir::Value value, bool masked) {
  if (!masked || !mask_)
    return materialise(value, target);
  llvm::SmallVector<mlir::Value, 1> exprs{value};
  versioned(exprs, nullptr, [&](bool whole) {
    tileLoop(
        target.shape, [&](const At &at) { storeTo(target, at, evaluate(value, at), activeAt(at)); }, whole);
  });
}

void KernelEmitter::assignTiles(llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<Buffer> targets,
                                bool masked) {
  auto readsSlot = [&](mlir::Value expr, unsigned slot) {
    for (auto &[v, buffer] : buffers_)
      if (buffer.slot == slot && plan_.reads(expr, v))
        return true;
    return false;
  };
  auto readsSlotInPlace = [&](mlir::Value expr, unsigned slot) {
    for (auto &[v, buffer] : buffers_)
      if (buffer.slot == slot && !plan_.readsInPlace(expr, v))
        return false;
    return true;
  };
  struct Pending {
    mlir::Value value;
    Buffer target;
  };
  llvm::SmallVector<Pending> pending;
  for (auto [v, target] : llvm::zip(values, targets)) {
    auto stored = buffers_.find(v);
    if (stored == buffers_.end() || stored->second.slot != target.slot)
      pending.push_back({v, target});
  }
  // Those that other pending values read come last, through a copy.
  llvm::SmallVector<std::pair<Buffer, Buffer>> copies;
  for (auto [k, p] : llvm::enumerate(pending)) {
    bool isReadLater = false;
    for (auto [m, other] : llvm::enumerate(pending))
      isReadLater |= m > k && readsSlot(other.value, p.target.slot);
    if (!isReadLater && readsSlotInPlace(p.value, p.target.slot)) {
      copyInto(p.target, p.value, masked);
      continue;
    }
    Buffer temporary = newBuffer(p.target.shape, p.target.elem);
    copyInto(temporary, p.value);
    copies.push_back({temporary, p.target});
  }
  for (auto &[from, to] : copies) {
    tileLoop(to.shape,
             [&](const At &at) { storeTo(to, at, loadFrom(from, at), masked ? activeAt(at) : nullptr); });
    release(from);
  }
}

} // namespace phobos::cpu
