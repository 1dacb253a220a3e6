// Tiles that move: between layouts, into other shapes, as parts of each other. By register moves where a
// thread has what it needs, else all write what they hold to shared memory, meet at a barrier, and read what
// they need.
#include "compiler/target/nvptx/Access.h"
#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/SharedTile.h"

using namespace llvm;

namespace phobos::nvptx {

int64_t Emitter::scratchOf(mlir::Operation *op) {
  auto attr = op->getAttrOfType<mlir::IntegerAttr>("phog.scratch");
  assert(attr && "allocateShared gives every operation that needs it its scratch");
  return attr ? attr.getInt() : 0;
}

// ptxas gives each narrow value a register of its own. The optimiser must not see through: it would make two
// values of a word that goes from block to block.
Regs Emitter::packed(const Regs &r) {
  const auto bits = static_cast<unsigned>(r[0]->getType()->getPrimitiveSizeInBits().getFixedValue());
  const unsigned each = bits ? 32 / bits : 1;
  if (!(target.passesRegisters() || target.packsLoads) || bits < 8 || each < 2 || r.size() % each != 0)
    return r;
  Type *part = b.getIntNTy(bits);
  Regs words;
  for (size_t k = 0; k < r.size(); k += each) {
    Reg v = PoisonValue::get(FixedVectorType::get(part, each));
    for (unsigned e = 0; e < each; ++e)
      v = b.CreateInsertElement(v, b.CreateBitCast(r[k + e], part), static_cast<uint64_t>(e));
    words.push_back(opaque(b.CreateBitCast(v, b.getInt32Ty())));
  }
  return words;
}

Regs Emitter::unpacked(const Regs &words, const Regs &like) {
  const auto each = static_cast<unsigned>(like.size() / words.size());
  if (each < 2)
    return words;
  Regs r;
  for (Reg word : words) {
    Reg v = b.CreateBitCast(word, FixedVectorType::get(b.getIntNTy(32 / each), each));
    for (unsigned e = 0; e < each; ++e)
      r.push_back(b.CreateBitCast(b.CreateExtractElement(v, static_cast<uint64_t>(e)), like[0]->getType()));
  }
  return r;
}

Reg Emitter::sharedAddress(int64_t offset) {
  return offset ? b.CreateConstGEP1_64(b.getInt8Ty(), shared, static_cast<uint64_t>(offset)) : shared;
}

// Row i, byte j * bytes of it, 16-byte chunks permuted by the row. Written so that what depends on the thread
// alone is computed once: for rows that differ by a multiple of the permutation's period the exclusive-or is
// the same.
Reg Emitter::tileAddress(const SharedTile &t, Reg i, Reg j) {
  const SharedLayout &s = t.layout;
  Reg byte = b.CreateMul(j, i32(s.elementBytes), "", true, true);
  Reg base = t.base;
  if (s.panels() > 1) {
    base = b.CreateGEP(
        b.getInt8Ty(), base,
        b.CreateMul(b.CreateUDiv(byte, i32(s.pitchBytes)), i32(s.rows * s.pitchBytes), "", true, true));
    byte = b.CreateURem(byte, i32(s.pitchBytes));
  }
  if (s.mask)
    byte = b.CreateXor(byte, b.CreateShl(b.CreateAnd(b.CreateUDiv(i, i32(s.rowsPerStep)), i32(s.mask)), 4));
  Reg offset = b.CreateAdd(b.CreateMul(i, i32(s.pitchBytes), "", true, true), byte, "", true, true);
  return b.CreateGEP(b.getInt8Ty(), base, offset);
}

namespace {
/// Elements of a run that one access of shared memory can take.
int64_t sharedWidth(const Layout &layout, const SharedLayout &s, Coord offset) {
  int64_t width = layout.vectorWidth(16 / s.elementBytes);
  while (width > 1 && (s.pitchBytes % (width * s.elementBytes) != 0 || offset[1] % width != 0))
    width /= 2;
  return width;
}
} // namespace

void Emitter::writeShared(const SharedTile &to, const Layout &layout, ArrayRef<Reg> value, mlir::Type elem,
                          Coord offset, Coords base) {
  if (!base.i)
    base = baseOf(layout);
  Type *memory = memoryTypeOf(elem);
  int64_t width = sharedWidth(layout, to.layout, offset);
  when(isFirstCopy(layout), [&] {
    for (int64_t r = 0; r < layout.registers(); r += width) {
      Coord off = layout.registerOffset(r);
      Coords at{plus(base.i, off[0]), plus(base.j, off[1])};
      Reg address = tileAddress(to, plus(at.i, offset[0]), plus(at.j, offset[1]));
      Reg v = toMemory(value[r], elem);
      if (width > 1) {
        v = PoisonValue::get(FixedVectorType::get(memory, static_cast<unsigned>(width)));
        for (int64_t k = 0; k < width; ++k)
          v = b.CreateInsertElement(v, toMemory(value[r + k], elem), static_cast<uint64_t>(k));
      }
      when(inside(layout, at), [&] {
        b.CreateAlignedStore(v, address, Align(static_cast<uint64_t>(width * to.layout.elementBytes)));
      });
    }
  });
}

Regs Emitter::readShared(const SharedTile &from, const Layout &layout, mlir::Type elem, Coord offset) {
  Coords base = baseOf(layout);
  Type *memory = memoryTypeOf(elem);
  int64_t width = sharedWidth(layout, from.layout, offset);
  Regs out(layout.registers());
  for (int64_t r = 0; r < layout.registers(); r += width) {
    Coord off = layout.registerOffset(r);
    Coords at{plus(base.i, off[0]), plus(base.j, off[1])};
    Reg address = tileAddress(from, plus(at.i, offset[0]), plus(at.j, offset[1]));
    if (Reg ok = inside(layout, at))
      address = b.CreateSelect(ok, address, from.base);
    if (width == 1) {
      out[r] = fromMemory(b.CreateAlignedLoad(memory, address, Align(from.layout.elementBytes)), elem);
      continue;
    }
    Reg v = b.CreateAlignedLoad(FixedVectorType::get(memory, static_cast<unsigned>(width)), address,
                                Align(static_cast<uint64_t>(width * from.layout.elementBytes)));
    for (int64_t k = 0; k < width; ++k)
      out[r + k] = fromMemory(b.CreateExtractElement(v, static_cast<uint64_t>(k)), elem);
  }
  return out;
}

void Emitter::emitConvert(phog::ConvertOp op) {
  Layout from = layoutOf(op.getValue().getType()), to = layoutOf(op.getType());
  Regs value = regs(op.getValue()), out;
  if (auto map = registerMap(from, to)) {
    for (int64_t r : *map)
      out.push_back(value[r]);
    return setRegs(op, out);
  }
  mlir::Type elem = elementOf(op.getType());
  SharedLayout s = scratchBuffer(to.shape[0], to.shape[1], elementBytes(elem));
  int64_t at = scratchOf(op);
  SharedTile tile{sharedAddress(at), s};
  writeShared(tile, from, value, elem, {0, 0});
  barrier();
  setRegs(op, readShared(tile, to, elem, {0, 0}));
}

// Row-major order is kept: element (i, j) of C columns is number i C + j, which both sides use as the
// address.
void Emitter::emitReshape(pho::ReshapeOp op) {
  Layout from = layoutOf(op.getValue().getType()), to = layoutOf(op.getType());
  Regs value = regs(op.getValue());
  if (from.shape == to.shape) {
    auto map = registerMap(from, to);
    assert(map && "one class, one layout");
    Regs out;
    for (int64_t r : *map)
      out.push_back(value[r]);
    return setRegs(op, out);
  }
  mlir::Type elem = elementOf(op.getType());
  int64_t bytes = elementBytes(elem), at = scratchOf(op);
  Reg base = sharedAddress(at);
  writeShared({base, {from.shape[0], from.shape[1], bytes, from.shape[1] * bytes, 1, 0}}, from, value, elem,
              {0, 0});
  barrier();
  setRegs(op,
          readShared({base, {to.shape[0], to.shape[1], bytes, to.shape[1] * bytes, 1, 0}}, to, elem, {0, 0}));
}

// A part of a tile, a tile with a part replaced, two tiles side by side: the pieces are written where they
// belong, and the result is read where it lies.
void Emitter::emitPieces(mlir::Operation *op) {
  mlir::Type elem = elementOf(op->getResult(0).getType());
  auto offsets2 = [](ArrayRef<int64_t> o) { return o.size() == 2 ? Coord{o[0], o[1]} : Coord{0, o[0]}; };
  Layout to = layoutOf(op->getResult(0).getType());
  Coord whole = to.shape, readAt{0, 0};
  struct Piece {
    mlir::Value value;
    Coord at;
  };
  SmallVector<Piece> first, second; // `second` overwrites `first`
  if (auto o = mlir::dyn_cast<pho::ExtractSliceOp>(op)) {
    whole = shapeOf(o.getValue().getType());
    readAt = offsets2(o.getOffsets());
    first.push_back({o.getValue(), {0, 0}});
  } else if (auto i = mlir::dyn_cast<pho::InsertSliceOp>(op)) {
    first.push_back({i.getTile(), {0, 0}});
    second.push_back({i.getValue(), offsets2(i.getOffsets())});
  } else {
    auto c = mlir::cast<pho::CatOp>(op);
    Coord lhs = shapeOf(c.getLhs().getType());
    bool alongRows =
        c.getAxis() == 0 && mlir::cast<mlir::RankedTensorType>(c.getLhs().getType()).getRank() == 2;
    first.push_back({c.getLhs(), {0, 0}});
    first.push_back({c.getRhs(), alongRows ? Coord{lhs[0], 0} : Coord{0, lhs[1]}});
  }
  SharedLayout s = scratchBuffer(whole[0], whole[1], elementBytes(elem));
  int64_t at = scratchOf(op);
  SharedTile tile{sharedAddress(at), s};
  for (const Piece &p : first)
    writeShared(tile, layoutOf(p.value.getType()), regs(p.value), elem, p.at);
  barrier();
  if (!second.empty()) {
    for (const Piece &p : second)
      writeShared(tile, layoutOf(p.value.getType()), regs(p.value), elem, p.at);
    barrier();
  }
  setRegs(op->getResult(0), readShared(tile, to, elem, readAt));
}

void Emitter::emitExtract(pho::ExtractOp op) {
  Layout from = layoutOf(op.getValue().getType());
  Regs value = regs(op.getValue());
  ArrayRef<int64_t> o = op.getOffsets();
  Coord at = o.size() == 2 ? Coord{o[0], o[1]} : Coord{0, o.empty() ? 0 : o[0]};
  if (from.isUniform()) {
    for (int64_t r = 0; r < from.registers(); ++r)
      if (from.registerOffset(r) == at)
        return setRegs(op, {value[r]});
  }
  mlir::Type elem = elementOf(op.getType());
  Reg slot = sharedAddress(scratchOf(op));
  Coords base = baseOf(from);
  for (int64_t r = 0; r < from.registers(); ++r) {
    Coord off = from.registerOffset(r);
    if (off[0] > at[0] || off[1] > at[1])
      continue;
    Reg mine =
        b.CreateAnd(b.CreateICmpEQ(base.i, i32(at[0] - off[0])), b.CreateICmpEQ(base.j, i32(at[1] - off[1])));
    when(andOf(mine, isFirstCopy(from)), [&] { b.CreateStore(toMemory(value[r], elem), slot); });
  }
  barrier();
  setRegs(op, {fromMemory(b.CreateLoad(memoryTypeOf(elem), slot), elem)});
}

namespace {
/// The fastest registers of a layout, at most `most` of them; the others are these, moved by the offsets of
/// `rest`.
Layout partOf(const Layout &layout, int64_t most, Modes &rest) {
  Layout part{layout.shape, {}, layout.lane, layout.warp};
  for (const Mode &m : layout.reg) {
    int64_t size = rest.empty() ? std::min(m.size, most / part.registers()) : 1;
    while (m.size % size != 0)
      --size;
    if (size > 1)
      part.reg.push_back({size, m.stride, m.axis});
    if (size < m.size)
      rest.push_back({m.size / size, m.stride * size, m.axis});
  }
  return part;
}
} // namespace

// A tile on its way from global to shared memory passes through sixteen registers at a time: the sums of a
// product, which live meanwhile, leave no room for more. Loads of one element each need an address or a
// condition beside it: there it is eight.
void Emitter::emitStoreShared(phog::StoreSharedOp op) {
  auto buffer = op.getBuffer().getDefiningOp<phog::AllocOp>();
  SharedTile tile{sharedAddress(static_cast<int64_t>(buffer.getOffset().value_or(0))),
                  sharedLayoutOf(buffer.getType())};
  mlir::Type elem = elementOf(op.getValue().getType());
  Layout layout = layoutOf(op.getValue().getType());
  auto load = op.getValue().getDefiningOp<pho::LoadOp>();
  if (!load || !goesToShared(load))
    return writeShared(tile, layout, regs(op.getValue()), elem, {0, 0});
  Type *memory = memoryTypeOf(elem);
  Access a = accessOf(load);
  Reg fill = load.getFill() ? toMemory(scalar(load.getFill()), elem) : Constant::getNullValue(memory);
  Modes rest;
  Layout part = partOf(layout, target.aligned ? 16 : 8, rest);
  auto all = [&](bool isWhole) {
    const Coords base = baseOf(part), own{ownAddresses(base.i), ownAddresses(base.j)};
    for (int64_t n = 0; n < sizeOf(rest); ++n) {
      Coord at = offsetOf(rest, n);
      Regs loaded = loadTile(a, part, at, memory, fill, isWhole);
      for (Reg &r : loaded)
        r = fromMemory(r, elem);
      writeShared(tile, part, loaded, elem, at, own);
    }
    return Regs();
  };
  either(a.whole, [&] { return all(true); }, [&] { return all(false); });
}

} // namespace phobos::nvptx
