// Inclusive scans.
#include "compiler/target/cpu/Emitter.h"

namespace phobos::cpu {

/// Within a vector: every lane combined with the one `distance` before it, doubling the distance.
llvm::Value *KernelEmitter::scanLanes(pho::ScanOp op, llvm::Value *v, unsigned lanes) {
  mlir::Type elem = elementType(op.getValue());
  llvm::Value *neutral = identity(op.getKind(), elem, op.getIsUnsigned(), lanes);
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    llvm::SmallVector<int> mask; // lane l - distance, or the neutral element
    for (unsigned l = 0; l < lanes; ++l)
      mask.push_back(static_cast<int>(l < distance ? lanes + l : l - distance));
    v = combine(op.getKind(), elem, op.getIsUnsigned(), builder_.CreateShuffleVector(v, neutral, mask), v);
  }
  return v;
}

void KernelEmitter::emitScan(pho::ScanOp op) {
  mlir::Value value = op.getValue();
  mlir::Type elem = elementType(value);
  const TileShape shape = plan_.shapeOf(value);
  const bool isRank1 = mlir::cast<mlir::RankedTensorType>(value.getType()).getRank() == 1;
  const bool isAlongCols = isRank1 || op.getAxis() == 1;
  const bool isUnsigned = op.getIsUnsigned();
  Buffer result = resultBuffer(op.getResult());
  auto element = [&](const At &at) {
    evaluated_.clear();
    llvm::Value *v = evaluate(value, at);
    evaluated_.clear();
    return v;
  };
  versioned({value}, nullptr, [&](bool whole) {
    if (!isAlongCols) {
      tileLoop(
          TileShape{1, shape.cols},
          [&](const At &to) {
            At at = to;
            at.row = nullptr;
            foldLoop(i64(0), i64(shape.rows), 1, {identity(op.getKind(), elem, isUnsigned, at.lanes)},
                     [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
                       at.i = i;
                       llvm::Value *sum = combine(op.getKind(), elem, isUnsigned, carried[0], element(at));
                       storeTo(result, at, sum);
                       return llvm::SmallVector<llvm::Value *>{sum};
                     });
          },
          whole);
      return;
    }
    const TileShape line{1, shape.cols};
    const unsigned lanes = lanesFor(line);
    const int64_t full = shape.cols / lanes * lanes;
    forLoop(i64(0), i64(shape.rows), 1, [&](llvm::Value *i) {
      At at = first({});
      at.i = i;
      at.lanes = at.valid = lanes;
      at.whole = whole;
      auto step = [&](llvm::Value *carry) { // the sum of all before, in every lane
        llvm::Value *inner = scanLanes(op, element(at), lanes);
        llvm::Value *sum = combine(op.getKind(), elem, isUnsigned, splat(carry, lanes), inner);
        storeTo(result, at, sum);
        return lanes == 1 ? sum : builder_.CreateExtractElement(sum, lanes - 1);
      };
      auto carry = foldLoop(i64(0), i64(full), lanes, {identity(op.getKind(), elem, isUnsigned, 1)},
                            [&](llvm::Value *j, llvm::ArrayRef<llvm::Value *> carried) {
                              at.j = j;
                              return llvm::SmallVector<llvm::Value *>{step(carried[0])};
                            });
      if (full < shape.cols) {
        at.j = i64(full);
        at.valid = static_cast<unsigned>(shape.cols - full);
        step(carry[0]);
      }
    });
  });
  bind(op.getResult(), result);
}

} // namespace phobos::cpu
