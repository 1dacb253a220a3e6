// Products. `simt`: each thread has a grid of accumulators, rows x columns, and per k reads one column piece
// of A and one row piece of B. `mma`: each warp has a grid of 16 x 8 blocks; fragments come from shared
// memory by ldmatrix where the buffer's order allows, else element by element.
#include "compiler/target/nvptx/DotPlan.h"
#include "compiler/target/nvptx/SharedTile.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include <set>

using namespace llvm;

namespace phobos::nvptx {

namespace {

/// The distinct register offsets along one axis, ascending: the register grid is their product.
std::vector<int64_t> offsetsAlong(const Layout &layout, int axis) {
  std::set<int64_t> all;
  for (int64_t r = 0; r < layout.registers(); ++r)
    all.insert(layout.registerOffset(r)[axis]);
  return {all.begin(), all.end()};
}

/// How many neighbours along `axis` a thread holds from each multiple of it on.
int64_t runAlong(const Layout &layout, int axis, int64_t limit) {
  Layout line = axis == 1 ? slice(layout, 0) : transposed(slice(layout, 1));
  line.shape[1] = line.extent(1);
  return line.vectorWidth(limit);
}

} // namespace

void Emitter::emitDot(phog::DotOp op) {
  setRegs(op, op.getPath() == "wgmma" ? emitWgmma(op) : op.getPath() == "mma" ? emitMma(op) : emitFma(op));
}

namespace {
struct Operand {
  phog::AllocOp alloc;
  SharedLayout layout;
  mlir::Type elem;
};
Operand operandOf(mlir::Value v) {
  auto type = mlir::cast<phog::BufferType>(v.getType());
  return {v.getDefiningOp<phog::AllocOp>(), sharedLayoutOf(type), type.getElementType()};
}
} // namespace

// Addresses of a swizzled tile have no common base, so a loop around a product would keep each of them in a
// register. Where operands pass through registers there is no room for them: they are computed for each
// step anew.
Reg Emitter::ownAddresses(Reg v) { return target.passesRegisters() ? opaque(v) : v; }

// acc(i, j) += A(i, k) B(k, j). An operand that is contiguous along k is read `along` k elements at a time
// for each row (column); one that is contiguous along the free axis in runs of neighbours for each k.
Regs Emitter::emitFma(phog::DotOp op) {
  Layout layout = layoutOf(op.getAcc().getType());
  Regs acc = regs(op.getAcc());
  mlir::Type accElem = elementOf(op.getAcc().getType());
  Coords base = baseOf(layout);
  std::map<Coord, int64_t> registerAt;
  for (int64_t r = 0; r < layout.registers(); ++r)
    registerAt.try_emplace(layout.registerOffset(r), r);
  const int64_t K = static_cast<int64_t>(op.getK());

  struct Side {
    SharedTile tile;
    mlir::Type elem;
    bool alongK;
    int axis;
    Reg first; ///< the thread's base coordinate along `axis`
    std::vector<int64_t> offsets;
    int64_t width;
  };
  auto side = [&](mlir::Value v, mlir::Value stage, bool alongK, int axis) {
    Operand o = operandOf(v);
    Side s{{sharedAddress(static_cast<int64_t>(o.alloc.getOffset().value_or(0))), o.layout},
           o.elem,
           alongK,
           axis,
           ownAddresses(axis ? base.j : base.i),
           offsetsAlong(layout, axis),
           1};
    if (stage)
      s.tile.base = b.CreateGEP(b.getInt8Ty(), s.tile.base,
                                b.CreateMul(b.CreateTrunc(scalar(stage), b.getInt32Ty()),
                                            i32(o.layout.sizeBytes()), "", true, true));
    int64_t most = std::max<int64_t>(1, 16 / o.layout.elementBytes);
    if (!alongK)
      s.width = runAlong(layout, axis, most);
    else
      while (s.width * 2 <= most && K % (s.width * 2) == 0)
        s.width *= 2;
    return s;
  };
  Side a = side(op.getA(), op.getStageA(), !op.getTransA(), 0),
       c = side(op.getB(), op.getStageB(), op.getTransB(), 1);
  const int64_t step = std::max(a.alongK ? a.width : 1, c.alongK ? c.width : 1);
  const bool isFloat = mlir::isa<mlir::FloatType>(accElem);

  auto widen = [&](Reg v, mlir::Type elem) -> Reg {
    v = fromMemory(v, elem);
    if (elem == accElem)
      return v;
    if (isFloat) {
      ScalarType from = elem.isF16()                            ? ScalarType::F16
                        : elem.isBF16()                         ? ScalarType::BF16
                        : mlir::isa<mlir::Float8E5M2Type>(elem) ? ScalarType::F8E5M2
                                                                : ScalarType::F8E4M3;
      return target::emitConvert(b, v, from, ScalarType::F32, scalarTarget);
    }
    return op.getIsUnsigned() || elem.isInteger(1) ? b.CreateZExt(v, typeOf(accElem))
                                                   : b.CreateSExt(v, typeOf(accElem));
  };
  // Bytes are widened where they are multiplied, and what does not lie along k is read there: a whole step's
  // would be many times the registers. So is a side of many narrow floats.
  const bool isLate = !isFloat && a.elem != accElem;
  auto isReadDue = [&](const Side &s) {
    constexpr int64_t kMany = 128;
    return !s.alongK &&
           (isLate || (s.elem != accElem && step * static_cast<int64_t>(s.offsets.size()) > kMany));
  };
  struct Piece {
    Reg v;        ///< as it is multiplied; or a run as it was read,
    int64_t at{}; ///< and which of its elements
  };
  // Fragments for k in [kBase + k0, kBase + k0 + count): pieces[offset index][k].
  auto fragment = [&](const Side &s, Reg kBase, int64_t k0, int64_t count) {
    std::vector<std::vector<Piece>> pieces(s.offsets.size(), std::vector<Piece>(count));
    Type *memory = memoryTypeOf(s.elem);
    auto readRun = [&](Reg row, Reg col) -> Reg {
      Type *t = s.width == 1 ? memory : FixedVectorType::get(memory, static_cast<unsigned>(s.width));
      return b.CreateAlignedLoad(t, tileAddress(s.tile, row, col),
                                 Align(static_cast<uint64_t>(s.width * s.tile.layout.elementBytes)));
    };
    auto element = [&](Reg v, int64_t k) {
      return isLate         ? Piece{v, k}
             : s.width == 1 ? Piece{widen(v, s.elem)}
                            : Piece{widen(b.CreateExtractElement(v, static_cast<uint64_t>(k)), s.elem)};
    };
    if (s.alongK) {
      for (size_t n = 0; n < s.offsets.size(); ++n)
        for (int64_t k = 0; k < count; k += s.width) {
          Reg v = readRun(plus(s.first, s.offsets[n]), plus(kBase, k0 + k));
          for (int64_t e = 0; e < s.width; ++e)
            pieces[n][k + e] = element(v, e);
        }
    } else {
      for (int64_t k = 0; k < count; ++k)
        for (size_t n = 0; n < s.offsets.size(); n += s.width) {
          Reg v = readRun(plus(kBase, k0 + k), plus(s.first, s.offsets[n]));
          for (int64_t e = 0; e < s.width; ++e)
            pieces[n + e][k] = element(v, e);
        }
    }
    return pieces;
  };
  auto steps = [&](Regs sums, Reg kBase, int64_t first, int64_t last) {
    for (int64_t k0 = first; k0 < last; k0 += step) {
      auto ahead = [&](const Side &s) {
        return isReadDue(s) ? std::vector<std::vector<Piece>>() : fragment(s, kBase, k0, step);
      };
      auto av = ahead(a), cv = ahead(c);
      for (int64_t k = 0; k < step; ++k) {
        auto column = [&](const Side &s, const std::vector<std::vector<Piece>> &whole) {
          const bool isDue = whole.empty();
          Regs all;
          for (const std::vector<Piece> &of : isDue ? fragment(s, kBase, k0 + k, 1) : whole) {
            const Piece &x = of[static_cast<size_t>(isDue ? 0 : k)];
            all.push_back(!isLate ? x.v
                          : s.width == 1
                              ? widen(x.v, s.elem)
                              : widen(b.CreateExtractElement(x.v, static_cast<uint64_t>(x.at)), s.elem));
          }
          return all;
        };
        Regs ak = column(a, av), ck = column(c, cv);
        for (size_t m = 0; m < a.offsets.size(); ++m)
          for (size_t n = 0; n < c.offsets.size(); ++n) {
            Reg &sum = sums[registerAt.at({a.offsets[m], c.offsets[n]})];
            sum = isFloat ? b.CreateIntrinsic(sum->getType(), Intrinsic::fma, {ak[m], ck[n], sum})
                          : b.CreateAdd(sum, b.CreateMul(ak[m], ck[n]));
          }
      }
    }
    return sums;
  };
  // Straight code up to some two thousand products a thread; a loop beyond.
  int64_t block = K;
  while (block * layout.registers() > 2048 && block % (2 * step) == 0)
    block /= 2;
  if (block == K)
    return steps(acc, i32(0), 0, K);
  BasicBlock *before = b.GetInsertBlock(), *loop = newBlock("k"), *done = newBlock("k.done");
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *k = b.CreatePHI(b.getInt32Ty(), 2);
  k->addIncoming(i32(0), before);
  Regs sums;
  for (Reg r : acc) {
    PHINode *phi = b.CreatePHI(r->getType(), 2);
    phi->addIncoming(r, before);
    sums.push_back(phi);
  }
  Regs next = steps(sums, k, 0, block);
  Reg following = plus(k, block);
  k->addIncoming(following, loop);
  for (size_t r = 0; r < sums.size(); ++r)
    cast<PHINode>(sums[r])->addIncoming(next[r], loop);
  auto *latch = b.CreateCondBr(b.CreateICmpSLT(following, i32(K)), loop, done);
  MDNode *node = MDNode::getDistinct(
      context, {nullptr, MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.disable")})});
  node->replaceOperandWith(0, node);
  latch->setMetadata(LLVMContext::MD_loop, node);
  b.SetInsertPoint(done);
  return next;
}

// The fragments of mma.m16n8k(8 e), e elements to a 32-bit register, lane = 4 g + t:
//   A register q: row g + 8 (q % 2), k = e t + {0 .. e - 1} + 4 e (q / 2)        (four registers)
//   B register q: column g,          k = e t + {0 .. e - 1} + 4 e q              (two)
// ldmatrix reads 8 x 16-byte matrices whose rows' addresses lanes 8 x .. 8 x + 7 give, lane 4 g + t getting
// 32-bit word t of row g: A with k contiguous, and B with k contiguous, are such matrices for every type. Its
// transposing form serves 16-bit operands contiguous along the other axis.
Regs Emitter::emitMma(phog::DotOp op) {
  Layout layout = layoutOf(op.getAcc().getType());
  Regs acc = regs(op.getAcc());
  const std::string kind = op.getKind().str();
  const bool isF64 = kind == "f64", isTf32 = kind == "tf32", isInt = kind == "s8" || kind == "u8";
  const int64_t e = kind == "f16" || kind == "bf16" ? 2 : isTf32 || isF64 ? 1 : 4;
  const int64_t blockM = isF64 ? 8 : 16, kStep = isF64 ? 4 : 8 * e, K = static_cast<int64_t>(op.getK());
  const auto blocksM = static_cast<int64_t>(offsetsAlong(layout, 0).size()) / (isF64 ? 1 : 2),
             blocksN = static_cast<int64_t>(offsetsAlong(layout, 1).size()) / 2;
  std::map<Coord, int64_t> registerAt;
  for (int64_t r = 0; r < layout.registers(); ++r)
    registerAt.try_emplace(layout.registerOffset(r), r);
  Reg m0 = digits(layout.warp, warp, 0), n0 = digits(layout.warp, warp, 1);
  m0 = m0 ? m0 : i32(0);
  n0 = n0 ? n0 : i32(0);
  Reg at, g, t;
  Type *i32Type = b.getInt32Ty();

  auto tileOf = [&](mlir::Value v, mlir::Value stage) {
    Operand o = operandOf(v);
    SharedTile tile{sharedAddress(static_cast<int64_t>(o.alloc.getOffset().value_or(0))), o.layout};
    if (stage)
      tile.base = b.CreateGEP(
          b.getInt8Ty(), tile.base,
          b.CreateMul(b.CreateTrunc(scalar(stage), i32Type), i32(o.layout.sizeBytes()), "", true, true));
    return tile;
  };
  auto ldmatrix = [&](Reg address, bool transpose, int count) {
    Intrinsic::ID id = count == 4 ? (transpose ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16
                                               : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16)
                                  : (transpose ? Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16
                                               : Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16);
    Reg all = nvvm(id, {address}, {address->getType()});
    Regs out;
    for (int k = 0; k < count; ++k)
      out.push_back(b.CreateExtractValue(all, static_cast<unsigned>(k)));
    return out;
  };
  auto toTf32 = [&](Reg word) -> Reg {
    if (!isTf32)
      return word;
    auto *fn = FunctionType::get(i32Type, {i32Type}, false);
    return b.CreateCall(InlineAsm::get(fn, "cvt.rna.tf32.f32 $0, $1;", "=r,r", false), {word});
  };
  auto pack = [&](ArrayRef<Reg> elements) -> Reg { // the first in the lowest bits
    if (isF64)
      return elements[0];
    Reg word = nullptr;
    for (size_t k = 0; k < elements.size(); ++k) {
      const unsigned bits = 32 / static_cast<unsigned>(elements.size());
      Reg part = b.CreateZExt(b.CreateBitCast(elements[k], b.getIntNTy(bits)), i32Type);
      word = k == 0 ? part : b.CreateOr(word, b.CreateShl(part, bits * k));
    }
    return word;
  };
  auto element = [&](const SharedTile &tile, mlir::Type elem, Reg row, Reg col) {
    return static_cast<Reg>(b.CreateAlignedLoad(memoryTypeOf(elem), tileAddress(tile, row, col),
                                                Align(tile.layout.elementBytes)));
  };

  const bool aInRegisters = mlir::isa<mlir::RankedTensorType>(op.getA().getType());
  std::map<Coord, Reg> aHeld;
  SharedTile aTile, bTile = tileOf(op.getB(), op.getStageB());
  if (aInRegisters) {
    Layout held = layoutOf(op.getA().getType());
    for (int64_t r = 0; r < held.registers(); ++r)
      aHeld.try_emplace(held.registerOffset(r), regs(op.getA())[r]);
  } else {
    aTile = tileOf(op.getA(), op.getStageA());
  }
  const bool transA = op.getTransA(), transB = op.getTransB();
  auto loadA = [&](int64_t mb, int64_t k0) {
    Regs out;
    if (aInRegisters) {
      for (int64_t q = 0; q < (isF64 ? 1 : 4); ++q) {
        SmallVector<Reg> elements;
        for (int64_t x = 0; x < (isF64 ? 1 : e); ++x)
          elements.push_back(aHeld.at({mb * blockM + 8 * (q % 2), k0 + x + 4 * e * (q / 2)}));
        out.push_back(toTf32(pack(elements)));
      }
      return out;
    }
    mlir::Type elem = operandOf(op.getA()).elem;
    Reg row0 = plus(m0, mb * blockM);
    if (isF64) {
      Reg row = b.CreateAdd(row0, g), k = plus(t, k0);
      return Regs{transA ? element(aTile, elem, k, row) : element(aTile, elem, row, k)};
    }
    if (!transA) { // matrices: (rows 0-7, first half of k), (rows 8-15, first), (0-7, second), (8-15, second)
      Reg address = tileAddress(aTile, b.CreateAdd(row0, b.CreateAnd(at, 15)),
                                plus(b.CreateMul(b.CreateLShr(at, 4), i32(4 * e)), k0));
      out = ldmatrix(address, false, 4);
    } else if (e == 2) { // stored k x m: lanes give k rows; matrices (k 0-7, m 0-7), (k 0-7, m 8-15), (k
                         // 8-15, m 0-7), (k 8-15, m 8-15)
      Reg k = b.CreateAdd(b.CreateAnd(at, 7), b.CreateShl(b.CreateLShr(at, 4), 3));
      Reg m = b.CreateAdd(row0, b.CreateAnd(at, 8));
      out = ldmatrix(tileAddress(aTile, plus(k, k0), m), true, 4);
    } else {
      for (int64_t q = 0; q < 4; ++q) {
        SmallVector<Reg> elements;
        for (int64_t x = 0; x < e; ++x)
          elements.push_back(element(aTile, elem, plus(b.CreateMul(t, i32(e)), k0 + x + 4 * e * (q / 2)),
                                     plus(b.CreateAdd(row0, g), 8 * (q % 2))));
        out.push_back(pack(elements));
      }
    }
    for (Reg &r : out)
      r = toTf32(r);
    return out;
  };
  // B's fragments of blocks nb (and nb + 1 where `two`).
  auto loadB = [&](int64_t nb, bool two, int64_t k0) {
    Regs out;
    mlir::Type elem = operandOf(op.getB()).elem;
    Reg col0 = plus(n0, nb * 8);
    if (isF64) {
      for (int64_t n = 0; n < (two ? 2 : 1); ++n) {
        Reg col = plus(b.CreateAdd(col0, g), 8 * n), k = plus(t, k0);
        out.push_back(transB ? element(bTile, elem, col, k) : element(bTile, elem, k, col));
      }
      return out;
    }
    Reg high = b.CreateAnd(b.CreateLShr(at, 3),
                           1); // second half of k (the addresses of lanes 16 up are the second block's)
    if (transB) {
      Reg n = b.CreateAnd(at, 7);
      if (two)
        n = b.CreateAdd(n, b.CreateShl(b.CreateLShr(at, 4), 3));
      out = ldmatrix(tileAddress(bTile, b.CreateAdd(col0, n), plus(b.CreateMul(high, i32(4 * e)), k0)), false,
                     two ? 4 : 2);
    } else if (e == 2) {
      Reg n = two ? b.CreateAdd(col0, b.CreateShl(b.CreateLShr(at, 4), 3)) : col0;
      out = ldmatrix(tileAddress(bTile, plus(b.CreateAnd(at, 15), k0), n), true, two ? 4 : 2);
    } else {
      for (int64_t n = 0; n < (two ? 2 : 1); ++n)
        for (int64_t q = 0; q < 2; ++q) {
          SmallVector<Reg> elements;
          for (int64_t x = 0; x < e; ++x)
            elements.push_back(element(bTile, elem, plus(b.CreateMul(t, i32(e)), k0 + x + 4 * e * q),
                                       plus(b.CreateAdd(col0, g), 8 * n)));
          out.push_back(pack(elements));
        }
    }
    for (Reg &r : out)
      r = toTf32(r);
    return out;
  };
  Type *accType = isF64 ? b.getDoubleTy() : isInt ? i32Type : b.getFloatTy();
  // What sm_75 has is a part of it: half of k for f16, half of k and of the rows for int8.
  const bool isHalved = target.sm < 80, isQuartered = isHalved && isInt;
  const std::string shape = isQuartered ? "m8n8k16"
                            : isHalved  ? "m16n8k8"
                            : isF64     ? "m8n8k4"
                            : e == 2    ? "m16n8k16"
                            : e == 1    ? "m16n8k8"
                                        : "m16n8k32";
  const std::string accName = isF64   ? "f64"
                              : isInt ? "s32"
                                      : "f32",
                    accLetter = isF64   ? "d"
                                : isInt ? "r"
                                        : "f";
  const bool ownSums = op->hasAttr(kOwnSums);
  Regs sum = ownSums ? Regs(acc.size(), ConstantFP::getZero(accType)) : acc;
  const int numB = isF64 ? 1 : 2; // of a whole fragment
  const int eachAcc = isF64 || isQuartered ? 2 : 4,
            eachA = isF64 || isQuartered ? 1
                    : isHalved           ? 2
                                         : 4,
            eachB = isHalved ? 1 : numB;
  std::string text = "mma.sync.aligned." + shape + ".row.col." + accName + "." + kind + "." + kind + "." +
                     accName,
              constraints;
  int next = 0;
  auto group = [&](int count) {
    text += next ? ", {" : " {";
    for (int k = 0; k < count; ++k)
      text += (k ? ", $" : "$") + std::to_string(next++);
    text += "}";
  };
  group(eachAcc), group(eachA), group(eachB);
  text += ", {"; // the sums are updated in place
  for (int k = 0; k < eachAcc; ++k)
    text += (k ? ", $" : "$") + std::to_string(k);
  text += "};";
  for (int k = 0; k < eachAcc; ++k)
    constraints += (k ? ",=" : "=") + accLetter;
  for (int k = 0; k < eachA + eachB; ++k)
    constraints += isF64 ? ",d" : ",r";
  for (int k = 0; k < eachAcc; ++k)
    constraints += "," + std::to_string(k);
  SmallVector<Type *> inputs(eachA + eachB, isF64 ? accType : i32Type);
  inputs.append(eachAcc, accType);
  auto *fn =
      FunctionType::get(StructType::get(context, SmallVector<Type *>(eachAcc, accType)), inputs, false);
  InlineAsm *mma = InlineAsm::get(fn, text, constraints, false);

  // What comes element by element the assembler reads as far ahead as straight code goes: over a fence it
  // does not. Such reads have addresses of their own.
  const int64_t bytewise =
      (e == 4 && transA && !aInRegisters ? 16 * blocksM : 0) + (e == 4 && !transB ? 8 * blocksN : 0);
  const bool isWidened = e == 4 && !isInt && target.sm >= 90; // to f16, by the assembler
  const int64_t sums = static_cast<int64_t>(acc.size()) * (ownSums ? 2 : 1);
  const bool isFenced = bytewise * (K / kStep) + sums > (isInt ? 300 : isWidened ? 128 : 212);
  int64_t columns = blocksN; // blocks of them between two fences
  if (isFenced && !transB && (ownSums || isWidened))
    while (columns > 2 &&
           sums + (transA && !aInRegisters ? 16 : 4) * blocksM + (isWidened ? 12 : 8) * columns > 170)
      columns = (columns / 2 + 1) / 2 * 2;
  auto begin = [&](bool afterOther) {
    if (isFenced && afterOther)
      nvvm(Intrinsic::nvvm_bar_warp_sync, {i32(-1)});
    at = isFenced ? opaque(lane) : ownAddresses(lane), g = b.CreateLShr(at, 2), t = b.CreateAnd(at, 3);
  };
  for (int64_t k0 = 0; k0 < K; k0 += kStep) {
    std::vector<Regs> a, bFrag(blocksN);
    begin(k0 > 0);
    for (int64_t mb = 0; mb < blocksM; ++mb)
      a.push_back(loadA(mb, k0));
    for (int64_t first = 0; first < blocksN; first += columns) {
      const int64_t end = std::min(first + columns, blocksN);
      if (first)
        begin(true);
      for (int64_t nb = first; nb < end; nb += 2) {
        bool two = nb + 1 < blocksN;
        Regs both = loadB(nb, two, k0);
        bFrag[nb] = Regs(both.begin(), both.begin() + numB);
        if (two)
          bFrag[nb + 1] = Regs(both.begin() + numB, both.end());
      }
      for (int64_t mb = 0; mb < blocksM; ++mb)
        for (int64_t n = first; n < end; ++n) {
          // Back and forth: the last fragment is used again.
          const int64_t nb = mb % 2 ? first + end - 1 - n : n;
          for (int k = 0; k < (isHalved ? 2 : 1); ++k)
            for (int rows = 0; rows < (isQuartered ? 2 : 1); ++rows) {
              const int firstA = 2 * k + rows;
              SmallVector<Reg> args(a[mb].begin() + firstA, a[mb].begin() + firstA + eachA);
              args.append(bFrag[nb].begin() + k, bFrag[nb].begin() + k + eachB);
              SmallVector<int64_t> where;
              for (int q = 2 * rows; q < 2 * rows + eachAcc; ++q) {
                where.push_back(registerAt.at({mb * blockM + 8 * (q / 2), nb * 8 + q % 2}));
                args.push_back(sum[where.back()]);
              }
              CallInst *done = b.CreateCall(mma, args);
              done->addFnAttr(Attribute::Convergent);
              for (int q = 0; q < eachAcc; ++q)
                sum[where[q]] = b.CreateExtractValue(done, static_cast<unsigned>(q));
            }
        }
    }
    if (ownSums && ((k0 + kStep) % kOwnSumsSpan == 0 || k0 + kStep == K)) {
      for (size_t r = 0; r < acc.size(); ++r)
        acc[r] = b.CreateFAdd(acc[r], sum[r]);
      sum.assign(acc.size(), ConstantFP::getZero(accType));
    }
  }
  return ownSums ? acc : sum;
}

} // namespace phobos::nvptx
