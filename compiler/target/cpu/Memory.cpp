// Tensor loads and stores of tiles, and of uniform scalars.
#include "compiler/target/cpu/Emitter.h"
#include "llvm/IR/InlineAsm.h"

namespace phobos::cpu {

Access KernelEmitter::computeAccess(mlir::Value view, mlir::ValueRange starts, mlir::ValueRange extents,
                                    llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<bool> points,
                                    llvm::ArrayRef<bool> inBounds, TileShape shape) {
  const View &tensor = views_.at(view);
  Access access;
  access.elem = valueType(tensor.elem)->isIntegerTy(1) ? builder_.getInt8Ty() : valueType(tensor.elem);
  access.shape = shape;
  access.rowStride = i64(0);
  llvm::Value *offset = i64(0);
  auto require = [&](llvm::Value *&all, llvm::Value *condition) {
    all = all ? builder_.CreateAnd(all, condition) : condition;
  };
  llvm::SmallVector<unsigned, 2> axes;
  for (unsigned k = 0; k < points.size(); ++k)
    if (!points[k])
      axes.push_back(k);
  for (unsigned k = 0; k < points.size(); ++k) {
    llvm::Value *start = scalar(starts[k]), *extent = scalar(extents[k]);
    offset = builder_.CreateAdd(offset, builder_.CreateMul(start, tensor.strides[k]));
    const bool isRow = axes.size() == 2 && axes[0] == k;
    if (isRow)
      access.rowStride = tensor.strides[k];
    if (inBounds[k])
      continue;
    if (points[k]) {
      require(access.pointsInside, builder_.CreateICmpULT(start, extent));
      continue;
    }
    (isRow ? access.rowStart : access.colStart) = start;
    (isRow ? access.rowExtent : access.colExtent) = extent;
    llvm::Value *startsInside = builder_.CreateICmpSGE(start, i64(0));
    llvm::Value *endsInside = builder_.CreateICmpSGE(builder_.CreateSub(extent, start), i64(sizes[k]));
    require(access.whole, builder_.CreateAnd(startsInside, endsInside));
  }
  if (access.pointsInside)
    require(access.whole, access.pointsInside);
  access.base = builder_.CreateGEP(access.elem, tensor.data, offset);
  if (!axes.empty() && axes.back() + 1 != points.size()) // the contiguous axis is a point
    access.colStride = tensor.strides[axes.back()];
  return access;
}

Access &KernelEmitter::accessOf(mlir::Operation *op) {
  auto known = accesses_.find(op);
  if (known != accesses_.end())
    return known->second;
  Access access;
  if (auto load = mlir::dyn_cast<pho::LoadOp>(op))
    access = computeAccess(load.getView(), load.getStarts(), load.getExtents(), load.getSizes(),
                           load.getPoints(), load.getInBounds(), plan_.shapeOf(load.getResult()));
  else if (auto store = mlir::dyn_cast<pho::StoreOp>(op))
    access = computeAccess(store.getView(), store.getStarts(), store.getExtents(), store.getSizes(),
                           store.getPoints(), store.getInBounds(), plan_.shapeOf(store.getValue()));
  return accesses_[op] = access;
}

llvm::Value *KernelEmitter::validMask(const At &at) {
  llvm::SmallVector<llvm::Constant *> bits;
  for (unsigned l = 0; l < at.lanes; ++l)
    bits.push_back(builder_.getInt1(l < at.valid));
  return at.lanes == 1 ? bits[0] : llvm::ConstantVector::get(bits);
}

/// The lanes at `at` that are in the tile and in the tensor, or null if all are.
llvm::Value *KernelEmitter::insideMask(const Access &access, const At &at) {
  llvm::Value *mask = at.isPartial() ? validMask(at) : nullptr;
  auto require = [&](llvm::Value *condition) {
    condition = splat(condition, at.lanes);
    mask = mask ? builder_.CreateAnd(mask, condition) : condition;
  };
  if (at.whole)
    return mask;
  auto axis = [&](llvm::Value *start, llvm::Value *extent, llvm::Value *coordinate, bool isAlongLanes) {
    if (!start)
      return;
    llvm::Value *position = builder_.CreateAdd(start, coordinate);
    if (isAlongLanes && at.lanes > 1)
      position = builder_.CreateAdd(splat(position, at.lanes), laneIndex(at.lanes));
    require(builder_.CreateICmpULT(position, isAlongLanes ? splat(extent, at.lanes) : extent));
  };
  if (access.pointsInside)
    require(access.pointsInside);
  axis(access.rowStart, access.rowExtent, at.i, at.along == Along::Rows);
  axis(access.colStart, access.colExtent, at.j, at.along == Along::Cols);
  return mask;
}

llvm::Value *KernelEmitter::addressOf(const Access &access, const At &at) {
  llvm::Value *offset = access.colStride ? builder_.CreateMul(at.j, access.colStride) : at.j;
  if (access.shape.rows > 1)
    offset = builder_.CreateAdd(builder_.CreateMul(at.i, access.rowStride), offset);
  return builder_.CreateGEP(access.elem, access.base, offset);
}

llvm::Value *KernelEmitter::laneStride(const Access &access, const At &at) {
  if (at.lanes == 1)
    return nullptr;
  return at.along == Along::Rows ? (access.shape.rows > 1 ? access.rowStride : nullptr) : access.colStride;
}

llvm::Value *KernelEmitter::loadAt(pho::LoadOp load, const At &at) {
  const Access access = accessOf(load);
  llvm::Align align(module_.getDataLayout().getTypeAllocSize(access.elem));
  const bool isBool = elementType(load.getResult()).isInteger(1);
  llvm::Type *type = vectorOf(access.elem, at.lanes);
  llvm::Value *p = addressOf(access, at), *mask = insideMask(access, at), *stride = laneStride(access, at);
  llvm::Value *fill =
      load.getFill() ? toMemory(splat(scalar(load.getFill()), at.lanes)) : llvm::Constant::getNullValue(type);
  if (stride) {
    llvm::Value *offsets = builder_.CreateMul(laneIndex(at.lanes), splat(stride, at.lanes));
    llvm::Value *places = builder_.CreateGEP(access.elem, p, offsets);
    return fromMemory(builder_.CreateMaskedGather(type, places, align, mask, fill), isBool);
  }
  if (!mask)
    return fromMemory(builder_.CreateAlignedLoad(type, p, align), isBool);
  if (at.lanes > 1)
    return fromMemory(builder_.CreateMaskedLoad(type, p, align, mask, fill), isBool);
  // One element outside the tensor: read a safe place instead, so that no branch is needed.
  llvm::Value *safe = builder_.CreateSelect(mask, p, scratchBase_);
  return fromMemory(builder_.CreateSelect(mask, builder_.CreateAlignedLoad(type, safe, align), fill), isBool);
}

llvm::Value *KernelEmitter::emitScalarLoad(pho::LoadOp load) {
  At at = first({});
  return loadAt(load, at);
}

/// The same bits, as code generation sees them: from nowhere in particular. LLVM 22 joins a truncation with a
/// masked store, and where the mask then proves to have one lane it writes that lane in the width before the
/// truncation, over its neighbours.
static llvm::Value *opaque(llvm::IRBuilderBase &b, llvm::Value *value) {
  const auto bits = static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue());
  const bool isVector = bits >= 128;
  llvm::Type *type = isVector ? static_cast<llvm::Type *>(llvm::FixedVectorType::get(b.getInt8Ty(), bits / 8))
                              : b.getIntNTy(bits);
  auto *through = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "",
                                       isVector ? "=x,0" : "=r,0", false);
  return b.CreateBitCast(b.CreateCall(through, {b.CreateBitCast(value, type)}), value->getType());
}

void KernelEmitter::storeAt(const Access &access, const At &at, llvm::Value *value, llvm::Value *mask,
                            bool streaming) {
  llvm::Align align(module_.getDataLayout().getTypeAllocSize(access.elem));
  value = toMemory(splat(value, at.lanes));
  llvm::Value *p = addressOf(access, at), *inside = insideMask(access, at), *stride = laneStride(access, at);
  if (inside)
    mask = mask ? builder_.CreateAnd(mask, inside) : inside;
  if (stride) {
    llvm::Value *offsets = builder_.CreateMul(laneIndex(at.lanes), splat(stride, at.lanes));
    if (!mask)
      mask = splat(builder_.getTrue(), at.lanes);
    builder_.CreateMaskedScatter(value, builder_.CreateGEP(access.elem, p, offsets), align, mask);
  } else if (!mask) {
    if (streaming)
      align = llvm::Align(module_.getDataLayout().getTypeAllocSize(value->getType()));
    llvm::StoreInst *store = builder_.CreateAlignedStore(value, p, align);
    if (streaming)
      store->setMetadata(
          llvm::LLVMContext::MD_nontemporal,
          llvm::MDNode::get(module_.getContext(), llvm::ConstantAsMetadata::get(builder_.getInt32(1))));
  } else if (at.lanes > 1) {
    // A power of two of lanes fills a register; longer vectors are none, and are not narrowed by one store.
    const auto bits = value->getType()->getPrimitiveSizeInBits().getFixedValue();
    if (value->getType()->getScalarSizeInBits() < 32 && llvm::isPowerOf2_64(bits) && bits >= 16 &&
        bits <= 512)
      value = opaque(builder_, value);
    builder_.CreateMaskedStore(value, p, align, mask);
  } else {
    ifThen(mask, [&] { builder_.CreateAlignedStore(value, p, align); });
  }
}

void KernelEmitter::emitStore(pho::StoreOp store) {
  const bool isTile = mlir::isa<mlir::RankedTensorType>(store.getValue().getType());
  if (isTile)
    return emitTileStore(store);
  const bool isPerThread =
      llvm::any_of(store->getOperands(), [&](mlir::Value v) { return plan_.perThread.contains(v); });
  if (isPerThread || (mask_ && !store.getOnce()))
    return emitThreadStore(store);
  At at = first({});
  llvm::Value *mask = store.getMask() ? scalar(store.getMask()) : nullptr;
  storeAt(accessOf(store), at, scalar(store.getValue()), mask, false);
}

/// Large tensors that the kernel only writes go past the caches: a store then need not read the line first.
constexpr int64_t kStreamedBytes = int64_t(32) << 20;

/// i1: the stores of this whole tile may be streamed; null: never. They need aligned vectors, and lines that
/// are filled at once.
llvm::Value *KernelEmitter::streams(pho::StoreOp store, const Access &access) {
  const int64_t bytes = static_cast<int64_t>(module_.getDataLayout().getTypeAllocSize(access.elem));
  const int64_t vectorBytes = bytes * lanesFor(access.shape);
  if (readViews_.contains(store.getView()) || store.getMask() || access.shape.isColumn() ||
      access.colStride || access.shape.cols * bytes % 64 != 0 || access.shape.cols * bytes < 1024 ||
      vectorBytes < 16)
    return nullptr;
  llvm::Value *total = i64(bytes);
  for (mlir::Value extent : store.getExtents())
    total = builder_.CreateMul(total, scalar(extent));
  llvm::Value *misaligned = builder_.CreatePtrToInt(access.base, builder_.getInt64Ty());
  if (access.shape.rows > 1)
    misaligned = builder_.CreateOr(misaligned, builder_.CreateMul(access.rowStride, i64(bytes)));
  llvm::Value *isAligned = builder_.CreateICmpEQ(builder_.CreateAnd(misaligned, i64(63)), i64(0));
  return builder_.CreateAnd(builder_.CreateICmpSGE(total, i64(kStreamedBytes)), isAligned);
}

/// Whole tiles are stored without masks, a tile at the edge with them.
void KernelEmitter::emitTileStore(pho::StoreOp store) {
  llvm::SmallVector<mlir::Value> exprs{store.getValue()};
  if (store.getMask())
    exprs.push_back(store.getMask());
  const Access access = accessOf(store);
  auto body = [&](bool whole, bool streaming) {
    tileLoop(
        access.shape,
        [&](const At &at) {
          llvm::Value *value = evaluate(store.getValue(), at);
          llvm::Value *mask = store.getMask() ? evaluate(store.getMask(), at) : nullptr;
          storeAt(access, at, value, mask, streaming);
        },
        whole);
  };
  versioned(exprs, access.whole, [&](bool whole) {
    llvm::Value *streaming = whole ? streams(store, access) : nullptr;
    if (!streaming)
      return body(whole, false);
    isStreaming_ = true;
    ifThen(streaming, [&] { body(true, true); }, [&] { body(true, false); });
  });
}

} // namespace phobos::cpu
