// Products of tiles: operands are brought into scratch in the micro-kernel's element type, unless they lie
// there already, and the sum is kept in the result's own buffer, in place of the accumulator where that dies
// here.
#include "compiler/target/cpu/Emitter.h"
#include "mlir/IR/Matchers.h"

namespace phobos::cpu {

/// Floats narrower than f32 are multiplied as f32: exact products, sums in f32. i8 and u8 become pairs of
/// i16, whose products are summed two at a time in one instruction, exactly: |a b| <= 255^2, and i32 sums
/// wrap either way.
KernelEmitter::DotKind KernelEmitter::dotKind(pho::DotOp op) {
  mlir::Type elem = elementType(op.getA());
  DotKind kind;
  kind.from = kind.to = scalarTypeOf(elem, op.getIsUnsigned());
  kind.acc = valueType(op.getResult());
  const unsigned wide = kind.acc->getScalarSizeInBits() / 32;
  kind.lanes =
      std::min(lanesFor({1, plan_.shapeOf(op.getResult()).cols}), std::max(1u, target_.vectorLanes / wide));
  if (mlir::isa<mlir::FloatType>(elem)) {
    kind.to = elem.isF64() ? ScalarType::F64 : ScalarType::F32;
    kind.panel = kind.acc;
  } else if (elem.isInteger(8)) {
    kind.isPaired =
        (kind.lanes == 16 && target_.hasAvx512) || (kind.lanes == 8 && target_.hasAvx2) || kind.lanes == 4;
    kind.to = ScalarType::I32;
    kind.panel = kind.isPaired ? static_cast<llvm::Type *>(builder_.getInt16Ty()) : kind.acc;
  } else {
    kind.panel = kind.acc;
  }
  return kind;
}

std::pair<std::string, std::string> KernelEmitter::pathOf(pho::DotOp op) {
  const DotKind kind = dotKind(op);
  const unsigned full = std::max(1u, target_.vectorLanes * 32 / kind.acc->getScalarSizeInBits());
  const std::string from(name(kind.from)), sum(name(scalarTypeOf(elementType(op.getResult()), false)));
  const int64_t cols = plan_.shapeOf(op.getResult()).cols;
  if (kind.lanes == 1)
    return {"plain (one " + sum + " at a time)",
            "not the vector micro-kernel: the result has one column, so no neighbours share a register"};
  std::string path = "packed micro-kernel, " + std::to_string(kind.lanes) + " " + sum + " in a register", why;
  if (kind.isPaired)
    path += ", two products of " + from + " in one instruction";
  else if (kind.from != kind.to)
    path += ", operands packed as " + std::string(name(kind.to));
  if (kind.lanes < full)
    why = "registers here hold " + std::to_string(full) + " " + sum + ": the result has only " +
          std::to_string(cols) + " columns";
  if (elementType(op.getA()).isInteger(8) && !kind.isPaired)
    why += (why.empty() ? "" : "; ") + std::string("not two products of ") + from +
           " in one instruction: this processor has none for " + std::to_string(kind.lanes) + " sums";
  return {path, why};
}

static llvm::Value *toPanel(llvm::IRBuilderBase &b, llvm::Value *v, ScalarType from, ScalarType to,
                            llvm::Type *panel, const target::ScalarTarget &target) {
  if (panel->isIntegerTy(16)) {
    llvm::Type *type = v->getType()->getWithNewType(panel);
    return from == ScalarType::U8 ? b.CreateZExt(v, type) : b.CreateSExt(v, type);
  }
  return from == to ? v : target::emitConvert(b, v, from, to, target);
}

/// Row by row in the panel's type; columns past the tile's are zero.
Buffer KernelEmitter::packRows(mlir::Value v, int64_t cols, const DotKind &kind) {
  const TileShape shape = plan_.shapeOf(v);
  Buffer buffer = newBuffer({shape.rows, cols}, kind.panel);
  versioned({v}, nullptr, [&](bool whole) {
    tileLoop(
        shape,
        [&](const At &at) {
          At to = at;
          if (buffer.shape.isColumn() != shape.isColumn())
            to.along = Along::Cols;
          storeTo(buffer, at,
                  toPanel(builder_, evaluate(v, at), kind.from, kind.to, kind.panel, target_.scalar), nullptr,
                  cols > shape.cols);
        },
        whole);
  });
  if (cols > shape.cols)
    forLoop(i64(0), i64(shape.rows), 1, [&](llvm::Value *i) {
      At at = first({});
      at.i = i, at.j = i64(shape.cols);
      storeTo(buffer, at, llvm::Constant::getNullValue(kind.panel));
    });
  return buffer;
}

Buffer KernelEmitter::packTransposed(mlir::Value v, int64_t cols, const DotKind &kind) {
  const TileShape shape = plan_.shapeOf(v);
  Buffer buffer = newBuffer({shape.cols, cols}, kind.panel);
  versioned({v}, nullptr, [&](bool whole) {
    copyTransposed(
        shape,
        [&](At at) {
          at.whole = whole;
          return toPanel(builder_, evaluate(v, at), kind.from, kind.to, kind.panel, target_.scalar);
        },
        buffer);
  });
  if (cols > shape.rows)
    forLoop(i64(0), i64(shape.cols), 1, [&](llvm::Value *i) {
      At at = first({});
      at.i = i, at.j = i64(shape.rows);
      storeTo(buffer, at, llvm::Constant::getNullValue(kind.panel));
    });
  return buffer;
}

/// Rows k and k + 1 interleaved: lane n of row k / 2 is (v[k][n], v[k + 1][n]).
Buffer KernelEmitter::packPairs(mlir::Value v, const DotKind &kind) {
  const TileShape shape = plan_.shapeOf(v);
  Buffer buffer = newBuffer({(shape.rows + 1) / 2, shape.cols}, builder_.getInt32Ty());
  const int64_t even = shape.rows / 2 * 2;
  versioned({v}, nullptr, [&](bool whole) {
    auto pair = [&](llvm::Value *k, bool isLast) {
      tileLoop(
          TileShape{1, shape.cols},
          [&](const At &to) {
            auto row = [&](llvm::Value *i) {
              At at = to;
              at.i = i, at.row = nullptr;
              return toPanel(builder_, evaluate(v, at), kind.from, kind.to, kind.panel, target_.scalar);
            };
            llvm::Value *low = row(k);
            llvm::Value *high = isLast ? llvm::Constant::getNullValue(low->getType()) : row(plus(k, 1));
            llvm::Type *wide = vectorOf(builder_.getInt32Ty(), to.lanes);
            llvm::Value *both = builder_.CreateOr(builder_.CreateZExt(low, wide),
                                                  builder_.CreateShl(builder_.CreateZExt(high, wide), 16));
            At at = to;
            at.i = builder_.CreateLShr(k, 1);
            storeTo(buffer, at, both);
          },
          whole);
    };
    if (even)
      forLoop(i64(0), i64(even), 2, [&](llvm::Value *k) { pair(k, false); }, 1);
    if (even < shape.rows)
      pair(i64(even), true);
  });
  return buffer;
}

KernelEmitter::Panel KernelEmitter::packLeft(mlir::Value a, bool isTransposed, const DotKind &kind,
                                             llvm::SmallVectorImpl<Buffer> &owned) {
  const TileShape shape = plan_.shapeOf(a);
  if (auto stored = buffers_.find(a);
      stored != buffers_.end() && stored->second.elem == kind.panel && !kind.isPaired) {
    const Buffer &buffer = stored->second;
    return isTransposed ? Panel{buffer.base, 1, buffer.rowStride} : Panel{buffer.base, buffer.rowStride, 1};
  }
  if (kind.isPaired) {
    const int64_t k = isTransposed ? shape.rows : shape.cols;
    Buffer rows = isTransposed ? packTransposed(a, k + k % 2, kind) : packRows(a, k + k % 2, kind);
    owned.push_back(rows);
    return {rows.base, rows.rowStride, 2};
  }
  owned.push_back(packRows(a, shape.cols, kind));
  const Buffer &buffer = owned.back();
  return isTransposed ? Panel{buffer.base, 1, buffer.rowStride} : Panel{buffer.base, buffer.rowStride, 1};
}

KernelEmitter::Panel KernelEmitter::packRight(mlir::Value b, bool isTransposed, const DotKind &kind,
                                              llvm::SmallVectorImpl<Buffer> &owned) {
  const TileShape shape = plan_.shapeOf(b);
  if (kind.isPaired && isTransposed) { // pairs of a row are neighbours already: transposed as 32-bit elements
    const int64_t k = shape.cols + shape.cols % 2;
    owned.push_back(packRows(b, k, kind));
    Buffer rows = owned.back();
    rows.elem = builder_.getInt32Ty();
    rows.shape = {shape.rows, k / 2};
    rows.rowStride /= 2;
    owned.push_back(newBuffer({k / 2, shape.rows}, builder_.getInt32Ty()));
    copyTransposed(rows.shape, [&](At at) { return loadFrom(rows, at); }, owned.back());
  } else if (kind.isPaired) {
    owned.push_back(packPairs(b, kind));
  } else if (isTransposed) {
    owned.push_back(packTransposed(b, shape.rows, kind));
  } else if (auto stored = buffers_.find(b); stored != buffers_.end() && stored->second.elem == kind.panel) {
    return {stored->second.base, 1, stored->second.rowStride};
  } else {
    owned.push_back(packRows(b, shape.cols, kind));
  }
  return {owned.back().base, 1, owned.back().rowStride};
}

/// In place of a tile that the loop carries, or of the accumulator, if this is where it is read last.
Buffer KernelEmitter::dotResult(pho::DotOp op) {
  mlir::Value acc = op.getAcc();
  auto mayOverwrite = [&](mlir::Value tile) {
    auto stored = buffers_.find(tile);
    auto last = plan_.lastUse.find(tile);
    if (stored == buffers_.end() || stored->second.slot == ~0u)
      return false;
    if (last == plan_.lastUse.end() ||
        (tile.getParentBlock() == op->getBlock() && last->second->isBeforeInBlock(op)))
      return true;
    return last->second == op && !plan_.reads(op.getA(), tile) && !plan_.reads(op.getB(), tile) &&
           plan_.readsInPlace(acc, tile);
  };
  auto take = [&](mlir::Value tile) {
    Buffer buffer = buffers_.at(tile);
    scratch_.hold(buffer.slot);
    return buffer;
  };
  if (auto loop = mlir::dyn_cast_or_null<mlir::scf::ForOp>(op->getParentOp()); loop && !mask_)
    for (mlir::OpOperand &use : op.getResult().getUses())
      if (use.getOwner() == loop.getBody()->getTerminator())
        if (mlir::Value carried = loop.getRegionIterArg(use.getOperandNumber()); mayOverwrite(carried))
          return take(carried);
  if (!mlir::isa<mlir::BlockArgument>(acc) && mayOverwrite(acc))
    return take(acc);
  return newBuffer(op.getResult());
}

void KernelEmitter::emitDot(pho::DotOp op) {
  const DotKind kind = dotKind(op);
  const TileShape left = plan_.shapeOf(op.getA());
  const int64_t depth = op.getTransA() ? left.rows : left.cols;
  llvm::SmallVector<Buffer> owned;
  const Panel a = packLeft(op.getA(), op.getTransA(), kind, owned);
  const Panel b = packRight(op.getB(), op.getTransB(), kind, owned);
  Buffer acc = dotResult(op);
  const bool fromZero = mlir::matchPattern(op.getAcc(), mlir::m_AnyZeroFloat()) ||
                        mlir::matchPattern(op.getAcc(), mlir::m_Zero());
  auto stored = buffers_.find(op.getAcc());
  if (!fromZero && (stored == buffers_.end() || stored->second.slot != acc.slot))
    materialise(op.getAcc(), acc);
  multiply(a, b, acc, kind.isPaired ? (depth + 1) / 2 : depth, kind, fromZero);
  for (const Buffer &buffer : owned)
    release(buffer);
  bind(op.getResult(), acc);
}

} // namespace phobos::cpu
