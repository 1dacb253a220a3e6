#include "compiler/target/common/NarrowFloat.h"
#include "compiler/target/common/Shape.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace phobos::target {
using llvm::Value;
namespace ID = llvm::Intrinsic;

namespace {

/// A float format of at most 16 bits, sign first.
struct Format {
  unsigned bits, mantissa, bias;
  uint32_t maxFiniteF32; ///< the largest finite value, as f32 bits
  bool hasInfinity; ///< all ones in the exponent mean infinity or NaN; without it only all ones in both mean
                    ///< NaN
  bool saturates;
};

constexpr Format f16Format{16, 10, 15, 0x477FE000, true, false};
constexpr Format e4m3Format{8, 3, 7, 0x43E00000, false, true};
constexpr Format e5m2Format{8, 2, 15, 0x47600000, true, true};

Format formatOf(ScalarType t) {
  return t == ScalarType::F16 ? f16Format : t == ScalarType::F8E4M3 ? e4m3Format : e5m2Format;
}

/// The bits of a value of `f` as f32. The mantissa and exponent move to their places in an f32 and the
/// exponent is rebiased. A denormal becomes 2^e (1 + m), e one above its exponent, from which 2^e is
/// subtracted: exact, and no f32 denormal appears.
Value *decode(llvm::IRBuilderBase &b, Value *x, const Format &f) {
  llvm::Type *i32 = intLike(x->getType(), 32), *f32 = f32Like(x->getType());
  Value *wide = b.CreateZExt(x, i32);
  uint32_t magnitudeMask = (1u << (f.bits - 1)) - 1, rebias = (127 - f.bias) << 23;
  Value *sign = b.CreateShl(b.CreateAnd(wide, intConst(i32, ~magnitudeMask)), intConst(i32, 32 - f.bits));
  Value *magnitude = b.CreateAnd(wide, intConst(i32, magnitudeMask));
  Value *shifted = b.CreateShl(magnitude, intConst(i32, 23 - f.mantissa));
  Value *normal = b.CreateAdd(shifted, intConst(i32, rebias));
  uint32_t base = rebias + (1u << 23);
  Value *denormal =
      b.CreateBitCast(b.CreateFSub(b.CreateBitCast(b.CreateAdd(shifted, intConst(i32, base)), f32),
                                   b.CreateBitCast(intConst(i32, base), f32)),
                      i32);
  Value *r = b.CreateSelect(b.CreateICmpULT(magnitude, intConst(i32, 1u << f.mantissa)), denormal, normal);
  uint32_t firstSpecial = f.hasInfinity ? magnitudeMask & ~((1u << f.mantissa) - 1) : magnitudeMask;
  Value *special = f.hasInfinity ? b.CreateOr(shifted, intConst(i32, 0x7F800000)) : intConst(i32, 0x7FC00000);
  r = b.CreateSelect(b.CreateICmpUGE(magnitude, intConst(i32, firstSpecial)), special, r);
  return b.CreateBitCast(b.CreateOr(r, sign), f32);
}

/// An f32 rounded to `f`, as its bits. Normal results: half of the last kept place, less one unless that
/// place is odd, is added to the f32's bits and the rest cut off; a carry runs into the exponent as it
/// should. Denormal results: adding the power of two whose last place is the format's least denormal leaves
/// the count of those in the sum's low bits, rounded by the addition.
Value *encode(llvm::IRBuilderBase &b, Value *x, const Format &f) {
  llvm::Type *i32 = intLike(x->getType(), 32), *f32 = f32Like(x->getType());
  unsigned drop = 23 - f.mantissa;
  Value *bits = b.CreateBitCast(x, i32);
  Value *a = b.CreateAnd(bits, intConst(i32, 0x7FFFFFFF));
  Value *isNaN = b.CreateICmpUGT(a, intConst(i32, 0x7F800000));
  // Past the largest finite value all is one: that value, or what rounds to infinity.
  uint32_t limit =
      f.saturates ? f.maxFiniteF32 : (127 - f.bias + (1u << (f.bits - 1 - f.mantissa)) - 1) << 23;
  Value *clamped = b.CreateBinaryIntrinsic(ID::umin, a, intConst(i32, limit));
  Value *odd = b.CreateAnd(b.CreateLShr(clamped, intConst(i32, drop)), intConst(i32, 1));
  Value *rounded =
      b.CreateAdd(clamped, b.CreateAdd(odd, intConst(i32, (1u << (drop - 1)) - 1 - ((127 - f.bias) << 23))));
  Value *normal = b.CreateLShr(rounded, intConst(i32, drop));
  uint32_t magic = (127 + 1 - f.bias - f.mantissa + 23) << 23; // 2^(1 - bias - mantissa) times 2^23
  Value *denormal = b.CreateSub(
      b.CreateBitCast(b.CreateFAdd(b.CreateBitCast(clamped, f32), b.CreateBitCast(intConst(i32, magic), f32)),
                      i32),
      intConst(i32, magic));
  Value *r =
      b.CreateSelect(b.CreateICmpULT(clamped, intConst(i32, (127 + 1 - f.bias) << 23)), denormal, normal);
  uint32_t nan = f.bits == 16 ? 0x7E00 : 0x7F;
  Value *sign =
      b.CreateAnd(b.CreateLShr(bits, intConst(i32, 32 - f.bits)), intConst(i32, 1u << (f.bits - 1)));
  r = b.CreateSelect(isNaN, intConst(i32, nan), b.CreateOr(r, sign));
  return b.CreateTrunc(r, intLike(x->getType(), f.bits));
}

/// The bits of a bf16, the upper half of an f32. AVX-512's own instruction is not used: it flushes denormals.
Value *encodeBF16(llvm::IRBuilderBase &b, Value *x) {
  llvm::Type *i32 = intLike(x->getType(), 32);
  Value *bits = b.CreateBitCast(x, i32);
  Value *isNaN = b.CreateICmpUGT(b.CreateAnd(bits, intConst(i32, 0x7FFFFFFF)), intConst(i32, 0x7F800000));
  Value *odd = b.CreateAnd(b.CreateLShr(bits, intConst(i32, 16)), intConst(i32, 1));
  Value *rounded = b.CreateAdd(bits, b.CreateAdd(odd, intConst(i32, 0x7FFF)));
  Value *quiet = b.CreateOr(bits, intConst(i32, 0x400000));
  Value *high = b.CreateLShr(b.CreateSelect(isNaN, quiet, rounded), intConst(i32, 16));
  return b.CreateTrunc(high, intLike(x->getType(), 16));
}

/// cvt.rn.satfinite.e4m3x2.f32 and its like convert pairs.
Value *encodeF8Nvptx(llvm::IRBuilderBase &b, Value *x, ScalarType to) {
  ID::ID id = to == ScalarType::F8E4M3 ? ID::nvvm_ff_to_e4m3x2_rn : ID::nvvm_ff_to_e5m2x2_rn;
  auto pair = [&](Value *high, Value *low) { return b.CreateIntrinsic(id, {}, {high, low}); };
  Value *zero = floatConst(b.getFloatTy(), 0);
  auto *v = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!v)
    return b.CreateTrunc(pair(zero, x), b.getInt8Ty());
  Value *r = llvm::PoisonValue::get(intLike(v, 8));
  for (unsigned i = 0; i < v->getNumElements(); i += 2) {
    bool whole = i + 1 < v->getNumElements();
    Value *both = pair(whole ? b.CreateExtractElement(x, i + 1) : zero, b.CreateExtractElement(x, i));
    r = b.CreateInsertElement(r, b.CreateTrunc(both, b.getInt8Ty()), i);
    if (whole)
      r = b.CreateInsertElement(r, b.CreateTrunc(b.CreateLShr(both, 8), b.getInt8Ty()), i + 1);
  }
  return r;
}

Value *decodeF8Nvptx(llvm::IRBuilderBase &b, Value *x, ScalarType from) {
  ID::ID id = from == ScalarType::F8E4M3 ? ID::nvvm_e4m3x2_to_f16x2_rn : ID::nvvm_e5m2x2_to_f16x2_rn;
  auto pair = [&](Value *bits) {
    return b.CreateFPExt(b.CreateIntrinsic(id, {}, {bits}),
                         f32Like(llvm::FixedVectorType::get(b.getFloatTy(), 2)));
  };
  auto *v = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!v)
    return b.CreateExtractElement(pair(b.CreateZExt(x, b.getInt16Ty())), uint64_t(0));
  Value *r = llvm::PoisonValue::get(f32Like(v));
  for (unsigned i = 0; i < v->getNumElements(); i += 2) {
    bool whole = i + 1 < v->getNumElements();
    Value *bits = b.CreateZExt(b.CreateExtractElement(x, i), b.getInt16Ty());
    if (whole)
      bits = b.CreateOr(bits, b.CreateShl(b.CreateZExt(b.CreateExtractElement(x, i + 1), b.getInt16Ty()), 8));
    Value *two = pair(bits);
    r = b.CreateInsertElement(r, b.CreateExtractElement(two, uint64_t(0)), i);
    if (whole)
      r = b.CreateInsertElement(r, b.CreateExtractElement(two, uint64_t(1)), i + 1);
  }
  return r;
}

} // namespace

static bool hasF8(const ScalarTarget &target) { return target.nvptx && target.sm >= 89 && target.ptx >= 81; }

Value *narrowToF32(llvm::IRBuilderBase &b, Value *x, ScalarType from, const ScalarTarget &target) {
  ExactFloats exact(b);
  llvm::Type *f32 = f32Like(x->getType());
  switch (from) {
  case ScalarType::F16:
    if (target.nvptx || target.hasF16c)
      return b.CreateFPExt(b.CreateBitCast(x, likeShape(f32, b.getHalfTy())), f32);
    return decode(b, b.CreateBitCast(x, intLike(x->getType(), 16)), f16Format);
  case ScalarType::BF16: {
    llvm::Type *i32 = intLike(x->getType(), 32);
    Value *bits = b.CreateZExt(b.CreateBitCast(x, intLike(x->getType(), 16)), i32);
    return b.CreateBitCast(b.CreateShl(bits, intConst(i32, 16)), f32);
  }
  default:
    if (hasF8(target))
      return decodeF8Nvptx(b, x, from);
    return decode(b, x, formatOf(from));
  }
}

Value *f32ToNarrow(llvm::IRBuilderBase &b, Value *x, ScalarType to, const ScalarTarget &target) {
  ExactFloats exact(b);
  llvm::Type *result = likeShape(x->getType(), valueType(b.getContext(), to, target));
  switch (to) {
  case ScalarType::F16:
    if (target.nvptx || target.hasF16c)
      return b.CreateBitCast(b.CreateFPTrunc(x, likeShape(result, b.getHalfTy())), result);
    return encode(b, x, f16Format);
  case ScalarType::BF16:
    if (target.nvptx && target.sm >= 80)
      return b.CreateFPTrunc(x, result);
    return b.CreateBitCast(encodeBF16(b, x), result);
  default:
    if (hasF8(target))
      return encodeF8Nvptx(b, x, to);
    return encode(b, x, formatOf(to));
  }
}

Value *f64ToOddF32(llvm::IRBuilderBase &b, Value *x) {
  ExactFloats exact(b);
  llvm::Type *f32 = f32Like(x->getType()), *i32 = intLike(x->getType(), 32);
  Value *near = b.CreateFPTrunc(x, f32);
  Value *back = b.CreateFPExt(near, x->getType());
  Value *inexact = b.CreateFCmpONE(back, x); // false of NaN
  Value *away = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(ID::fabs, back), b.CreateUnaryIntrinsic(ID::fabs, x));
  Value *bits = b.CreateSub(b.CreateBitCast(near, i32), b.CreateZExt(away, i32));
  return b.CreateBitCast(b.CreateOr(bits, b.CreateZExt(inexact, i32)), f32);
}

} // namespace phobos::target
