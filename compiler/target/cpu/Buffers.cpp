// Tiles in scratch.
#include "compiler/target/cpu/Emitter.h"

namespace phobos::cpu {

/// Row strides are whole vectors, and not a multiple of 1 KiB: rows of a tall tile would all fall into a few
/// cache sets.
static int64_t paddedStride(int64_t cols, unsigned lanes, unsigned elemBytes) {
  int64_t stride = (cols + lanes - 1) / lanes * lanes;
  return stride * elemBytes % 1024 == 0 ? stride + 64 / elemBytes : stride;
}

Buffer KernelEmitter::newBuffer(TileShape shape, llvm::Type *elem) {
  const unsigned bytes = static_cast<unsigned>(module_.getDataLayout().getTypeAllocSize(elem));
  const unsigned lanes = lanesFor(shape);
  Buffer buffer;
  buffer.elem = elem;
  buffer.shape = shape;
  buffer.rowStride = shape.isColumn()  ? 1
                     : shape.rows == 1 ? shape.cols
                                       : paddedStride(shape.cols, lanes, bytes);
  // A vector may start at any element of the tile: the last one reaches past the end.
  const int64_t elements = buffer.rowStride * shape.rows + 2 * target_.vectorLanes;
  buffer.slot = scratch_.allocate(static_cast<uint64_t>(elements) * bytes);
  buffer.base =
      builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), scratchBase_, scratch_.offset(buffer.slot));
  return buffer;
}

Buffer KernelEmitter::unowned(TileShape shape, llvm::Type *elem, llvm::Value *base, int64_t rowStride) {
  return {base, elem, shape, rowStride, ~0u};
}

void KernelEmitter::release(const Buffer &buffer) {
  if (buffer.slot != ~0u)
    scratch_.release(buffer.slot);
}

llvm::Value *KernelEmitter::address(const Buffer &buffer, llvm::Value *i, llvm::Value *j) {
  llvm::Value *offset = j;
  if (buffer.shape.rows > 1)
    offset = builder_.CreateAdd(builder_.CreateMul(i, i64(buffer.rowStride)), j);
  return builder_.CreateInBoundsGEP(buffer.elem, buffer.base, offset);
}

llvm::Value *KernelEmitter::loadFrom(const Buffer &buffer, const At &at) {
  llvm::Align align(module_.getDataLayout().getTypeAllocSize(buffer.elem));
  llvm::Value *p = address(buffer, at.i, at.j);
  const int64_t stride = at.along == Along::Cols ? 1 : buffer.rowStride;
  if (at.lanes == 1 || stride == 1)
    return builder_.CreateAlignedLoad(vectorOf(buffer.elem, at.lanes), p, align);
  llvm::Value *v = llvm::PoisonValue::get(vectorOf(buffer.elem, at.lanes));
  for (unsigned l = 0; l < at.valid; ++l) {
    llvm::Value *q = builder_.CreateConstInBoundsGEP1_64(buffer.elem, p, static_cast<uint64_t>(l * stride));
    v = builder_.CreateInsertElement(v, builder_.CreateAlignedLoad(buffer.elem, q, align), l);
  }
  return v;
}

/// Without `exact`, lanes past `valid` may be written: they fall into the row's padding.
void KernelEmitter::storeTo(const Buffer &buffer, const At &at, llvm::Value *value, llvm::Value *mask,
                            bool exact) {
  llvm::Align align(module_.getDataLayout().getTypeAllocSize(buffer.elem));
  llvm::Value *p = address(buffer, at.i, at.j);
  value = toMemory(splat(value, at.lanes));
  const int64_t stride = at.along == Along::Cols ? 1 : buffer.rowStride;
  if (at.lanes > 1 && stride != 1) {
    for (unsigned l = 0; l < at.valid; ++l)
      builder_.CreateAlignedStore(
          builder_.CreateExtractElement(value, l),
          builder_.CreateConstInBoundsGEP1_64(buffer.elem, p, static_cast<uint64_t>(l * stride)), align);
    return;
  }
  if (exact && at.isPartial())
    mask = mask ? builder_.CreateAnd(mask, validMask(at)) : validMask(at);
  if (!mask)
    builder_.CreateAlignedStore(value, p, align);
  else if (at.lanes == 1)
    builder_.CreateAlignedStore(
        builder_.CreateSelect(mask, value, builder_.CreateAlignedLoad(value->getType(), p, align)), p, align);
  else
    builder_.CreateMaskedStore(value, p, align, mask);
}

Buffer KernelEmitter::resultBuffer(mlir::Value result) {
  mlir::Operation *op = result.getDefiningOp();
  auto loop = mlir::dyn_cast_or_null<mlir::scf::ForOp>(op->getParentOp());
  if (!loop || mask_)
    return newBuffer(result);
  for (mlir::OpOperand &use : result.getUses()) {
    if (use.getOwner() != loop.getBody()->getTerminator())
      continue;
    mlir::Value carried = loop.getRegionIterArg(use.getOperandNumber());
    auto last = plan_.lastUse.find(carried);
    const bool isDead =
        last == plan_.lastUse.end() || last->second->isBeforeInBlock(op) ||
        (last->second == op && isElementwise(op) && plan_.fused.empty() == false &&
         llvm::all_of(op->getOperands(), [&](mlir::Value v) { return plan_.readsInPlace(v, carried); }));
    if (!isDead)
      continue;
    Buffer buffer = buffers_.at(carried);
    if (buffer.slot == ~0u)
      continue;
    scratch_.hold(buffer.slot);
    return buffer;
  }
  return newBuffer(result);
}

} // namespace phobos::cpu
