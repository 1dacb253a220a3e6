// rand(seed, offset): Philox 4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3"),
// spec/builtins.md.
#include "compiler/target/common/Scalar.h"
#include "compiler/target/common/Shape.h"
#include <array>

namespace phobos::target {
using llvm::Value;

namespace {
Value *splatLike(llvm::IRBuilderBase &b, Value *x, Value *other) {
  auto *v = llvm::dyn_cast<llvm::FixedVectorType>(other->getType());
  return v && !x->getType()->isVectorTy() ? b.CreateVectorSplat(v->getNumElements(), x) : x;
}
} // namespace

Value *emitRand(llvm::IRBuilderBase &b, Value *seed, Value *offset) {
  ExactFloats exact(b);
  seed = splatLike(b, seed, offset);
  offset = splatLike(b, offset, seed);
  llvm::Type *i64 = offset->getType(), *i32 = intLike(i64, 32);
  auto low = [&](Value *x) { return b.CreateTrunc(x, i32); };
  auto high = [&](Value *x) { return b.CreateTrunc(b.CreateLShr(x, intConst(i64, 32)), i32); };
  Value *zero = intConst(i32, 0);
  std::array<Value *, 4> c{low(offset), high(offset), zero, zero};
  std::array<Value *, 2> key{low(seed), high(seed)};
  for (int round = 0; round < 10; ++round) {
    Value *p0 = b.CreateMul(b.CreateZExt(c[0], i64), intConst(i64, 0xD2511F53));
    Value *p1 = b.CreateMul(b.CreateZExt(c[2], i64), intConst(i64, 0xCD9E8D57));
    c = {b.CreateXor(b.CreateXor(high(p1), c[1]), key[0]), low(p1),
         b.CreateXor(b.CreateXor(high(p0), c[3]), key[1]), low(p0)};
    key = {b.CreateAdd(key[0], intConst(i32, 0x9E3779B9)), b.CreateAdd(key[1], intConst(i32, 0xBB67AE85))};
  }
  // 24 bits: exact as a signed conversion, which every target has.
  Value *top = b.CreateLShr(c[0], intConst(i32, 8));
  return b.CreateFMul(b.CreateSIToFP(top, f32Like(i32)), floatConst(f32Like(i32), 0x1p-24));
}

} // namespace phobos::target
