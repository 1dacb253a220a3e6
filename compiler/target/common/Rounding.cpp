// sqrt, rsqrt, floor, ceil and round; division within functions.
#include "compiler/target/common/Real.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace phobos::target {
using llvm::Value;
namespace ID = llvm::Intrinsic;

/// IEEE. On NVPTX llvm.sqrt may become sqrt.approx, so the rounding is named.
Value *emitSqrt(Real &real, Value *x) {
  if (!real.target.nvptx)
    return real.b.CreateUnaryIntrinsic(ID::sqrt, x);
  ID::ID id = real.isDouble ? ID::nvvm_sqrt_rn_d : ID::nvvm_sqrt_rn_f;
  return eachLane(real.b, x, real.type->getScalarType(), [&](Value *lane) {
    return real.b.CreateIntrinsic(id, llvm::ArrayRef<llvm::Type *>(), {lane});
  });
}

/// f32 on NVPTX: rsqrt.approx.f32, whose relative error is at most 2^-22.9 over the full range, denormals
/// included. Elsewhere two correctly rounded operations: the square root's relative error of 2^-24 and the
/// division's.
Value *emitRsqrt(Real &real, Value *x) {
  if (real.target.nvptx && !real.isDouble)
    return eachLane(real.b, x, real.type->getScalarType(), [&](Value *lane) {
      return real.b.CreateIntrinsic(ID::nvvm_rsqrt_approx_f, llvm::ArrayRef<llvm::Type *>(), {lane});
    });
  return real.div(real.c(1), emitSqrt(real, x));
}

/// rcp.approx.ftz.f32: 1 ulp, of a normal result.
Value *reciprocal(Real &real, Value *y) {
  if (!real.target.nvptx || real.isDouble)
    return real.div(real.c(1), y);
  return eachLane(real.b, y, real.type->getScalarType(), [&](Value *lane) {
    return real.b.CreateIntrinsic(ID::nvvm_rcp_approx_ftz_f, llvm::ArrayRef<llvm::Type *>(), {lane});
  });
}

/// On NVPTX x times the reciprocal, and what is left of x brought in once more.
Value *quotient(Real &real, Value *x, Value *y) {
  if (!real.target.nvptx || real.isDouble)
    return real.div(x, y);
  Value *r = reciprocal(real, y), *q = real.mul(x, r);
  return real.fma(real.fma(real.neg(q), y, x), r, q);
}

Value *emitRound(Real &real, Value *x, MathFunction fn) {
  ID::ID id = fn == MathFunction::Floor ? ID::floor : fn == MathFunction::Ceil ? ID::ceil : ID::roundeven;
  return real.b.CreateUnaryIntrinsic(id, x);
}

} // namespace phobos::target
