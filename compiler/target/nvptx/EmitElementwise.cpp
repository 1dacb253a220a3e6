// Elementwise operations: one text for a scalar and for each register of a tile. Constants, coordinates,
// broadcasts.
#include "compiler/target/common/Math.h"
#include "compiler/target/nvptx/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace phobos::nvptx {

namespace {

std::optional<ScalarType> scalarTypeOf(mlir::Type t, bool isUnsigned) {
  if (t.isInteger(1))
    return ScalarType::Bool;
  if (t.isInteger(8))
    return isUnsigned ? ScalarType::U8 : ScalarType::I8;
  if (t.isInteger(32))
    return isUnsigned ? ScalarType::U32 : ScalarType::I32;
  if (t.isInteger(64))
    return ScalarType::I64;
  if (t.isIndex())
    return ScalarType::Index;
  if (mlir::isa<mlir::Float8E4M3FNType>(t))
    return ScalarType::F8E4M3;
  if (mlir::isa<mlir::Float8E5M2Type>(t))
    return ScalarType::F8E5M2;
  if (t.isF16())
    return ScalarType::F16;
  if (t.isBF16())
    return ScalarType::BF16;
  if (t.isF32())
    return ScalarType::F32;
  if (t.isF64())
    return ScalarType::F64;
  return std::nullopt;
}

CmpInst::Predicate predicateOf(arith::CmpIPredicate p) {
  switch (p) {
  case arith::CmpIPredicate::eq:
    return CmpInst::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return CmpInst::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return CmpInst::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return CmpInst::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return CmpInst::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return CmpInst::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return CmpInst::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return CmpInst::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return CmpInst::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return CmpInst::ICMP_UGE;
  }
  return CmpInst::ICMP_EQ;
}

CmpInst::Predicate predicateOf(arith::CmpFPredicate p) {
  switch (p) {
  case arith::CmpFPredicate::AlwaysFalse:
    return CmpInst::FCMP_FALSE;
  case arith::CmpFPredicate::OEQ:
    return CmpInst::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return CmpInst::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return CmpInst::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return CmpInst::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return CmpInst::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return CmpInst::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return CmpInst::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return CmpInst::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return CmpInst::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return CmpInst::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return CmpInst::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return CmpInst::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return CmpInst::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return CmpInst::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysTrue:
    return CmpInst::FCMP_TRUE;
  }
  return CmpInst::FCMP_TRUE;
}

target::MathFunction functionOf(pho::MathFn fn) {
  using F = target::MathFunction;
  constexpr F table[] = {F::Exp, F::Exp2, F::Log, F::Log2,  F::Sqrt, F::Rsqrt, F::Tanh, F::Sigmoid, F::Erf,
                         F::Sin, F::Cos,  F::Abs, F::Floor, F::Ceil, F::Round, F::Pow,  F::Fma};
  return table[static_cast<uint32_t>(fn)];
}
} // namespace

Type *Emitter::typeOf(mlir::Type t) {
  if (t.isIndex())
    return b.getInt64Ty();
  if (auto i = mlir::dyn_cast<mlir::IntegerType>(t))
    return b.getIntNTy(i.getWidth());
  if (t.isF16())
    return b.getHalfTy();
  if (t.isBF16())
    return b.getBFloatTy();
  if (t.isF32())
    return b.getFloatTy();
  if (t.isF64())
    return b.getDoubleTy();
  return b.getInt8Ty(); // f8: its bits
}

Type *Emitter::memoryTypeOf(mlir::Type t) { return t.isInteger(1) ? b.getInt8Ty() : typeOf(t); }
Reg Emitter::toMemory(Reg value, mlir::Type t) {
  return t.isInteger(1) ? b.CreateZExt(value, b.getInt8Ty()) : value;
}
Reg Emitter::fromMemory(Reg value, mlir::Type t) {
  return t.isInteger(1) ? b.CreateICmpNE(value, b.getInt8(0)) : value;
}

Reg Emitter::constantOf(mlir::Type type, mlir::Attribute value) {
  Type *t = typeOf(type);
  if (auto i = mlir::dyn_cast<mlir::IntegerAttr>(value))
    return ConstantInt::get(t, i.getValue().sextOrTrunc(t->getIntegerBitWidth()));
  APFloat f = mlir::cast<mlir::FloatAttr>(value).getValue();
  if (t->isIntegerTy())
    return ConstantInt::get(t, f.bitcastToAPInt());
  return ConstantFP::get(context, f);
}

Reg Emitter::mathOp(pho::MathOp op, ArrayRef<Reg> args) {
  target::MathTarget math{true};
  Type *t = args[0]->getType();
  if (!t->isFloatTy() && !t->isDoubleTy()) { // f16, bf16: through f32, within one ulp of their own
    mlir::Type elem = elementOf(op.getType());
    ScalarType from = *scalarTypeOf(elem, false);
    SmallVector<Reg> wide;
    for (Reg a : args)
      wide.push_back(target::emitConvert(b, a, from, ScalarType::F32, scalarTarget));
    return target::emitConvert(b, target::emitMath(b, functionOf(op.getFn()), wide, math), ScalarType::F32,
                               from, scalarTarget);
  }
  return target::emitMath(b, functionOf(op.getFn()), args, math);
}

/// One element's worth of an elementwise operation; null for what is none.
Reg Emitter::scalarOp(mlir::Operation *op, ArrayRef<Reg> a) {
  using mlir::isa;
  auto type = [&] { return typeOf(elementOf(op->getResult(0).getType())); };
  if (isa<arith::AddIOp>(op))
    return b.CreateAdd(a[0], a[1]);
  if (isa<arith::SubIOp>(op))
    return b.CreateSub(a[0], a[1]);
  if (isa<arith::MulIOp>(op))
    return b.CreateMul(a[0], a[1]);
  if (isa<arith::AndIOp>(op))
    return b.CreateAnd(a[0], a[1]);
  if (isa<arith::OrIOp>(op))
    return b.CreateOr(a[0], a[1]);
  if (isa<arith::XOrIOp>(op))
    return b.CreateXor(a[0], a[1]);
  if (isa<arith::ShLIOp>(op))
    return b.CreateShl(a[0], a[1]);
  if (isa<arith::ShRUIOp>(op))
    return b.CreateLShr(a[0], a[1]);
  if (isa<arith::ShRSIOp>(op))
    return b.CreateAShr(a[0], a[1]);
  if (isa<arith::DivSIOp>(op))
    return target::emitDiv(b, a[0], a[1], true);
  if (isa<arith::DivUIOp>(op))
    return target::emitDiv(b, a[0], a[1], false);
  if (isa<arith::RemSIOp>(op))
    return target::emitRem(b, a[0], a[1], true);
  if (isa<arith::RemUIOp>(op))
    return target::emitRem(b, a[0], a[1], false);
  if (isa<arith::MaxSIOp>(op))
    return b.CreateBinaryIntrinsic(Intrinsic::smax, a[0], a[1]);
  if (isa<arith::MinSIOp>(op))
    return b.CreateBinaryIntrinsic(Intrinsic::smin, a[0], a[1]);
  if (isa<arith::MaxUIOp>(op))
    return b.CreateBinaryIntrinsic(Intrinsic::umax, a[0], a[1]);
  if (isa<arith::MinUIOp>(op))
    return b.CreateBinaryIntrinsic(Intrinsic::umin, a[0], a[1]);
  if (isa<arith::AddFOp>(op))
    return b.CreateFAdd(a[0], a[1]);
  if (isa<arith::SubFOp>(op))
    return b.CreateFSub(a[0], a[1]);
  if (isa<arith::MulFOp>(op))
    return b.CreateFMul(a[0], a[1]);
  if (isa<arith::DivFOp>(op))
    return b.CreateFDiv(a[0], a[1]);
  if (isa<arith::NegFOp>(op)) {
    if (a[0]->getType()->isIntegerTy())
      return b.CreateXor(a[0], b.getInt8(0x80)); // f8
    return b.CreateFNeg(a[0]);
  }
  if (isa<arith::MaximumFOp>(op))
    return target::emitMaxF(b, a[0], a[1], scalarTarget);
  if (isa<arith::MinimumFOp>(op))
    return target::emitMinF(b, a[0], a[1], scalarTarget);
  if (auto c = mlir::dyn_cast<arith::CmpIOp>(op))
    return b.CreateICmp(predicateOf(c.getPredicate()), a[0], a[1]);
  if (auto c = mlir::dyn_cast<arith::CmpFOp>(op)) {
    Reg x = a[0], y = a[1];
    if (x->getType()->isIntegerTy()) { // f8 compares as f32
      ScalarType from = *scalarTypeOf(elementOf(c.getLhs().getType()), false);
      x = target::emitConvert(b, x, from, ScalarType::F32, scalarTarget);
      y = target::emitConvert(b, y, from, ScalarType::F32, scalarTarget);
    }
    return b.CreateFCmp(predicateOf(c.getPredicate()), x, y);
  }
  if (isa<arith::SelectOp>(op))
    return b.CreateSelect(a[0], a[1], a[2]);
  if (isa<arith::ExtSIOp>(op))
    return b.CreateSExt(a[0], type());
  if (isa<arith::ExtUIOp>(op))
    return b.CreateZExt(a[0], type());
  if (isa<arith::TruncIOp>(op))
    return b.CreateTrunc(a[0], type());
  if (isa<arith::IndexCastOp>(op))
    return b.CreateSExtOrTrunc(a[0], type());
  if (isa<arith::IndexCastUIOp>(op))
    return b.CreateZExtOrTrunc(a[0], type());
  if (isa<arith::ExtFOp>(op))
    return b.CreateFPExt(a[0], type());
  if (isa<arith::TruncFOp>(op))
    return b.CreateFPTrunc(a[0], type());
  if (isa<arith::SIToFPOp>(op))
    return b.CreateSIToFP(a[0], type());
  if (isa<arith::UIToFPOp>(op))
    return b.CreateUIToFP(a[0], type());
  if (isa<arith::BitcastOp>(op))
    return b.CreateBitCast(a[0], type());
  if (auto o = mlir::dyn_cast<pho::MathOp>(op))
    return mathOp(o, a);
  if (isa<pho::RandOp>(op))
    return target::emitRand(b, a[0], a[1]);
  if (auto o = mlir::dyn_cast<pho::TotalOp>(op)) {
    const bool isSigned = !o.getIsUnsigned();
    switch (o.getKind()) {
    case pho::TotalKind::Div:
      return target::emitDiv(b, a[0], a[1], isSigned);
    case pho::TotalKind::Rem:
      return target::emitRem(b, a[0], a[1], isSigned);
    case pho::TotalKind::Shl:
      return target::emitShl(b, a[0], a[1], isSigned);
    case pho::TotalKind::Shr:
      return target::emitShr(b, a[0], a[1], isSigned, isSigned);
    }
  }
  if (auto o = mlir::dyn_cast<pho::ConvertOp>(op)) {
    auto from = scalarTypeOf(elementOf(o.getValue().getType()), o.getFromUnsigned());
    auto to = scalarTypeOf(elementOf(o.getType()), o.getToUnsigned());
    return from && to ? target::emitConvert(b, a[0], *from, *to, scalarTarget) : nullptr;
  }
  return nullptr;
}

namespace {
bool isTile(mlir::Value v) { return mlir::isa<mlir::RankedTensorType>(v.getType()); }

bool isElementwise(mlir::Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         (mlir::isa<pho::MathOp, pho::ConvertOp>(op) ||
          (op->getDialect()->getNamespace() == "arith" && op->getNumOperands() > 0));
}

/// The tiles that `v` is computed from element by element, itself among them.
void collectSources(mlir::Value v, DenseSet<mlir::Value> &sources) {
  mlir::Operation *op = v.getDefiningOp();
  if (!isTile(v) || (op && mlir::isa<arith::ConstantOp, pho::BroadcastOp>(op)) || sources.size() > 32 ||
      !sources.insert(v).second || !op || !isElementwise(op))
    return;
  for (mlir::Value operand : op->getOperands())
    collectSources(operand, sources);
}

/// Whether `op` joins what was computed from one tile in two ways (x * sigmoid(x)), and what comes of it
/// waits for a load.
bool joinsBeforeLoad(mlir::Operation *op) {
  if (op->getNumOperands() != 2 || !elementOf(op->getResult(0).getType()).isF32())
    return false;
  mlir::Operation *load = op->getNextNode();
  while (load && !(mlir::isa<pho::LoadOp>(load) && isTile(load->getResult(0))))
    load = load->getNextNode();
  if (!load)
    return false;
  mlir::Operation *last = op; // before the load, of what is computed from the joined alone
  auto nextOf = [&]() -> mlir::Operation * {
    mlir::Value v = last->getResult(0);
    mlir::Operation *user = v.hasOneUse() ? *v.user_begin() : nullptr;
    return user && isElementwise(user) && user->getBlock() == op->getBlock() && user->isBeforeInBlock(load)
               ? user
               : nullptr;
  };
  while (mlir::Operation *user = nextOf())
    last = user;
  if (llvm::none_of(last->getResult(0).getUsers(), [&](mlir::Operation *user) {
        return user->getBlock() == op->getBlock() && load->isBeforeInBlock(user);
      }))
    return false;
  DenseSet<mlir::Value> a, c;
  collectSources(op->getOperand(0), a);
  collectSources(op->getOperand(1), c);
  return llvm::any_of(a, [&](mlir::Value v) { return c.contains(v); });
}
} // namespace

bool Emitter::emitElementwise(mlir::Operation *op) {
  if (auto c = mlir::dyn_cast<arith::ConstantOp>(op))
    return emitConstant(op), true;
  if (auto o = mlir::dyn_cast<pho::BroadcastOp>(op))
    return emitBroadcast(o), true;
  if (auto o = mlir::dyn_cast<pho::IotaOp>(op))
    return emitIota(o), true;
  if (op->getNumResults() != 1)
    return false;
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  size_t count = tile ? static_cast<size_t>(layoutOf(tile).registers()) : 1;
  // The back end would move the joining behind the load, and keep both ways there in registers meanwhile.
  const bool staysHere = tile && joinsBeforeLoad(op);
  Regs out;
  for (size_t r = 0; r < count; ++r) {
    SmallVector<Reg> args;
    for (mlir::Value v : op->getOperands())
      args.push_back(regs(v)[regs(v).size() == 1 ? 0 : r]);
    Reg value = scalarOp(op, args);
    if (!value)
      return false;
    out.push_back(staysHere ? opaque(value) : value);
  }
  setRegs(op->getResult(0), out);
  return true;
}

void Emitter::emitConstant(mlir::Operation *op) {
  auto c = mlir::cast<arith::ConstantOp>(op);
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(c.getType());
  if (!tile)
    return setRegs(c, {constantOf(c.getType(), c.getValue())});
  auto elements = mlir::cast<mlir::DenseElementsAttr>(c.getValue());
  Layout layout = layoutOf(tile);
  if (elements.isSplat())
    return setRegs(c, Regs(layout.registers(),
                           constantOf(tile.getElementType(), elements.getSplatValue<mlir::Attribute>())));
  // A table: each thread picks its elements (constant folding makes only small ones).
  Coords base = baseOf(layout);
  auto all = llvm::to_vector(elements.getValues<mlir::Attribute>());
  Regs out;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Coord off = layout.registerOffset(r);
    Reg index = b.CreateAdd(b.CreateMul(plus(base.i, off[0]), i32(layout.shape[1])), plus(base.j, off[1]));
    Reg value = constantOf(tile.getElementType(), all[0]);
    for (size_t k = 1; k < all.size(); ++k)
      value = b.CreateSelect(b.CreateICmpEQ(index, i32(static_cast<int64_t>(k))),
                             constantOf(tile.getElementType(), all[k]), value);
    out.push_back(value);
  }
  setRegs(c, out);
}

// Along a broadcast axis the source has one coordinate, 0; its layout is the result's with that axis sliced
// away, so the thread that needs an element has it.
void Emitter::emitBroadcast(pho::BroadcastOp op) {
  Layout to = layoutOf(op.getType());
  if (!mlir::isa<mlir::RankedTensorType>(op.getValue().getType()))
    return setRegs(op, Regs(to.registers(), scalar(op.getValue())));
  Layout from = layoutOf(op.getValue().getType());
  std::map<Coord, Reg> have;
  for (int64_t r = 0; r < from.registers(); ++r)
    have.try_emplace(from.registerOffset(r), regs(op.getValue())[r]);
  Regs out;
  for (int64_t r = 0; r < to.registers(); ++r) {
    Coord at = to.registerOffset(r);
    for (int axis : {0, 1})
      if (from.shape[axis] != to.shape[axis])
        at[axis] = 0;
    out.push_back(have.at(at));
  }
  setRegs(op, out);
}

void Emitter::emitIota(pho::IotaOp op) {
  Layout layout = layoutOf(op.getType());
  int axis =
      mlir::cast<mlir::RankedTensorType>(op.getType()).getRank() == 1 ? 1 : static_cast<int>(op.getAxis());
  Coords base = baseOf(layout);
  Regs out;
  for (int64_t r = 0; r < layout.registers(); ++r)
    out.push_back(plus(axis ? base.j : base.i, layout.registerOffset(r)[axis]));
  setRegs(op, out);
}

// A digit of mode m is number / (sizes before it) % size.
Reg Emitter::digits(const Modes &modes, Reg number, int axis) {
  Reg sum = nullptr;
  int64_t before = 1;
  for (const Mode &m : modes) {
    if (m.axis == axis && m.stride != 0 && m.size > 1) {
      Reg digit = b.CreateURem(b.CreateUDiv(number, i32(before)), i32(m.size));
      Reg term = b.CreateMul(digit, i32(m.stride), "", true, true);
      sum = sum ? b.CreateAdd(sum, term, "", true, true) : term;
    }
    before *= m.size;
  }
  return sum;
}

Coords Emitter::baseOf(const Layout &layout) {
  Layout key = layout.normalized();
  key.reg.clear();
  auto [it, isNew] = bases.try_emplace(key.str());
  if (!isNew)
    return it->second;
  IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(entryEnd);
  Coords out;
  for (int axis : {0, 1}) {
    Reg l = digits(layout.lane, lane, axis), w = digits(layout.warp, warp, axis);
    Reg sum = l && w ? b.CreateAdd(l, w, "", true, true) : l ? l : w ? w : i32(0);
    (axis ? out.j : out.i) = sum;
  }
  it->second = out;
  return out;
}

Reg Emitter::isFirstCopy(const Layout &layout) {
  if (!layout.isReplicated())
    return nullptr;
  Layout key = layout.normalized();
  key.reg.clear();
  auto [it, isNew] = firstCopies.try_emplace(key.str());
  if (!isNew)
    return it->second;
  IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(entryEnd);
  Reg all = nullptr;
  for (bool isWarp : {false, true}) {
    int64_t before = 1;
    for (const Mode &m : isWarp ? layout.warp : layout.lane) {
      if (m.stride == 0 && m.size > 1)
        all = andOf(all,
                    b.CreateICmpEQ(b.CreateURem(b.CreateUDiv(isWarp ? warp : lane, i32(before)), i32(m.size)),
                                   i32(0)));
      before *= m.size;
    }
  }
  it->second = all;
  return all;
}

Reg Emitter::inside(const Layout &layout, Coords at) {
  Reg ok = nullptr;
  if (layout.isPadded(0))
    ok = andOf(ok, b.CreateICmpULT(at.i, i32(layout.shape[0])));
  if (layout.isPadded(1))
    ok = andOf(ok, b.CreateICmpULT(at.j, i32(layout.shape[1])));
  return ok;
}

} // namespace phobos::nvptx
