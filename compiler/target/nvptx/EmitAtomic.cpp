// Atomics, of elements of 32 and 64 bits: the hardware's instruction where it does what the language says,
// else a loop that exchanges the element until nothing came between.
#include "compiler/target/nvptx/Access.h"

using namespace llvm;

namespace phobos::nvptx {

namespace {
constexpr auto kOrder = AtomicOrdering::Monotonic;

AtomicRMWInst::BinOp integerOpOf(pho::AtomicKind kind, bool isUnsigned) {
  return kind == pho::AtomicKind::Add   ? AtomicRMWInst::Add
         : kind == pho::AtomicKind::Max ? (isUnsigned ? AtomicRMWInst::UMax : AtomicRMWInst::Max)
                                        : (isUnsigned ? AtomicRMWInst::UMin : AtomicRMWInst::Min);
}

pho::ReduceKind reduceKindOf(pho::AtomicKind kind) {
  return kind == pho::AtomicKind::Add   ? pho::ReduceKind::Sum
         : kind == pho::AtomicKind::Max ? pho::ReduceKind::Max
                                        : pho::ReduceKind::Min;
}

/// Of an element of `type`, compared and exchanged by its bits.
struct AsBits {
  explicit AsBits(IRBuilder<> &b, Type *type)
      : b(b), type(type), own(b.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits()))),
        align(type->getPrimitiveSizeInBits() / 8) {}

  Reg to(Reg v) { return b.CreateBitCast(v, own); }
  Reg from(Reg bits) { return b.CreateBitCast(bits, type); }

  IRBuilder<> &b;
  Type *type, *own;
  Align align;
};
} // namespace

SyncScope::ID Emitter::deviceScope() { return context.getOrInsertSyncScopeID("device"); }

Reg Emitter::exchanged(Reg address, Type *type, const std::function<Reg(Reg)> &nextOf) {
  AsBits as(b, type);
  LoadInst *first = b.CreateAlignedLoad(as.own, address, as.align);
  first->setAtomic(kOrder, deviceScope());
  BasicBlock *before = b.GetInsertBlock(), *loop = newBlock("cas"), *exchange = newBlock("cas.exchange"),
             *done = newBlock("cas.done");
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  PHINode *seen = b.CreatePHI(as.own, 2);
  seen->addIncoming(first, before);
  Reg next = as.to(nextOf(as.from(seen)));
  b.CreateCondBr(b.CreateICmpEQ(next, seen), done, exchange); // no store where nothing changes

  b.SetInsertPoint(exchange);
  Reg pair = b.CreateAtomicCmpXchg(address, seen, next, as.align, kOrder, kOrder, deviceScope());
  seen->addIncoming(b.CreateExtractValue(pair, 0), exchange);
  b.CreateCondBr(b.CreateExtractValue(pair, 1), done, loop);

  b.SetInsertPoint(done);
  return as.from(seen);
}

// The f32 addition of the hardware takes denormals in memory, its operands and its result, as zeros. With
// |x| >= 2^-100 it is right all the same: a denormal is less than half of the distance from x to either
// neighbour, so the sum rounds to x; and a sum with a normal number is a multiple of 2^-125 (where the two
// cancel, either is above 2^-102), so 0 or normal. Zeros and smaller values go by the loop.
Reg Emitter::addedF32(Reg address, Reg x) {
  Type *type = x->getType();
  Reg isExact = b.CreateFCmpUGE(b.CreateUnaryIntrinsic(Intrinsic::fabs, x), ConstantFP::get(type, 0x1p-100));
  return either(
      isExact,
      [&] {
        return Regs{b.CreateAtomicRMW(AtomicRMWInst::FAdd, address, x, Align(4), kOrder, deviceScope())};
      },
      [&] { return Regs{exchanged(address, type, [&](Reg old) { return b.CreateFAdd(old, x); })}; })[0];
}

Reg Emitter::atomicAt(pho::AtomicOp op, Reg address, ArrayRef<Reg> v) {
  Type *type = v[0]->getType();
  AsBits as(b, type);
  if (op.getKind() == pho::AtomicKind::Cas)
    return as.from(b.CreateExtractValue(
        b.CreateAtomicCmpXchg(address, as.to(v[0]), as.to(v[1]), as.align, kOrder, kOrder, deviceScope()),
        0));
  if (type->isIntegerTy())
    return b.CreateAtomicRMW(integerOpOf(op.getKind(), op.getIsUnsigned()), address, v[0], as.align, kOrder,
                             deviceScope());
  if (op.getKind() != pho::AtomicKind::Add)
    return exchanged(address, type, [&](Reg old) {
      return reductionOf(reduceKindOf(op.getKind()), op.getIsUnsigned(), old, v[0]);
    });
  if (type->isFloatTy())
    return addedF32(address, v[0]);
  return b.CreateAtomicRMW(AtomicRMWInst::FAdd, address, v[0], as.align, kOrder, deviceScope());
}

void Emitter::emitAtomic(pho::AtomicOp op) {
  mlir::Type elem = op.getType();
  const size_t rank = op.getStarts().size();
  Access a = accessOf(op.getView(), op.getStarts(), op.getExtents(), SmallVector<int64_t>(rank, 1),
                      SmallVector<bool>(rank, true), SmallVector<bool>(rank, false), elem);
  SmallVector<Reg> v;
  for (mlir::Value x : op.getValues())
    v.push_back(scalar(x));
  Reg zero = Constant::getNullValue(typeOf(elem));
  Reg condition = op.getOnce() ? andOf(a.whole, b.CreateICmpEQ(thread, i32(0))) : a.whole;
  Reg old = either(condition, [&] { return Regs{atomicAt(op, a.base, v)}; }, [&] { return Regs{zero}; })[0];
  if (op.getOnce() && !op.getResult().use_empty()) { // thread 0 tells the others
    Reg slot = sharedAddress(scratchOf(op));
    when(b.CreateICmpEQ(thread, i32(0)), [&] { b.CreateStore(toMemory(old, elem), slot); });
    barrier();
    old = fromMemory(b.CreateLoad(memoryTypeOf(elem), slot), elem);
  }
  setRegs(op, {old});
}

} // namespace phobos::nvptx
