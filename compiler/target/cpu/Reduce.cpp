// Reductions: along rows with several independent vector accumulators, down columns a vector of columns at a
// time.
#include "compiler/target/cpu/Emitter.h"

namespace phobos::cpu {

/// Rounds that may be in flight: enough to hide the latency of an addition.
constexpr unsigned kAccumulators = 4;

llvm::Value *KernelEmitter::combine(pho::ReduceKind kind, mlir::Type elem, bool isUnsigned, llvm::Value *x,
                                    llvm::Value *y) {
  using llvm::Intrinsic::smax, llvm::Intrinsic::smin, llvm::Intrinsic::umax, llvm::Intrinsic::umin;
  const bool isFloat = mlir::isa<mlir::FloatType>(elem);
  const bool isNarrow = isFloat && elem.getIntOrFloatBitWidth() < 32;
  const ScalarType type = scalarTypeOf(elem, isUnsigned);
  if (isNarrow) {
    x = target::emitConvert(builder_, x, type, ScalarType::F32, target_.scalar);
    y = target::emitConvert(builder_, y, type, ScalarType::F32, target_.scalar);
  }
  llvm::Value *result = nullptr;
  switch (kind) {
  case pho::ReduceKind::Sum:
    result = isFloat ? builder_.CreateFAdd(x, y) : builder_.CreateAdd(x, y);
    break;
  case pho::ReduceKind::Prod:
    result = isFloat ? builder_.CreateFMul(x, y) : builder_.CreateMul(x, y);
    break;
  case pho::ReduceKind::Max:
    result = isFloat ? target::emitMaxF(builder_, x, y, target_.scalar)
                     : builder_.CreateBinaryIntrinsic(isUnsigned || elem.isInteger(1) ? umax : smax, x, y);
    break;
  case pho::ReduceKind::Min:
    result = isFloat ? target::emitMinF(builder_, x, y, target_.scalar)
                     : builder_.CreateBinaryIntrinsic(isUnsigned || elem.isInteger(1) ? umin : smin, x, y);
    break;
  }
  return isNarrow ? target::emitConvert(builder_, result, ScalarType::F32, type, target_.scalar) : result;
}

llvm::Value *KernelEmitter::identity(pho::ReduceKind kind, mlir::Type elem, bool isUnsigned, unsigned lanes) {
  const bool isSum = kind == pho::ReduceKind::Sum, isProd = kind == pho::ReduceKind::Prod,
             isMax = kind == pho::ReduceKind::Max;
  if (auto type = mlir::dyn_cast<mlir::FloatType>(elem)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    llvm::APFloat value = isSum    ? llvm::APFloat::getZero(semantics, true) // -0 + x is x, for every x
                          : isProd ? llvm::APFloat::getOne(semantics)
                          : llvm::APFloat::semanticsHasInf(semantics)
                              ? llvm::APFloat::getInf(semantics, isMax)
                              : llvm::APFloat::getLargest(semantics, isMax);
    return emitConstant(mlir::FloatAttr::get(elem, value), lanes);
  }
  const unsigned bits = elem.isIndex() ? 64 : elem.getIntOrFloatBitWidth();
  const bool asUnsigned = isUnsigned || bits == 1;
  llvm::APInt value =
      isSum    ? llvm::APInt::getZero(bits)
      : isProd ? llvm::APInt(bits, 1)
      : isMax  ? (asUnsigned ? llvm::APInt::getMinValue(bits) : llvm::APInt::getSignedMinValue(bits))
               : (asUnsigned ? llvm::APInt::getMaxValue(bits) : llvm::APInt::getSignedMaxValue(bits));
  return emitConstant(mlir::IntegerAttr::get(elem, value), lanes);
}

/// Halves against halves: the order is fixed by the number of lanes.
llvm::Value *KernelEmitter::reduceLanes(pho::ReduceKind kind, mlir::Type elem, bool isUnsigned,
                                        llvm::Value *v) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  for (unsigned lanes = type ? type->getNumElements() : 1; lanes > 1; lanes /= 2) {
    llvm::SmallVector<int> low, high;
    for (unsigned l = 0; l < lanes / 2; ++l)
      low.push_back(static_cast<int>(l)), high.push_back(static_cast<int>(l + lanes / 2));
    llvm::Value *a = builder_.CreateShuffleVector(v, low), *b = builder_.CreateShuffleVector(v, high);
    v = combine(kind, elem, isUnsigned, a, b);
  }
  return type ? builder_.CreateExtractElement(v, uint64_t(0)) : v;
}

/// The extreme of floats by their bits, three one-instruction accumulators in place of a maximum that minds
/// NaN. As integers: the largest signed is the largest float where one without sign bit exists, and shows a
/// positive NaN; the largest unsigned is the most negative float where one with sign bit exists, and shows a
/// negative NaN; the smallest unsigned is the answer in the other case of each. So -0 stays below 0.
namespace {
struct ExtremeBits {
  llvm::IRBuilderBase &b;
  llvm::Type *bits; ///< of one element

  llvm::Value *of(unsigned which, llvm::Value *x, llvm::Value *y) {
    constexpr llvm::Intrinsic::ID ops[] = {llvm::Intrinsic::smax, llvm::Intrinsic::umax,
                                           llvm::Intrinsic::umin};
    return b.CreateBinaryIntrinsic(ops[which], x, y);
  }
  /// No element yet: the least signed, the least and the largest unsigned number.
  llvm::Value *none(unsigned which, unsigned lanes) {
    const unsigned width = bits->getIntegerBitWidth();
    const llvm::APInt values[] = {llvm::APInt::getSignedMinValue(width), llvm::APInt::getZero(width),
                                  llvm::APInt::getAllOnes(width)};
    return llvm::ConstantInt::get(lanes == 1 ? bits : llvm::FixedVectorType::get(bits, lanes), values[which]);
  }
  llvm::Value *lanes(unsigned which, llvm::Value *v) {
    constexpr llvm::Intrinsic::ID ops[] = {llvm::Intrinsic::vector_reduce_smax,
                                           llvm::Intrinsic::vector_reduce_umax,
                                           llvm::Intrinsic::vector_reduce_umin};
    return v->getType()->isVectorTy() ? b.CreateIntrinsic(bits, ops[which], {v}) : v;
  }
  llvm::Value *result(llvm::ArrayRef<llvm::Value *> v, llvm::Type *type, bool isMax) {
    const llvm::fltSemantics &semantics = type->getFltSemantics();
    llvm::Value *inf = b.getInt(llvm::APFloat::getInf(semantics).bitcastToAPInt());
    llvm::Value *negativeInf = b.getInt(llvm::APFloat::getInf(semantics, true).bitcastToAPInt());
    llvm::Value *hasNaN = b.CreateOr(b.CreateICmpSGT(v[0], inf), b.CreateICmpUGT(v[1], negativeInf));
    llvm::Value *zero = llvm::ConstantInt::get(bits, 0);
    llvm::Value *best = isMax ? b.CreateSelect(b.CreateICmpSGE(v[0], zero), v[0], v[2])
                              : b.CreateSelect(b.CreateICmpSLT(v[1], zero), v[1], v[2]);
    return b.CreateSelect(hasNaN, llvm::ConstantFP::getNaN(type), b.CreateBitCast(best, type));
  }
};
} // namespace

llvm::Value *KernelEmitter::reduceExtreme(pho::ReduceOp op, At at, int64_t length) {
  const unsigned lanes = at.lanes;
  llvm::Type *type = valueType(op.getValue());
  ExtremeBits extreme{builder_, builder_.getIntNTy(type->getScalarSizeInBits())};
  using Values = llvm::SmallVector<llvm::Value *>;
  auto step = [&](llvm::Value *position, unsigned valid, llvm::ArrayRef<llvm::Value *> so) {
    At here = at;
    here.valid = valid;
    (at.along == Along::Cols ? here.j : here.i) = position;
    evaluated_.clear();
    llvm::Value *x =
        builder_.CreateBitCast(evaluateReduced(op.getValue(), here), vectorOf(extreme.bits, lanes));
    evaluated_.clear();
    Values next;
    for (unsigned which = 0; which < 3; ++which) {
      llvm::Value *v =
          valid < lanes ? builder_.CreateSelect(validMask(here), x, extreme.none(which, lanes)) : x;
      next.push_back(extreme.of(which, so[which], v));
    }
    return next;
  };
  const int64_t pairs = length / (2 * lanes) * (2 * lanes);
  Values first3, second;
  for (unsigned which = 0; which < 3; ++which)
    first3.push_back(extreme.none(which, lanes));
  second = first3;
  if (pairs) {
    Values both(first3);
    both.append(second);
    both = foldLoop(i64(0), i64(pairs), 2 * int64_t(lanes), both,
                    [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> carried) {
                      Values next = step(p, lanes, carried.take_front(3));
                      next.append(step(plus(p, lanes), lanes, carried.take_back(3)));
                      return next;
                    });
    first3.assign(both.begin(), both.begin() + 3);
    second.assign(both.begin() + 3, both.end());
  }
  for (int64_t p = pairs; p < length; p += lanes)
    first3 = step(i64(p), static_cast<unsigned>(std::min<int64_t>(lanes, length - p)), first3);
  for (unsigned which = 0; which < 3; ++which)
    first3[which] = extreme.lanes(which, extreme.of(which, first3[which], second[which]));
  return extreme.result(first3, type, op.getKind() == pho::ReduceKind::Max);
}

/// Reduces the elements `value` along a line of `length` from `at`, whose lanes advance along it; the result
/// has one lane.
llvm::Value *KernelEmitter::reduceLine(pho::ReduceOp op, At at, int64_t length) {
  mlir::Value value = op.getValue();
  mlir::Type elem = elementType(value);
  const bool isUnsigned = op.getIsUnsigned();
  const unsigned lanes = at.lanes;
  const bool isExtreme = op.getKind() == pho::ReduceKind::Max || op.getKind() == pho::ReduceKind::Min;
  if (isExtreme && lanes > 1 && (elem.isF32() || elem.isF64()))
    return reduceExtreme(op, at, length);
  llvm::Value *neutral = identity(op.getKind(), elem, isUnsigned, lanes);
  auto element = [&](llvm::Value *position, unsigned valid) {
    At here = at;
    here.valid = valid;
    (at.along == Along::Cols ? here.j : here.i) = position;
    evaluated_.clear();
    llvm::Value *v = evaluateReduced(value, here);
    evaluated_.clear();
    return valid < lanes ? builder_.CreateSelect(validMask(here), v, neutral) : v;
  };
  const int64_t block = int64_t(lanes) * kAccumulators;
  const int64_t blocked = length / block * block, full = length / lanes * lanes;
  llvm::SmallVector<llvm::Value *> sums(blocked ? kAccumulators : 1, neutral);
  if (blocked)
    sums = foldLoop(i64(0), i64(blocked), block, sums,
                    [&](llvm::Value *p, llvm::ArrayRef<llvm::Value *> carried) {
                      llvm::SmallVector<llvm::Value *> next;
                      for (unsigned k = 0; k < kAccumulators; ++k)
                        next.push_back(combine(op.getKind(), elem, isUnsigned, carried[k],
                                               element(plus(p, int64_t(k) * lanes), lanes)));
                      return next;
                    });
  unsigned next = 0;
  auto add = [&](llvm::Value *v) {
    llvm::Value *&sum = sums[next++ % sums.size()];
    sum = combine(op.getKind(), elem, isUnsigned, sum, v);
  };
  for (int64_t p = blocked; p < full; p += lanes)
    add(element(i64(p), lanes));
  if (full < length)
    add(element(i64(full), static_cast<unsigned>(length - full)));
  llvm::Value *sum = sums[0];
  for (unsigned k = 1; k < sums.size(); ++k)
    sum = combine(op.getKind(), elem, isUnsigned, sum, sums[k]);
  return reduceLanes(op.getKind(), elem, isUnsigned, sum);
}

/// The next operation that is not fused into a later one reduces the result of `op`, a tile that others read
/// too: softmax's exponentials and their sums are then one loop.
bool KernelEmitter::isReducedNext(mlir::Operation &op) {
  if (mask_ || !isElementwise(&op))
    return false;
  mlir::Operation *next = op.getNextNode();
  while (next && next->getNumResults() == 1 && plan_.fused.contains(next->getResult(0)) &&
         !mlir::isa<pho::LoadOp>(next))
    next = next->getNextNode();
  auto reduce = mlir::dyn_cast_or_null<pho::ReduceOp>(next);
  return reduce && reduce.getValue() == op.getResult(0) && !reduce->use_empty();
}

/// Every loop of a reduction comes to every element once.
llvm::Value *KernelEmitter::evaluateReduced(mlir::Value value, const At &at) {
  auto pending = pending_.find(value);
  if (pending == pending_.end())
    return evaluate(value, at);
  llvm::Value *v = evaluateFused(value.getDefiningOp(), at);
  storeTo(pending->second, at, v);
  return v;
}

void KernelEmitter::emitReduce(pho::ReduceOp op) {
  mlir::Value value = op.getValue();
  emitReduction(op);
  if (auto pending = pending_.find(value); pending != pending_.end()) {
    bind(value, pending->second);
    pending_.erase(pending);
  }
}

void KernelEmitter::emitReduction(pho::ReduceOp op) {
  mlir::Value value = op.getValue();
  mlir::Type elem = elementType(value);
  const TileShape shape = plan_.shapeOf(value);
  const bool isRank1 = mlir::cast<mlir::RankedTensorType>(value.getType()).getRank() == 1;
  const int32_t axis = static_cast<int32_t>(op.getAxis());
  const bool isUnsigned = op.getIsUnsigned();
  At start = first(shape);
  start.lanes = start.valid = lanesFor(shape);
  start.along = shape.isColumn() ? Along::Rows : Along::Cols;

  if (axis == -1) { // each row, then the rows' results in order
    llvm::Value *whole = wholeAccesses({value});
    auto all = [&](bool isWhole) -> llvm::Value * {
      At at = start;
      at.whole = isWhole;
      if (isVector(shape))
        return reduceLine(op, at, shape.elements());
      return foldLoop(i64(0), i64(shape.rows), 1, {identity(op.getKind(), elem, isUnsigned, 1)},
                      [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
                        at.i = i;
                        llvm::Value *row = reduceLine(op, at, shape.cols);
                        return llvm::SmallVector<llvm::Value *>{
                            combine(op.getKind(), elem, isUnsigned, carried[0], row)};
                      })[0];
    };
    scalars_[op.getResult()] =
        whole ? ifValue(whole, [&] { return all(true); }, [&] { return all(false); }) : all(true);
    return;
  }

  Buffer result = resultBuffer(op.getResult());
  versioned({value}, nullptr, [&](bool whole) {
    start.whole = whole;
    const bool isAlongCols = isRank1 || axis == 1;
    if (isAlongCols && (shape.cols > 1 || shape.rows == 1)) {
      forLoop(i64(0), i64(shape.rows), 1, [&](llvm::Value *i) {
        At at = start, to = first({});
        at.i = to.i = i;
        RowScope row;
        row.block = builder_.GetInsertBlock();
        llvm::BasicBlock *line = llvm::BasicBlock::Create(module_.getContext(), "row", function_);
        builder_.CreateBr(line);
        builder_.SetInsertPoint(line);
        at.row = &row;
        if (shape.isColumn())
          at.along = Along::Cols;
        storeTo(result, to, reduceLine(op, at, shape.cols));
      });
    } else if (!isAlongCols && shape.isColumn()) {
      At to = first({});
      storeTo(result, to, reduceLine(op, start, shape.rows));
    } else if (isAlongCols) { // of a column: itself
      tileLoop(shape, [&](const At &at) { storeTo(result, at, evaluateReduced(value, at)); }, whole);
    } else {
      reduceColumns(op, result, whole);
    }
  });
  bind(op.getResult(), result);
}

/// Down the rows, a vector of columns at a time; two sums, of even and of odd rows.
void KernelEmitter::reduceColumns(pho::ReduceOp op, const Buffer &result, bool whole) {
  mlir::Value value = op.getValue();
  mlir::Type elem = elementType(value);
  const TileShape shape = plan_.shapeOf(value);
  const bool isUnsigned = op.getIsUnsigned();
  tileLoop(
      TileShape{1, shape.cols},
      [&](const At &to) {
        auto element = [&](llvm::Value *i) {
          At at = to;
          at.i = i;
          at.row = nullptr;
          evaluated_.clear();
          llvm::Value *v = evaluateReduced(value, at);
          evaluated_.clear();
          return v;
        };
        llvm::Value *neutral = identity(op.getKind(), elem, isUnsigned, to.lanes);
        const int64_t even = shape.rows / 2 * 2;
        auto sums = foldLoop(i64(0), i64(even), 2, {neutral, neutral},
                             [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> carried) {
                               llvm::Value *a =
                                   combine(op.getKind(), elem, isUnsigned, carried[0], element(i));
                               llvm::Value *b =
                                   combine(op.getKind(), elem, isUnsigned, carried[1], element(plus(i, 1)));
                               return llvm::SmallVector<llvm::Value *>{a, b};
                             });
        llvm::Value *sum = combine(op.getKind(), elem, isUnsigned, sums[0], sums[1]);
        if (even < shape.rows)
          sum = combine(op.getKind(), elem, isUnsigned, sum, element(i64(even)));
        storeTo(result, to, sum);
      },
      whole);
}

} // namespace phobos::cpu
