#include "compiler/target/nvptx/NarrowStoredBits.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace phobos::nvptx {

namespace {
/// Whether the bits may be a float's, unchanged.
bool mayBeFloat(Value *v, SmallPtrSetImpl<Value *> &seen) {
  if (!seen.insert(v).second)
    return false;
  if (auto *cast = dyn_cast<BitCastInst>(v))
    return cast->getSrcTy()->isFPOrFPVectorTy() || mayBeFloat(cast->getOperand(0), seen);
  if (auto *shift = dyn_cast<LShrOperator>(v))
    return mayBeFloat(shift->getOperand(0), seen);
  if (auto *phi = dyn_cast<PHINode>(v))
    return any_of(phi->incoming_values(), [&](Value *incoming) { return mayBeFloat(incoming, seen); });
  if (auto *select = dyn_cast<SelectInst>(v))
    return mayBeFloat(select->getTrueValue(), seen) || mayBeFloat(select->getFalseValue(), seen);
  return false;
}

/// The same value in a register of its own type.
Value *moved(IRBuilderBase &b, Value *v) {
  Type *wide = v->getType()->getIntegerBitWidth() < 16 ? b.getInt16Ty() : v->getType();
  const bool isShort = wide->isIntegerTy(16);
  auto *move = InlineAsm::get(FunctionType::get(wide, {wide}, false),
                              isShort ? "mov.b16 $0, $1;" : "mov.b32 $0, $1;", isShort ? "=h,h" : "=r,r",
                              /*hasSideEffects=*/false);
  return b.CreateTrunc(b.CreateCall(move, {b.CreateZExt(v, wide)}), v->getType());
}
} // namespace

void narrowStoredBits(Module &module) {
  SmallVector<StoreInst *> found;
  for (Function &f : module)
    for (Instruction &i : instructions(f))
      if (auto *store = dyn_cast<StoreInst>(&i)) {
        auto *cut = dyn_cast<TruncInst>(store->getValueOperand());
        SmallPtrSet<Value *, 8> seen;
        if (cut && cut->getType()->isIntegerTy() && mayBeFloat(cut->getOperand(0), seen))
          found.push_back(store);
      }
  for (StoreInst *store : found) {
    IRBuilder<> b(store);
    store->setOperand(0, moved(b, store->getValueOperand()));
  }
}

} // namespace phobos::nvptx
