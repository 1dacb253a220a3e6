// sqrt, rsqrt, floor, ceil and round.
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

Value *emitRound(Real &real, Value *x, MathFunction fn) {
  ID::ID id = fn == MathFunction::Floor ? ID::floor : fn == MathFunction::Ceil ? ID::ceil : ID::roundeven;
  return real.b.CreateUnaryIntrinsic(id, x);
}

} // namespace phobos::target
