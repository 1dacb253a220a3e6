// Loads and stores of slices of tensors. Whole tiles go without masks, in the widest accesses
// that layout and alignment allow; tiles that leave the tensor go element by element, each under its own
// condition. Which of the two is a test of the tile's corner at run time.
#include "compiler/target/nvptx/Access.h"
#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/Multiple.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace phobos::nvptx {

Emitter::Access Emitter::accessOf(mlir::Value view, mlir::ValueRange starts, mlir::ValueRange extents,
                                  ArrayRef<int64_t> sizes, ArrayRef<bool> points, ArrayRef<bool> inBounds,
                                  mlir::Type tile) {
  const TensorView &v = views.at(view);
  Access a;
  a.bytes = elementBytes(mlir::cast<pho::ViewType>(view.getType()).getElementType());
  const size_t rank = sizes.size();
  size_t kept = llvm::count(points, false);
  size_t next = kept == 2 ? 0 : 1; // a rank-1 tile is one row
  Reg offset = i64(0);
  for (size_t axis = 0; axis < rank; ++axis) {
    Reg start = scalar(starts[axis]);
    offset = b.CreateAdd(offset, b.CreateMul(start, v.strides[axis]));
    if (points[axis]) {
      if (!inBounds[axis])
        a.pointsInside = andOf(a.pointsInside, b.CreateICmpULT(start, scalar(extents[axis])));
      continue;
    }
    a.stride[next] = v.strides[axis];
    a.step[next] = v.steps.empty() ? nullptr : v.steps[axis];
    if (!inBounds[axis]) {
      a.start[next] = start;
      a.extent[next] = scalar(extents[axis]);
      Reg last = b.CreateSub(a.extent[next], i64(sizes[axis]));
      a.whole = andOf(a.whole, b.CreateAnd(b.CreateICmpSGE(start, i64(0)), b.CreateICmpSLE(start, last)));
    }
    // Neighbours along j are neighbours in memory only along the last axis.
    if (next == 1 && axis + 1 == rank && target.aligned)
      a.runMultiple = std::min(16 / a.bytes, multipleOf(starts[axis]));
    ++next;
  }
  a.whole = andOf(a.whole, a.pointsInside);
  a.base = b.CreateGEP(b.getInt8Ty(), v.data, b.CreateMul(offset, i64(a.bytes)));
  return a;
}

Reg Emitter::insideOf(const Access &a, int axis, Reg coordinate) {
  if (!a.start[axis])
    return nullptr;
  return b.CreateICmpULT(b.CreateAdd(a.start[axis], b.CreateSExt(coordinate, b.getInt64Ty())),
                         a.extent[axis]);
}

// Cut to 32 bits behind a move: the optimiser would write zext(trunc(x)) as a mask of 64 bits and multiply in
// 64 bits after all.
Reg Emitter::narrowStep(Reg stride, int64_t bytes) {
  if (isa<ConstantInt>(stride))
    return i64(bytes);
  auto *fn = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
  CallInst *cut = b.CreateCall(InlineAsm::get(fn, "mov.b32 $0, $1;", "=r,r", false),
                               {b.CreateTrunc(b.CreateMul(stride, i64(bytes)), b.getInt32Ty())});
  cut->setDoesNotAccessMemory();
  cut->setDoesNotThrow();
  return b.CreateZExt(cut, b.getInt64Ty());
}

// A narrow step is one multiplication of 32-bit numbers that adds to a 64-bit address (mad.wide.u32).
Reg Emitter::stepsOf(const Access &a, int axis, Reg coordinate) {
  if (a.step[axis])
    return b.CreateMul(b.CreateZExt(coordinate, b.getInt64Ty()), a.step[axis], "", true);
  return b.CreateMul(b.CreateSExt(coordinate, b.getInt64Ty()), b.CreateMul(a.stride[axis], i64(a.bytes)));
}

// The thread's own corner plus a register's constant offset: what depends on the register alone is the same
// for all loop iterations.
Reg Emitter::addressOf(const Access &a, Reg i, Reg j) {
  Reg offset = nullptr;
  for (auto [axis, coordinate] : {std::pair{0, i}, std::pair{1, j}}) {
    if (!a.stride[axis])
      continue;
    Reg term = stepsOf(a, axis, coordinate);
    offset = offset ? b.CreateAdd(offset, term) : term;
  }
  return offset ? b.CreateGEP(b.getInt8Ty(), a.base, offset) : a.base;
}

namespace {
/// Register class and PTX type of a value as memory holds it.
struct AsmType {
  const char *constraint, *ptx;
  unsigned bits;
};
AsmType asmTypeOf(Type *t) {
  switch (t->getPrimitiveSizeInBits().getFixedValue()) {
  case 8:
    return {"h", "b8", 16};
  case 16:
    return {"h", "b16", 16};
  case 32:
    return {"r", "b32", 32};
  default:
    return {"l", "b64", 64};
  }
}
} // namespace

Reg Emitter::predicatedLoad(Reg predicate, Reg address, Type *type, Reg fallback) {
  if (!predicate)
    return b.CreateLoad(type, address);
  AsmType a = asmTypeOf(type);
  Type *wide = b.getIntNTy(a.bits),
       *narrow = b.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue()));
  std::string text = "mov.b" + std::to_string(a.bits) + " $0, $3;\n\t@$1 ld.global." + a.ptx + " $0, [$2];";
  std::string constraints = std::string("=") + a.constraint + ",b,l," + a.constraint;
  auto *fn = FunctionType::get(wide, {b.getInt1Ty(), address->getType(), wide}, false);
  Reg value = b.CreateCall(InlineAsm::get(fn, text, constraints + ",~{memory}", true),
                           {predicate, address, b.CreateZExt(b.CreateBitCast(fallback, narrow), wide)});
  return b.CreateBitCast(b.CreateTrunc(value, narrow), type);
}

void Emitter::predicatedStore(Reg predicate, Reg address, Reg value) {
  if (!predicate) {
    b.CreateStore(value, address);
    return;
  }
  AsmType a = asmTypeOf(value->getType());
  Type *wide = b.getIntNTy(a.bits),
       *narrow =
           b.getIntNTy(static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits().getFixedValue()));
  auto *fn = FunctionType::get(b.getVoidTy(), {b.getInt1Ty(), address->getType(), wide}, false);
  b.CreateCall(InlineAsm::get(fn, std::string("@$0 st.global.") + a.ptx + " [$1], $2;",
                              std::string("b,l,") + a.constraint + ",~{memory}", true),
               {predicate, address, b.CreateZExt(b.CreateBitCast(value, narrow), wide)});
}

// Offset `off` from coordinate `first` of the slice is inside the tensor if 0 <= start + first + off <
// extent, that is low <= off < high with low = -(start + first) and high = extent + low. Offsets are below
// 2^30, so both may be cut to 2^30 either way, and the test is one of 32 bits: off - low < high - low,
// unsigned.
Emitter::Bounds Emitter::boundsOf(const Access &a, int axis, Reg first) {
  if (!a.start[axis])
    return {};
  Reg low = b.CreateNeg(b.CreateAdd(a.start[axis], b.CreateSExt(first, b.getInt64Ty())));
  Reg high = b.CreateAdd(low, a.extent[axis]);
  auto cut = [&](Reg v) {
    v = b.CreateBinaryIntrinsic(Intrinsic::smax, v, i64(-(int64_t(1) << 30)));
    v = b.CreateBinaryIntrinsic(Intrinsic::smin, v, i64(int64_t(1) << 30));
    return b.CreateTrunc(v, b.getInt32Ty());
  };
  low = cut(low);
  // Of each access its own: or the tests of a load's elements would be kept for the store of the result, in
  // more registers than the tile has.
  return {opaque(b.CreateNeg(low)), opaque(b.CreateSub(cut(high), low))};
}

Reg Emitter::opaque(Reg v) {
  const bool isWide = v->getType()->isIntegerTy(64);
  auto *fn = FunctionType::get(v->getType(), {v->getType()}, false);
  return b.CreateCall(InlineAsm::get(fn, isWide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
                                     isWide                      ? "=l,l"
                                     : v->getType()->isFloatTy() ? "=f,f"
                                                                 : "=r,r",
                                     true),
                      {v});
}

Reg Emitter::isInside(const Bounds &bounds, int64_t off) {
  return bounds.span ? b.CreateICmpULT(plus(bounds.first, off), bounds.span) : nullptr;
}

// A row's distance from the corner does not depend on the iteration: a loop would keep each of them in two
// registers.
Emitter::Access Emitter::withOwnSteps(Access a) {
  for (int axis = 0; axis < 2 && target.passesRegisters(); ++axis) {
    if (Reg step = a.step[axis]; step && !isa<Constant>(step))
      a.step[axis] = b.CreateZExt(opaque(b.CreateTrunc(step, b.getInt32Ty())), b.getInt64Ty());
    else if (Reg stride = a.stride[axis]; stride && !isa<Constant>(stride))
      a.stride[axis] = opaque(stride);
  }
  return a;
}

// Everything is the thread's own corner plus what the register adds, a constant along the last axis.
Regs Emitter::loadTile(const Access &a, const Layout &layout, const Coord &part, Type *memory, Reg fill,
                       bool isWhole) {
  Coords base = baseOf(layout);
  Regs out(layout.registers());
  const Access fromCorner = withOwnSteps({.base = addressOf(a, base.i, base.j),
                                          .stride = {a.stride[0], a.stride[1]},
                                          .step = {a.step[0], a.step[1]},
                                          .bytes = a.bytes});
  auto offsetOfRegister = [&](int64_t r) {
    Coord off = layout.registerOffset(r);
    return Coord{off[0] + part[0], off[1] + part[1]};
  };
  if (!isWhole) {
    const Bounds rows = boundsOf(a, 0, base.i), cols = boundsOf(a, 1, base.j);
    for (int64_t r = 0; r < layout.registers(); ++r) {
      Coord off = offsetOfRegister(r);
      Reg ok = andOf(andOf(a.pointsInside, inside(layout, {plus(base.i, off[0]), plus(base.j, off[1])})),
                     andOf(isInside(rows, off[0]), isInside(cols, off[1])));
      out[r] = predicatedLoad(ok, addressOf(fromCorner, i32(off[0]), i32(off[1])), memory, fill);
    }
    return out;
  }
  const int64_t width = std::min(layout.vectorWidth(a.runMultiple), a.runMultiple);
  // Padding reads the last element (or run) of the tile instead: it is there, and nobody looks.
  auto clamp = [&](Reg at, int axis, int64_t last) {
    return layout.isPadded(axis) ? b.CreateBinaryIntrinsic(Intrinsic::umin, at, i32(last)) : at;
  };
  for (int64_t r = 0; r < layout.registers(); r += width) {
    Coord off = offsetOfRegister(r);
    Reg address;
    if (layout.isPadded(0) || layout.isPadded(1))
      address = addressOf(a, clamp(plus(base.i, off[0]), 0, layout.shape[0] - 1),
                          clamp(plus(base.j, off[1]), 1, layout.shape[1] - width));
    else
      address = addressOf(fromCorner, i32(off[0]), i32(off[1]));
    if (width == 1) {
      out[r] = b.CreateAlignedLoad(memory, address, Align(a.bytes));
      continue;
    }
    Reg v = b.CreateAlignedLoad(FixedVectorType::get(memory, static_cast<unsigned>(width)), address,
                                Align(static_cast<uint64_t>(width * a.bytes)));
    for (int64_t k = 0; k < width; ++k)
      out[r + k] = b.CreateExtractElement(v, static_cast<uint64_t>(k));
  }
  return out;
}

Emitter::Access Emitter::accessOf(pho::LoadOp op) {
  return accessOf(op.getView(), op.getStarts(), op.getExtents(), op.getSizes(), op.getPoints(),
                  op.getInBounds(), op.getType());
}

void Emitter::emitLoad(pho::LoadOp op) {
  if (goesToShared(op))
    return;
  mlir::Type elem = elementOf(op.getType());
  Type *memory = memoryTypeOf(elem);
  Access a = accessOf(op);
  Reg fill = op.getFill() ? toMemory(scalar(op.getFill()), elem) : Constant::getNullValue(memory);
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(op.getType());
  if (!tile) {
    Regs r = either(a.whole, [&] { return Regs{b.CreateLoad(memory, a.base)}; }, [&] { return Regs{fill}; });
    return setRegs(op, {fromMemory(r[0], elem)});
  }
  Layout layout = layoutOf(tile);
  auto load = [&](bool isWhole) { return packed(loadTile(a, layout, {0, 0}, memory, fill, isWhole)); };
  Regs out = either(a.whole, [&] { return load(true); }, [&] { return load(false); });
  out = unpacked(out, Regs(layout.registers(), fill));
  for (Reg &r : out)
    r = fromMemory(r, elem);
  setRegs(op, out);
}

void Emitter::emitStore(pho::StoreOp op) {
  mlir::Type elem = elementOf(op.getValue().getType());
  Access a = accessOf(op.getView(), op.getStarts(), op.getExtents(), op.getSizes(), op.getPoints(),
                      op.getInBounds(), op.getValue().getType());
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(op.getValue().getType());
  if (!tile) {
    Reg ok = a.whole;
    if (op.getMask())
      ok = andOf(ok, scalar(op.getMask()));
    if (op.getOnce())
      ok = andOf(ok, b.CreateICmpEQ(thread, i32(0)));
    return when(ok, [&] { b.CreateStore(toMemory(scalar(op.getValue()), elem), a.base); });
  }
  Layout layout = layoutOf(tile);
  Coords base = baseOf(layout);
  Regs value = regs(op.getValue());
  if (returnTo) // a persistent block's round: what was narrowed would wait in a register each
    value = unpacked(packed(value), value);
  Regs mask = op.getMask() ? regs(op.getMask()) : Regs();
  int64_t width = mask.empty() ? std::min(layout.vectorWidth(a.runMultiple), a.runMultiple) : 1;
  auto whole = [&] {
    Reg corner = addressOf(a, base.i, base.j);
    for (int64_t r = 0; r < layout.registers(); r += width) {
      Coord off = layout.registerOffset(r);
      Coords at{plus(base.i, off[0]), plus(base.j, off[1])};
      Reg ok = inside(layout, at);
      if (!mask.empty())
        ok = andOf(ok, mask[r]);
      Reg address = addressOf({.base = corner,
                               .stride = {a.stride[0], a.stride[1]},
                               .step = {a.step[0], a.step[1]},
                               .bytes = a.bytes},
                              i32(off[0]), i32(off[1]));
      if (width == 1) {
        predicatedStore(ok, address, toMemory(value[r], elem));
        continue;
      }
      Reg v = PoisonValue::get(FixedVectorType::get(memoryTypeOf(elem), static_cast<unsigned>(width)));
      for (int64_t k = 0; k < width; ++k)
        v = b.CreateInsertElement(v, toMemory(value[r + k], elem), static_cast<uint64_t>(k));
      when(ok, [&] { b.CreateAlignedStore(v, address, Align(static_cast<uint64_t>(width * a.bytes))); });
    }
    return Regs();
  };
  auto edge = [&] {
    const Access fromCorner{.base = addressOf(a, base.i, base.j),
                            .stride = {a.stride[0], a.stride[1]},
                            .step = {a.step[0], a.step[1]},
                            .bytes = a.bytes};
    const Bounds rows = boundsOf(a, 0, base.i), cols = boundsOf(a, 1, base.j);
    for (int64_t r = 0; r < layout.registers(); ++r) {
      Coord off = layout.registerOffset(r);
      Reg ok = andOf(andOf(a.pointsInside, inside(layout, {plus(base.i, off[0]), plus(base.j, off[1])})),
                     andOf(isInside(rows, off[0]), isInside(cols, off[1])));
      if (!mask.empty())
        ok = andOf(ok, mask[r]);
      predicatedStore(ok, addressOf(fromCorner, i32(off[0]), i32(off[1])), toMemory(value[r], elem));
    }
    return Regs();
  };
  when(isFirstCopy(layout), [&] { either(a.whole, whole, edge); });
}

} // namespace phobos::nvptx
