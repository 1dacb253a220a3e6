#include "compiler/target/nvptx/SpellOutAbs.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace phobos::nvptx {

namespace {
/// All ones where x is negative, else 0.
Value *signMask(IRBuilderBase &b, Value *x) {
  Type *type = x->getType();
  const bool isLong = type->isIntegerTy(64);
  auto *shift = InlineAsm::get(FunctionType::get(type, {type}, false),
                               isLong ? "shr.s64 $0, $1, 63;" : "shr.s32 $0, $1, 31;",
                               isLong ? "=l,l" : "=r,r", /*hasSideEffects=*/false);
  return b.CreateCall(shift, {x});
}

Value *absolute(IRBuilderBase &b, Value *x) {
  Type *type = x->getType();
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    Value *out = PoisonValue::get(type);
    for (uint64_t k = 0; k < vector->getNumElements(); ++k)
      out = b.CreateInsertElement(out, absolute(b, b.CreateExtractElement(x, k)), k);
    return out;
  }
  // Narrow values are widened: their absolute value is never the wide type's least integer.
  if (type->getIntegerBitWidth() < 32) {
    Value *wide = b.CreateSExt(x, b.getInt32Ty());
    return b.CreateTrunc(b.CreateBinaryIntrinsic(Intrinsic::abs, wide, b.getFalse()), type);
  }
  Value *mask = signMask(b, x);
  return b.CreateSub(b.CreateXor(x, mask), mask);
}
} // namespace

void spellOutAbs(Module &module) {
  SmallVector<IntrinsicInst *> found;
  for (Function &f : module)
    for (Instruction &i : instructions(f))
      if (auto *call = dyn_cast<IntrinsicInst>(&i); call && call->getIntrinsicID() == Intrinsic::abs)
        found.push_back(call);
  for (IntrinsicInst *call : found) {
    IRBuilder<> b(call);
    Value *out = absolute(b, call->getArgOperand(0));
    call->replaceAllUsesWith(out);
    call->eraseFromParent();
  }
}

} // namespace phobos::nvptx
