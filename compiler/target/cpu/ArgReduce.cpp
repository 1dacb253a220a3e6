// Positions of extremes: the first of equals, and the first NaN if there is one.
#include "compiler/target/cpu/Emitter.h"

namespace phobos::cpu {

/// Whether x beats best, which stands earlier.
llvm::Value *KernelEmitter::beats(pho::ArgReduceOp op, llvm::Value *x, llvm::Value *best) {
  mlir::Type elem = elementType(op.getValue());
  const bool isMax = op.getKind() == pho::ReduceKind::Max;
  if (mlir::isa<mlir::FloatType>(elem)) {
    llvm::Value *isBetter = isMax ? builder_.CreateFCmpOGT(x, best) : builder_.CreateFCmpOLT(x, best);
    llvm::Value *isFirstNaN =
        builder_.CreateAnd(builder_.CreateFCmpUNO(x, x), builder_.CreateFCmpORD(best, best));
    return builder_.CreateOr(isBetter, isFirstNaN);
  }
  if (op.getIsUnsigned() || elem.isInteger(1))
    return isMax ? builder_.CreateICmpUGT(x, best) : builder_.CreateICmpULT(x, best);
  return isMax ? builder_.CreateICmpSGT(x, best) : builder_.CreateICmpSLT(x, best);
}

void KernelEmitter::emitArgReduce(pho::ArgReduceOp op) {
  mlir::Value value = op.getValue();
  mlir::Type elem = elementType(value);
  const TileShape shape = plan_.shapeOf(value);
  const bool isRank1 = mlir::cast<mlir::RankedTensorType>(value.getType()).getRank() == 1;
  const bool isAlongCols = isRank1 || op.getAxis() == 1;
  const bool isNarrow = mlir::isa<mlir::FloatType>(elem) && elem.getIntOrFloatBitWidth() < 32;
  auto element = [&](const At &at) {
    evaluated_.clear();
    llvm::Value *v = evaluate(value, at);
    evaluated_.clear();
    return isNarrow
               ? target::emitConvert(builder_, v, scalarTypeOf(elem, false), ScalarType::F32, target_.scalar)
               : v;
  };
  auto positionOf = [&](llvm::Value *p, unsigned lanes) {
    return splat(builder_.CreateTrunc(p, builder_.getInt32Ty()), lanes);
  };
  /// Goes on from the element at 0 to the end of a line, in every lane by itself.
  auto walk = [&](At at, int64_t length) {
    auto coordinate = [&]() -> llvm::Value *& { return isAlongCols ? at.j : at.i; };
    coordinate() = i64(0);
    llvm::Value *best = element(at);
    return foldLoop(i64(1), i64(length), 1, {best, positionOf(i64(0), at.lanes)},
                    [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> carried) {
                      coordinate() = p;
                      llvm::Value *x = element(at), *wins = beats(op, x, carried[0]);
                      return llvm::SmallVector<llvm::Value *>{
                          builder_.CreateSelect(wins, x, carried[0]),
                          builder_.CreateSelect(wins, positionOf(p, at.lanes), carried[1])};
                    })[1];
  };
  Buffer result = resultBuffer(op.getResult());
  versioned({value}, nullptr, [&](bool whole) {
    if (!isAlongCols) { // every column by itself
      tileLoop(
          TileShape{1, shape.cols},
          [&](const At &to) {
            At at = to;
            at.row = nullptr;
            llvm::Value *position = walk(at, shape.rows);
            storeTo(result, to, position);
          },
          whole);
      return;
    }
    forLoop(i64(0), i64(shape.rows), 1, [&](llvm::Value *i) {
      At at = first({});
      at.i = i;
      at.whole = whole;
      llvm::Value *position =
          shape.cols >= 4 * target_.vectorLanes ? argReduceRow(op, at, element) : walk(at, shape.cols);
      At to = first({});
      to.i = i;
      storeTo(result, to, position);
    });
  });
  bind(op.getResult(), result);
}

/// A long row: each lane keeps the best of its own elements; then the lanes are compared, where an equal
/// value stands earlier if its position is smaller. Elements left over at the end come last.
llvm::Value *KernelEmitter::argReduceRow(pho::ArgReduceOp op, At at,
                                         llvm::function_ref<llvm::Value *(const At &)> element) {
  const int64_t length = plan_.shapeOf(op.getValue()).cols;
  const unsigned lanes = target_.vectorLanes;
  const int64_t full = length / lanes * lanes;
  llvm::Type *word = builder_.getInt32Ty();
  llvm::Value *index = builder_.CreateTrunc(laneIndex(lanes), vectorOf(word, lanes));
  at.lanes = at.valid = lanes;
  at.j = i64(0);
  llvm::Value *firstBest = element(at);
  auto best =
      foldLoop(i64(lanes), i64(full), lanes, {firstBest, index},
               [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> carried) {
                 at.j = p;
                 llvm::Value *x = element(at), *wins = beats(op, x, carried[0]);
                 llvm::Value *position =
                     builder_.CreateAdd(splat(builder_.CreateTrunc(p, word), lanes), index);
                 return llvm::SmallVector<llvm::Value *>{builder_.CreateSelect(wins, x, carried[0]),
                                                         builder_.CreateSelect(wins, position, carried[1])};
               });
  llvm::Value *value = builder_.CreateExtractElement(best[0], uint64_t(0));
  llvm::Value *position = builder_.CreateExtractElement(best[1], uint64_t(0));
  auto take = [&](llvm::Value *x, llvm::Value *where) {
    llvm::Value *isEarlierEqual =
        builder_.CreateAnd(builder_.CreateNot(beats(op, value, x)), builder_.CreateICmpULT(where, position));
    llvm::Value *wins = builder_.CreateOr(beats(op, x, value), isEarlierEqual);
    value = builder_.CreateSelect(wins, x, value);
    position = builder_.CreateSelect(wins, where, position);
  };
  for (unsigned l = 1; l < lanes; ++l)
    take(builder_.CreateExtractElement(best[0], l), builder_.CreateExtractElement(best[1], l));
  At last = at;
  last.lanes = last.valid = 1;
  for (int64_t p = full; p < length; ++p) {
    last.j = i64(p);
    take(element(last), builder_.getInt32(static_cast<uint32_t>(p)));
  }
  return position;
}

} // namespace phobos::cpu
