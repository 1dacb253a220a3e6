// A fused tile's elements, computed where a loop asks for them.
#include "compiler/target/cpu/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

namespace phobos::cpu {

llvm::Value *KernelEmitter::scalar(mlir::Value v) { return scalars_.at(v); }

llvm::Value *KernelEmitter::evaluate(mlir::Value v, const At &at) {
  if (!plan_.isTile(v))
    return splat(scalar(v), at.lanes);
  EvaluationKey key{v.getAsOpaquePointer(), at.i, at.j, at.lanes, static_cast<unsigned>(at.along)};
  if (auto known = evaluated_.find(key); known != evaluated_.end())
    return known->second;
  llvm::Value *result;
  if (auto stored = buffers_.find(v); stored != buffers_.end())
    result = fromMemory(loadFrom(stored->second, at), elementType(v).isInteger(1));
  else
    result = evaluateFused(v.getDefiningOp(), at);
  evaluated_[key] = result;
  return result;
}

/// Evaluates `source` where the result is read at `at`: axes of extent 1 are read at 0, a value constant
/// along the lanes once.
llvm::Value *KernelEmitter::evaluateBroadcast(mlir::Value source, const At &at) {
  if (!plan_.isTile(source))
    return splat(scalar(source), at.lanes);
  const TileShape shape = plan_.shapeOf(source);
  At inner = at;
  if (shape.rows == 1)
    inner.i = i64(0);
  if (shape.cols == 1)
    inner.j = i64(0);
  const bool isConstantAlongLanes = at.along == Along::Cols ? shape.cols == 1 : shape.rows == 1;
  if (!isConstantAlongLanes || (at.lanes == 1 && !at.row))
    return evaluate(source, inner);
  inner.lanes = inner.valid = 1;
  if (!at.row || at.along != Along::Cols)
    return splat(evaluate(source, inner), at.lanes);
  // Once a row, in front of the loop over its columns.
  llvm::Value *&hoisted = at.row->values[source];
  if (!hoisted) {
    llvm::IRBuilderBase::InsertPointGuard guard(builder_);
    std::map<EvaluationKey, llvm::Value *> outside;
    std::swap(outside, evaluated_);
    builder_.SetInsertPoint(at.row->block->getTerminator());
    inner.row = nullptr;
    hoisted = splat(evaluate(source, inner), at.lanes);
    std::swap(outside, evaluated_);
  }
  return hoisted->getType()->isVectorTy() == (at.lanes > 1) ? hoisted : splat(hoisted, at.lanes);
}

llvm::Value *KernelEmitter::evaluateFused(mlir::Operation *op, const At &at) {
  auto coordinate = [&](bool isColumn, llvm::Type *type) {
    llvm::Value *start = splat(builder_.CreateTrunc(isColumn ? at.j : at.i, type), at.lanes);
    if (at.lanes == 1 || isColumn != (at.along == Along::Cols))
      return start;
    return builder_.CreateAdd(start, builder_.CreateTrunc(laneIndex(at.lanes), vectorOf(type, at.lanes)));
  };
  auto vectorRename = [&](mlir::Value source) {
    const TileShape to = plan_.shapeOf(op->getResult(0)), from = plan_.shapeOf(source);
    llvm::Value *position = to.rows == 1 ? at.j : at.i;
    At inner = at;
    inner.row = nullptr;
    inner.i = from.rows == 1 ? i64(0) : position;
    inner.j = from.rows == 1 ? position : i64(0);
    inner.along = from.rows == 1 ? Along::Cols : Along::Rows;
    return evaluate(source, inner);
  };
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(op)
      .Case([&](pho::LoadOp load) { return loadAt(load, at); })
      .Case([&](pho::BroadcastOp broadcast) { return evaluateBroadcast(broadcast.getValue(), at); })
      .Case([&](pho::IotaOp iota) {
        const bool isVector = mlir::cast<mlir::RankedTensorType>(iota.getType()).getRank() == 1;
        return coordinate(isVector || iota.getAxis() == 1, builder_.getInt32Ty());
      })
      .Case([&](pho::ThreadIdOp) { return coordinate(true, builder_.getInt64Ty()); })
      .Case([&](pho::ExtractSliceOp slice) {
        At inner = at;
        auto offsets = slice.getOffsets();
        inner.row = nullptr;
        inner.j = plus(at.j, offsets.back());
        if (offsets.size() == 2)
          inner.i = plus(at.i, offsets.front());
        return evaluate(slice.getValue(), inner);
      })
      .Case([&](pho::ReshapeOp reshape) { return vectorRename(reshape.getValue()); })
      .Case([&](pho::TransposeOp transpose) { return vectorRename(transpose.getValue()); })
      .Case([&](mlir::arith::ConstantOp constant) {
        mlir::TypedAttr value = constant.getValue();
        if (auto elements = mlir::dyn_cast<mlir::DenseElementsAttr>(value))
          value = elements.getSplatValue<mlir::TypedAttr>();
        return emitConstant(value, at.lanes);
      })
      .Default([&](mlir::Operation *other) {
        llvm::SmallVector<llvm::Value *> args;
        for (mlir::Value v : other->getOperands())
          args.push_back(evaluate(v, at));
        return emitElementwise(other, args, at.lanes);
      });
}

void KernelEmitter::materialise(mlir::Value v, const Buffer &target) {
  const bool isOwn = !plan_.fused.contains(v) && !buffers_.contains(v) && plan_.isTile(v);
  llvm::SmallVector<mlir::Value> exprs;
  llvm::Value *whole = nullptr;
  if (isOwn) { // v's own storage is being filled
    exprs.append(v.getDefiningOp()->operand_begin(), v.getDefiningOp()->operand_end());
    if (mlir::isa<pho::LoadOp>(v.getDefiningOp()))
      whole = accessOf(v.getDefiningOp()).whole;
  } else {
    exprs.push_back(v);
  }
  versioned(exprs, whole, [&](bool isWhole) {
    tileLoop(target.shape, [&](const At &at) { storeTo(target, at, evaluate(v, at)); }, isWhole);
  });
}

} // namespace phobos::cpu
