// Shape operations that need storage.
#include "compiler/target/cpu/Emitter.h"
#include <numeric>

namespace phobos::cpu {

/// An element at a time where rows end elsewhere; nothing to do where storage without padding is only
/// renamed.
void KernelEmitter::emitReshape(pho::ReshapeOp op) {
  const TileShape from = plan_.shapeOf(op.getValue()), to = plan_.shapeOf(op.getResult());
  if (isVector(from) && isVector(to)) {
    Buffer buffer = resultBuffer(op.getResult());
    materialise(op.getResult(), buffer);
    return bind(op.getResult(), buffer);
  }
  Buffer result = newBuffer(op.getResult());
  versioned({op.getValue()}, nullptr, [&](bool whole) {
    // Runs that lie within a row on both sides are copied as vectors.
    const int64_t run = std::gcd(from.cols, to.cols);
    const unsigned lanes = lanesFor({1, run});
    forLoop(
        i64(0), i64(from.elements() / run), 1,
        [&](llvm::Value *number) {
          auto place = [&](TileShape shape, llvm::Value *position, unsigned valid) {
            At at = first({});
            at.i = builder_.CreateUDiv(position, i64(shape.cols));
            at.j = builder_.CreateURem(position, i64(shape.cols));
            at.lanes = lanes, at.valid = valid, at.whole = whole;
            return at;
          };
          for (int64_t p = 0; p < run; p += lanes) {
            llvm::Value *position = plus(builder_.CreateMul(number, i64(run)), p);
            const unsigned valid = static_cast<unsigned>(std::min<int64_t>(lanes, run - p));
            evaluated_.clear();
            llvm::Value *v = evaluate(op.getValue(), place(from, position, valid));
            storeTo(result, place(to, position, valid), v, nullptr, true);
            evaluated_.clear();
          }
        },
        1);
  });
  bind(op.getResult(), result);
}

void KernelEmitter::emitTranspose(pho::TransposeOp op) {
  Buffer result = newBuffer(op.getResult());
  mlir::Value value = op.getValue();
  versioned({value}, nullptr, [&](bool whole) {
    copyTransposed(
        plan_.shapeOf(value),
        [&](At at) {
          at.whole = whole;
          return toMemory(evaluate(value, at));
        },
        result);
  });
  bind(op.getResult(), result);
}

/// target[j][i] = source[i][j], in squares of a vector's length: in step s, rows r and r + s exchange the
/// halves of every group of 2 s lanes, so that after log2(lanes) steps row r holds column r.
void KernelEmitter::copyTransposed(TileShape shape, llvm::function_ref<llvm::Value *(At)> source,
                                   const Buffer &target) {
  const unsigned lanes = std::min(lanesFor({1, shape.cols}), lanesFor({1, shape.rows}));
  auto square = [&](llvm::Value *i, llvm::Value *j, unsigned rows, unsigned cols) {
    llvm::SmallVector<llvm::Value *> v(lanes);
    for (unsigned r = 0; r < rows; ++r) {
      At at = first({});
      at.i = plus(i, r), at.j = j, at.lanes = lanes, at.valid = cols;
      evaluated_.clear();
      v[r] = source(at);
    }
    evaluated_.clear();
    for (unsigned r = rows; r < lanes; ++r)
      v[r] = llvm::Constant::getNullValue(v[0]->getType());
    for (unsigned s = lanes / 2; s >= 1; s /= 2)
      for (unsigned r = 0; r < lanes; ++r) {
        if (r & s)
          continue;
        llvm::SmallVector<int> low, high;
        for (unsigned l = 0; l < lanes; ++l) {
          low.push_back(static_cast<int>(l & s ? lanes + l - s : l));
          high.push_back(static_cast<int>(l & s ? lanes + l : l + s));
        }
        llvm::Value *a = v[r], *b = v[r + s];
        v[r] = builder_.CreateShuffleVector(a, b, low);
        v[r + s] = builder_.CreateShuffleVector(a, b, high);
      }
    for (unsigned c = 0; c < cols; ++c) {
      At to = first({});
      to.i = plus(j, c), to.j = i, to.lanes = lanes, to.valid = rows;
      storeTo(target, to, v[c]);
    }
  };
  const int64_t fullRows = shape.rows / lanes * lanes, fullCols = shape.cols / lanes * lanes;
  auto strip = [&](llvm::Value *i, unsigned rows) {
    if (fullCols)
      forLoop(i64(0), i64(fullCols), lanes, [&](llvm::Value *j) { square(i, j, rows, lanes); }, 1);
    if (fullCols < shape.cols)
      square(i, i64(fullCols), rows, static_cast<unsigned>(shape.cols - fullCols));
  };
  if (fullRows)
    forLoop(i64(0), i64(fullRows), lanes, [&](llvm::Value *i) { strip(i, lanes); }, 1);
  if (fullRows < shape.rows)
    strip(i64(fullRows), static_cast<unsigned>(shape.rows - fullRows));
}

/// `value` into the part of `target` at constant offsets; the rest stays.
void KernelEmitter::copyPart(mlir::Value value, const Buffer &target, int64_t row, int64_t col) {
  versioned({value}, nullptr, [&](bool whole) {
    tileLoop(
        plan_.shapeOf(value),
        [&](const At &at) {
          At to = at;
          to.i = plus(at.i, row), to.j = plus(at.j, col);
          storeTo(target, to, evaluate(value, at), nullptr, true);
        },
        whole);
  });
}

void KernelEmitter::emitCat(pho::CatOp op) {
  Buffer result = newBuffer(op.getResult());
  const TileShape left = plan_.shapeOf(op.getLhs());
  const bool isRank1 = mlir::cast<mlir::RankedTensorType>(op.getType()).getRank() == 1;
  copyPart(op.getLhs(), result, 0, 0);
  if (isRank1 || op.getAxis() == 1)
    copyPart(op.getRhs(), result, 0, left.cols);
  else
    copyPart(op.getRhs(), result, left.rows, 0);
  bind(op.getResult(), result);
}

void KernelEmitter::emitInsertSlice(pho::InsertSliceOp op) {
  auto offsets = op.getOffsets();
  Buffer result = newBuffer(op.getResult());
  materialise(op.getTile(), result);
  copyPart(op.getValue(), result, offsets.size() == 2 ? offsets[0] : 0, offsets.back());
  bind(op.getResult(), result);
}

void KernelEmitter::emitExtract(pho::ExtractOp op) {
  auto offsets = op.getOffsets();
  At at = first({});
  if (!offsets.empty()) {
    at.j = i64(offsets.back());
    if (offsets.size() == 2)
      at.i = i64(offsets.front());
  }
  evaluated_.clear();
  scalars_[op.getResult()] = evaluate(op.getValue(), at);
  evaluated_.clear();
}

/// A constant tile whose elements differ: read-only data.
void KernelEmitter::emitTable(mlir::arith::ConstantOp constant) {
  auto values = mlir::cast<mlir::DenseElementsAttr>(constant.getValue());
  llvm::SmallVector<llvm::Constant *> elements;
  llvm::Type *elem = memoryType(constant.getResult());
  for (mlir::Attribute a : values.getValues<mlir::Attribute>()) {
    auto *c = llvm::cast<llvm::Constant>(emitConstant(mlir::cast<mlir::TypedAttr>(a), 1));
    elements.push_back(c->getType() == elem ? c : llvm::ConstantInt::get(elem, c->isOneValue()));
  }
  const TileShape shape = plan_.shapeOf(constant.getResult());
  for (unsigned pad = 0; pad < 2 * target_.vectorLanes; ++pad)
    elements.push_back(llvm::Constant::getNullValue(elem));
  auto *type = llvm::ArrayType::get(elem, elements.size());
  auto *global = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::PrivateLinkage,
                                          llvm::ConstantArray::get(type, elements), "tile");
  bind(constant.getResult(), {global, elem, shape, shape.isColumn() ? 1 : shape.cols, ~0u});
}

} // namespace phobos::cpu
