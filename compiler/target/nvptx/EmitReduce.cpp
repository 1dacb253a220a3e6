// Reductions, positions of extremes, scans. A reduction folds a thread's registers, then lanes by shuffles,
// then warps through shared memory; all threads that need a result get it. The order is fixed by the layout,
// so a result is the same every run.
#include "compiler/target/nvptx/SharedTile.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace phobos::nvptx {

Reg Emitter::reductionOf(pho::ReduceKind kind, bool isUnsigned, Reg x, Reg y) {
  const bool isFloat = x->getType()->isFloatingPointTy();
  switch (kind) {
  case pho::ReduceKind::Sum:
    return isFloat ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  case pho::ReduceKind::Prod:
    return isFloat ? b.CreateFMul(x, y) : b.CreateMul(x, y);
  case pho::ReduceKind::Max:
    return isFloat ? target::emitMaxF(b, x, y, scalarTarget)
                   : b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umax : Intrinsic::smax, x, y);
  case pho::ReduceKind::Min:
    return isFloat ? target::emitMinF(b, x, y, scalarTarget)
                   : b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umin : Intrinsic::smin, x, y);
  }
  return x;
}

Reg Emitter::identityOf(pho::ReduceKind kind, bool isUnsigned, mlir::Type elem) {
  Type *t = typeOf(elem);
  const bool isMax = kind == pho::ReduceKind::Max;
  if (auto f = mlir::dyn_cast<mlir::FloatType>(elem)) {
    if (kind == pho::ReduceKind::Sum) // of 0.0 a sum of negative zeros would become 0.0
      return constantOf(elem, mlir::FloatAttr::get(elem, -0.0));
    if (kind == pho::ReduceKind::Prod)
      return constantOf(elem, mlir::FloatAttr::get(elem, 1.0));
    return ConstantFP::getInfinity(t, isMax);
  }
  const unsigned bits = t->getIntegerBitWidth();
  switch (kind) {
  case pho::ReduceKind::Sum:
    return ConstantInt::get(t, 0);
  case pho::ReduceKind::Prod:
    return ConstantInt::get(t, 1);
  case pho::ReduceKind::Max:
    return ConstantInt::get(t, isUnsigned ? APInt::getZero(bits) : APInt::getSignedMinValue(bits));
  case pho::ReduceKind::Min:
    return ConstantInt::get(t, isUnsigned ? APInt::getMaxValue(bits) : APInt::getSignedMaxValue(bits));
  }
  return nullptr;
}

Reg Emitter::shuffleXor(Reg value, int64_t laneMask) {
  Type *t = value->getType();
  const unsigned bits = static_cast<unsigned>(t->getPrimitiveSizeInBits().getFixedValue());
  auto word = [&](Reg w) -> Reg {
    return nvvm(Intrinsic::nvvm_shfl_sync_bfly_i32, {i32(-1), w, i32(laneMask), i32(31)});
  };
  Reg raw = b.CreateBitCast(value, b.getIntNTy(bits));
  if (bits <= 32)
    return b.CreateBitCast(b.CreateTrunc(word(b.CreateZExt(raw, b.getInt32Ty())), b.getIntNTy(bits)), t);
  Reg low = word(b.CreateTrunc(raw, b.getInt32Ty())),
      high = word(b.CreateTrunc(b.CreateLShr(raw, 32), b.getInt32Ty()));
  Reg joined =
      b.CreateOr(b.CreateZExt(low, b.getInt64Ty()), b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  return b.CreateBitCast(joined, t);
}

// `items[r]` are the values that register r carries (one, or a value and its position). The result is in the
// layout with `axes` sliced away, in its register order.
std::vector<Regs> Emitter::reduceAxes(const Layout &layout, std::vector<Regs> items, bool axes[2],
                                      ArrayRef<mlir::Type> elems, const Combine &combine, int64_t scratch) {
  Layout to = layout;
  for (int axis : {0, 1})
    if (axes[axis])
      to = slice(to, axis);
  // Registers.
  std::map<Coord, Regs> folded;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Coord at = layout.registerOffset(r);
    for (int axis : {0, 1})
      if (axes[axis])
        at[axis] = 0;
    auto [it, isNew] = folded.try_emplace(at, items[r]);
    if (!isNew)
      it->second = combine(it->second, items[r]);
  }
  std::vector<Regs> out;
  for (int64_t r = 0; r < to.registers(); ++r)
    out.push_back(folded.at(to.registerOffset(r)));
  // Lanes: a digit of 2^n steps at 2^p is bits p .. p + n - 1 of the lane's number.
  int64_t before = 1;
  for (const Mode &m : layout.lane) {
    if (m.stride != 0 && axes[m.axis])
      for (int64_t bit = before; bit < before * m.size; bit *= 2)
        for (Regs &item : out) {
          Regs other;
          for (Reg v : item)
            other.push_back(shuffleXor(v, bit));
          // The lower lane's value stands first on both sides, so that both compute the same.
          Reg isUpper = b.CreateICmpNE(b.CreateAnd(lane, i32(bit)), i32(0));
          Regs low, high;
          for (size_t k = 0; k < item.size(); ++k) {
            low.push_back(b.CreateSelect(isUpper, other[k], item[k]));
            high.push_back(b.CreateSelect(isUpper, item[k], other[k]));
          }
          item = combine(low, high);
        }
    before *= m.size;
  }
  // Warps: warp digits along the axes number the parts of a sum; each part goes to its slot, and everyone
  // adds up the slots it needs.
  int64_t parts = 1;
  Reg part = nullptr;
  before = 1;
  for (const Mode &m : layout.warp) {
    if (m.stride != 0 && m.size > 1 && axes[m.axis]) {
      Reg term = b.CreateMul(b.CreateURem(b.CreateUDiv(warp, i32(before)), i32(m.size)), i32(parts));
      part = part ? b.CreateAdd(part, term) : term;
      parts *= m.size;
    }
    before *= m.size;
  }
  if (parts == 1)
    return out;
  Coords base = baseOf(to);
  const int64_t count = to.extent(0) * to.extent(1);
  // Written by one of the threads that hold the same part: copies along the reduced lanes, and along copies
  // of the source.
  Layout writer = layout;
  writer.reg.clear();
  std::vector<Mode> kept;
  for (Mode &m : writer.lane)
    if (axes[m.axis])
      m.stride = 0;
  Reg first = isFirstCopy(writer);
  auto slot = [&](int64_t k, int64_t offset, Reg partNumber, int64_t r) {
    Coord off = to.registerOffset(r);
    Reg index = b.CreateAdd(b.CreateMul(plus(base.i, off[0]), i32(to.extent(1))), plus(base.j, off[1]));
    index = b.CreateAdd(b.CreateMul(partNumber, i32(count)), index);
    return b.CreateGEP(memoryTypeOf(elems[k]), sharedAddress(scratch + offset), index);
  };
  when(first, [&] {
    for (int64_t r = 0; r < to.registers(); ++r) {
      int64_t offset = 0;
      for (size_t k = 0; k < elems.size(); ++k) {
        b.CreateStore(toMemory(out[r][k], elems[k]), slot(static_cast<int64_t>(k), offset, part, r));
        offset += (parts * count * elementBytes(elems[k]) + 15) / 16 * 16;
      }
    }
  });
  barrier();
  for (int64_t r = 0; r < to.registers(); ++r) {
    Regs sum;
    for (int64_t p = 0; p < parts; ++p) {
      Regs item;
      int64_t offset = 0;
      for (size_t k = 0; k < elems.size(); ++k) {
        item.push_back(
            fromMemory(b.CreateLoad(memoryTypeOf(elems[k]), slot(static_cast<int64_t>(k), offset, i32(p), r)),
                       elems[k]));
        offset += (parts * count * elementBytes(elems[k]) + 15) / 16 * 16;
      }
      sum = p == 0 ? item : combine(sum, item);
    }
    out[r] = sum;
  }
  return out;
}

namespace {
/// `axis` as the operations keep it: -1 is all of them.
void axesOf(mlir::Type tile, uint32_t attribute, bool axes[2]) {
  const auto axis = static_cast<int32_t>(attribute);
  bool rank1 = mlir::cast<mlir::RankedTensorType>(tile).getRank() == 1;
  axes[0] = axis < 0 || (axis == 0 && !rank1);
  axes[1] = axis < 0 || axis == 1 || rank1;
}
} // namespace

void Emitter::emitReduce(pho::ReduceOp op) {
  mlir::Type tile = op.getValue().getType(), elem = elementOf(tile);
  Layout layout = layoutOf(tile);
  bool axes[2];
  axesOf(tile, op.getAxis(), axes);
  Reg identity = identityOf(op.getKind(), op.getIsUnsigned(), elem);
  Coords base = baseOf(layout);
  std::vector<Regs> items;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Coord off = layout.registerOffset(r);
    Reg v = regs(op.getValue())[r];
    if (Reg ok = inside(layout, {plus(base.i, off[0]), plus(base.j, off[1])}))
      v = b.CreateSelect(ok, v, identity);
    items.push_back({v});
  }
  Combine combine = [&](ArrayRef<Reg> x, ArrayRef<Reg> y) {
    return Regs{reductionOf(op.getKind(), op.getIsUnsigned(), x[0], y[0])};
  };
  std::vector<Regs> result =
      reduceAxes(layout, items, axes, {elem}, combine, op->hasAttr("phog.scratch") ? scratchOf(op) : 0);
  Regs out;
  for (Regs &r : result)
    out.push_back(r[0]);
  setRegs(op.getResult(), out);
}

// Pairs (value, position): the better value wins, of equals the lower position. A NaN is better than every
// number.
void Emitter::emitArgReduce(pho::ArgReduceOp op) {
  mlir::Type tile = op.getValue().getType(), elem = elementOf(tile);
  Layout layout = layoutOf(tile);
  bool axes[2];
  axesOf(tile, op.getAxis(), axes);
  const int axis = axes[0] ? 0 : 1;
  Reg identity = identityOf(op.getKind(), op.getIsUnsigned(), elem);
  Coords base = baseOf(layout);
  std::vector<Regs> items;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Coord off = layout.registerOffset(r);
    Coords at{plus(base.i, off[0]), plus(base.j, off[1])};
    Reg v = regs(op.getValue())[r], position = axis ? at.j : at.i;
    if (Reg ok = inside(layout, at)) {
      v = b.CreateSelect(ok, v, identity);
      position = b.CreateSelect(ok, position, i32(INT32_MAX));
    }
    items.push_back({v, position});
  }
  const bool isMax = op.getKind() == pho::ReduceKind::Max, isUnsigned = op.getIsUnsigned();
  Combine combine = [&](ArrayRef<Reg> x, ArrayRef<Reg> y) {
    Reg yBetter, same;
    if (x[0]->getType()->isFloatingPointTy()) {
      Reg xNan = b.CreateFCmpUNO(x[0], x[0]), yNan = b.CreateFCmpUNO(y[0], y[0]);
      Reg beats = isMax ? b.CreateFCmpOGT(y[0], x[0]) : b.CreateFCmpOLT(y[0], x[0]);
      yBetter = b.CreateOr(beats, b.CreateAnd(yNan, b.CreateNot(xNan)));
      same = b.CreateOr(b.CreateFCmpOEQ(x[0], y[0]), b.CreateAnd(xNan, yNan));
    } else {
      yBetter = b.CreateICmp(isMax ? (isUnsigned ? CmpInst::ICMP_UGT : CmpInst::ICMP_SGT)
                                   : (isUnsigned ? CmpInst::ICMP_ULT : CmpInst::ICMP_SLT),
                             y[0], x[0]);
      same = b.CreateICmpEQ(x[0], y[0]);
    }
    Reg takeY = b.CreateOr(yBetter, b.CreateAnd(same, b.CreateICmpSLT(y[1], x[1])));
    return Regs{b.CreateSelect(takeY, y[0], x[0]), b.CreateSelect(takeY, y[1], x[1])};
  };
  std::vector<Regs> result =
      reduceAxes(layout, items, axes, {elem, mlir::IntegerType::get(op.getContext(), 32)}, combine,
                 op->hasAttr("phog.scratch") ? scratchOf(op) : 0);
  Regs out;
  for (Regs &r : result)
    out.push_back(r[1]);
  setRegs(op, out);
}

// Through shared memory. Each of the tile's `lines` along the axis is cut into `segments`, a thread each: a
// thread scans its segment in place and leaves the total; after a barrier it folds the totals of the segments
// before its own into each of its elements.
void Emitter::emitScan(pho::ScanOp op) {
  mlir::Type tileType = op.getType(), elem = elementOf(tileType);
  Layout layout = layoutOf(tileType), from = layoutOf(op.getValue().getType());
  bool axes[2];
  axesOf(tileType, op.getAxis(), axes);
  const int axis = axes[0] ? 0 : 1;
  const int64_t length = layout.shape[axis], lines = layout.shape[1 - axis], threads = target.warps * 32,
                bytes = elementBytes(elem);
  int64_t segments = 1;
  while (lines * segments * 2 <= threads && segments * 2 <= length)
    segments *= 2;
  const int64_t each = (length + segments - 1) / segments,
                rounds = (lines * segments + threads - 1) / threads;
  SharedLayout s = scratchBuffer(layout.shape[0], layout.shape[1], bytes);
  const int64_t at = scratchOf(op), totalsAt = at + (s.sizeBytes() + 15) / 16 * 16;
  SharedTile tile{sharedAddress(at), s};
  Type *memory = memoryTypeOf(elem);
  Reg totals = sharedAddress(totalsAt);
  writeShared(tile, from, regs(op.getValue()), elem, {0, 0});
  barrier();
  auto element = [&](Reg line, Reg position) {
    return axis ? tileAddress(tile, line, position) : tileAddress(tile, position, line);
  };
  auto combined = [&](Reg x, Reg y) { return reductionOf(op.getKind(), op.getIsUnsigned(), x, y); };
  /// A loop of this thread alone over [low, high).
  auto loop = [&](Reg low, Reg high, Reg start, const std::function<Reg(Reg, Reg)> &step) -> Reg {
    BasicBlock *before = b.GetInsertBlock(), *head = newBlock("scan"), *body = newBlock("scan.body"),
               *done = newBlock("scan.done");
    b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *k = b.CreatePHI(b.getInt32Ty(), 2), *value = b.CreatePHI(start->getType(), 2);
    k->addIncoming(low, before);
    value->addIncoming(start, before);
    b.CreateCondBr(b.CreateICmpSLT(k, high), body, done);
    b.SetInsertPoint(body);
    Reg next = step(k, value);
    k->addIncoming(plus(k, 1), b.GetInsertBlock());
    value->addIncoming(next, b.GetInsertBlock());
    b.CreateBr(head);
    b.SetInsertPoint(done);
    return value;
  };
  struct Part {
    Reg active, line, segment, low, high;
  };
  auto part = [&](int64_t round) {
    Reg number = plus(thread, round * threads);
    Part p;
    p.line = b.CreateUDiv(number, i32(segments));
    p.segment = b.CreateURem(number, i32(segments));
    p.active = b.CreateICmpULT(p.line, i32(lines));
    p.low = b.CreateMul(p.segment, i32(each));
    p.high = b.CreateBinaryIntrinsic(Intrinsic::smin, plus(p.low, each), i32(length));
    return p;
  };
  auto load = [&](Reg address) { return fromMemory(b.CreateLoad(memory, address), elem); };
  for (int64_t round = 0; round < rounds; ++round) {
    Part p = part(round);
    when(p.active, [&] {
      when(b.CreateICmpSLT(p.low, p.high), [&] {
        Reg total = loop(plus(p.low, 1), p.high, load(element(p.line, p.low)), [&](Reg k, Reg sum) {
          Reg address = element(p.line, k);
          Reg next = combined(sum, load(address));
          b.CreateStore(toMemory(next, elem), address);
          return next;
        });
        b.CreateStore(
            toMemory(total, elem),
            b.CreateGEP(memory, totals, b.CreateAdd(b.CreateMul(p.line, i32(segments)), p.segment)));
      });
    });
  }
  barrier();
  if (segments > 1) {
    Part p = part(0); // segments fit the threads in one round
    Reg later = b.CreateAnd(p.active,
                            b.CreateAnd(b.CreateICmpUGT(p.segment, i32(0)), b.CreateICmpSLT(p.low, p.high)));
    when(later, [&] {
      auto total = [&](Reg k) {
        return load(b.CreateGEP(memory, totals, b.CreateAdd(b.CreateMul(p.line, i32(segments)), k)));
      };
      Reg prefix =
          loop(i32(1), p.segment, total(i32(0)), [&](Reg k, Reg sum) { return combined(sum, total(k)); });
      loop(p.low, p.high, i32(0), [&](Reg k, Reg nothing) {
        Reg address = element(p.line, k);
        b.CreateStore(toMemory(combined(prefix, load(address)), elem), address);
        return nothing;
      });
    });
    barrier();
  }
  setRegs(op, readShared(tile, layout, elem, {0, 0}));
}

} // namespace phobos::nvptx
