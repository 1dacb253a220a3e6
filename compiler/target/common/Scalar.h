// Elementwise operations whose meaning is the language's, not the hardware's: total division and shifts,
// NaN-propagating max and min, conversions between all types, Philox. On a scalar or a fixed vector; one text
// for both targets.
#pragma once
#include "runtime/contract/ScalarType.h"
#include "llvm/IR/IRBuilder.h"

namespace phobos::target {

struct ScalarTarget {
  bool nvptx = false;
  unsigned sm = 0;     ///< 75, 80, 89, 90 of an NVPTX target
  unsigned ptx = 81;   ///< PTX version; the f8 instructions of sm_89 need 8.1
  bool hasF16c = true; ///< of an x86 target
};

/// What an element of type `t` is in LLVM IR as a value: bool i1, integers iN, index i64, f8 i8 (its bits);
/// f16 and bf16 are half and bfloat on NVPTX, and i16 (their bits) on x86, where LLVM keeps a bfloat that
/// lives past its block as an f32, and converts back by an instruction that flushes denormals or by a call.
llvm::Type *valueType(llvm::LLVMContext &context, ScalarType t, const ScalarTarget &target);
/// As `valueType`, but bool is i8: what memory holds.
llvm::Type *memoryType(llvm::LLVMContext &context, ScalarType t, const ScalarTarget &target);

llvm::Value *emitDiv(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y,
                     bool isSigned); ///< x / 0 = 0, INT_MIN / -1 wraps
llvm::Value *emitRem(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y, bool isSigned); ///< x % 0 = x
llvm::Value *emitShl(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *count, bool countSigned);
llvm::Value *emitShr(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *count, bool isSigned,
                     bool countSigned);
/// x % y of f32 or f64, exact, with the sign of x; NaN if x is infinite or y is 0.
llvm::Value *emitRemF(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);
/// NaN if either is NaN; max(-0, 0) is 0. Of f32, f64, and on NVPTX of half and bfloat.
llvm::Value *emitMaxF(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y, const ScalarTarget &target);
llvm::Value *emitMinF(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y, const ScalarTarget &target);
/// T(x), spec/types.md. `x` is of valueType(from, target) or a vector of it.
llvm::Value *emitConvert(llvm::IRBuilderBase &b, llvm::Value *x, ScalarType from, ScalarType to,
                         const ScalarTarget &target);
/// Philox 4x32-10, word 0, top 24 bits over 2^24; i64 operands.
llvm::Value *emitRand(llvm::IRBuilderBase &b, llvm::Value *seed, llvm::Value *offset);

} // namespace phobos::target
