// Writes PTX whose kernels try every f32 input on a GPU: `common-gpu-emit sm_90a > sweep.ptx`, then
// `common-gpu-sweep sweep.ptx` on a machine with a driver. Each kernel keeps the worst error it saw and
// where: the f32 form of a function against its f64 form (which the host tests hold against long double), a
// conversion by instruction against the one by bit manipulation.
#include "compiler/target/common/Real.h"
#include "compiler/target/common/Scalar.h"
#include "tests/common/Ptx.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include <cstdio>
#include <functional>

using namespace phobos;
using llvm::Value;
using target::MathFunction;

namespace {

/// From the 32 (or 64) bits of input number i to the error there, an f32.
struct Sweep {
  std::string name;
  double bound;
  std::function<Value *(llvm::IRBuilder<> &, Value *bits)> error;
};

target::MathTarget gpuMath() {
  target::MathTarget t;
  t.nvptx = true;
  return t;
}

/// |got - exact| in units of the last place of `exact` as an f32, infinities counted as 2^128; 1e30 where
/// only one is NaN.
Value *ulps(llvm::IRBuilder<> &b, Value *got, Value *exact) {
  llvm::Type *f64 = b.getDoubleTy(), *i64 = b.getInt64Ty();
  auto abs = [&](Value *v) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
  Value *past = target::floatConst(f64, 0x1p128);
  auto finite = [&](Value *v) {
    Value *m = abs(v);
    m = b.CreateSelect(b.CreateFCmpOGT(m, past), past, m);
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, m, v);
  };
  Value *g = finite(b.CreateFPExt(got, f64)), *e = finite(exact);
  Value *exponent = b.CreateAnd(b.CreateLShr(b.CreateBitCast(e, i64), 52), 0x7FF);
  exponent = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, exponent, b.getInt64(1023 - 126));
  exponent = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, exponent, b.getInt64(1023 + 127));
  Value *scale = b.CreateBitCast(b.CreateShl(b.CreateSub(b.getInt64(2 * 1023 + 23), exponent), 52), f64);
  Value *r = b.CreateFMul(abs(b.CreateFSub(g, e)), scale);
  Value *gotNaN = b.CreateFCmpUNO(got, got), *exactNaN = b.CreateFCmpUNO(exact, exact);
  r = b.CreateSelect(b.CreateOr(gotNaN, exactNaN), target::floatConst(f64, 1e30), r);
  r = b.CreateSelect(b.CreateAnd(gotNaN, exactNaN), target::floatConst(f64, 0), r);
  return b.CreateFPTrunc(r, b.getFloatTy());
}

Sweep function(const char *name, MathFunction fn, double bound) {
  return {name, bound, [=](llvm::IRBuilder<> &b, Value *bits) {
            Value *x = b.CreateBitCast(b.CreateTrunc(bits, b.getInt32Ty()), b.getFloatTy());
            Value *got = target::emitMath(b, fn, {x}, gpuMath());
            Value *exact = target::emitMath(b, fn, {b.CreateFPExt(x, b.getDoubleTy())}, gpuMath());
            Value *error = ulps(b, got, exact);
            if (fn == MathFunction::Sin ||
                fn == MathFunction::Cos) { // the f64 form is accurate up to 2^46 only
              Value *beyond = b.CreateFCmpOGT(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x),
                                              target::floatConst(b.getFloatTy(), 0x1p46));
              return b.CreateSelect(b.CreateAnd(beyond, b.CreateFCmpORD(got, got)),
                                    target::floatConst(b.getFloatTy(), 0), error);
            }
            if (fn != MathFunction::Exp)
              return error;
            // In units of what is allowed: |x| 2^-23 + 2^-22 of the result is at most that times 2^24 ulps,
            // and at least 1 of a denormal.
            Value *absolute = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
            Value *relative = b.CreateFDiv(
                b.CreateFMul(b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs,
                                                    b.CreateFSub(b.CreateFPExt(got, b.getDoubleTy()), exact)),
                             target::floatConst(b.getDoubleTy(), 0x1p22)),
                exact);
            Value *allowed = b.CreateFAdd(b.CreateFMul(absolute, target::floatConst(b.getFloatTy(), 0.5)),
                                          target::floatConst(b.getFloatTy(), 1));
            Value *inUnits = b.CreateFDiv(b.CreateFPTrunc(relative, b.getFloatTy()), allowed);
            Value *isDenormal = b.CreateFCmpOLT(exact, target::floatConst(b.getDoubleTy(), 0x1p-126));
            Value *both =
                b.CreateSelect(b.CreateFCmpOLT(inUnits, error), inUnits, error); // of a denormal the laxer
            // Overflow and NaN: the ulps decide.
            Value *isPlain = b.CreateFCmpOLT(exact, target::floatConst(b.getDoubleTy(), 0x1.fffffep127));
            return b.CreateSelect(isPlain, b.CreateSelect(isDenormal, both, inUnits), error);
          }};
}

/// Pairs of operands from a hash of the input's number, half of them close to where powers are neither 0 nor
/// infinite.
Sweep power() {
  return {"pow", 16, [](llvm::IRBuilder<> &b, Value *bits) {
            Value *h = b.CreateMul(b.CreateXor(bits, b.CreateLShr(bits, 17)), b.getInt64(0x9E3779B97F4A7C15));
            h = b.CreateMul(b.CreateXor(h, b.CreateLShr(h, 29)), b.getInt64(0xBF58476D1CE4E5B9));
            h = b.CreateXor(h, b.CreateLShr(h, 32));
            Value *low = b.CreateTrunc(h, b.getInt32Ty()),
                  *high = b.CreateTrunc(b.CreateLShr(h, 32), b.getInt32Ty());
            // x = low's mantissa with an exponent of -8 .. 7; y within -16 .. 16.
            Value *near = b.CreateAdd(b.CreateAnd(low, 0x07FFFFFF), b.getInt32((127 - 8) << 23));
            Value *y = b.CreateFMul(b.CreateSIToFP(high, b.getFloatTy()),
                                    target::floatConst(b.getFloatTy(), 0x1p-27));
            Value *wild = b.CreateICmpEQ(b.CreateAnd(bits, 1), b.getInt64(0));
            Value *x = b.CreateBitCast(b.CreateSelect(wild, low, near), b.getFloatTy());
            y = b.CreateSelect(wild, b.CreateBitCast(high, b.getFloatTy()), y);
            Value *exact = target::emitMath(
                b, MathFunction::Pow, {b.CreateFPExt(x, b.getDoubleTy()), b.CreateFPExt(y, b.getDoubleTy())},
                gpuMath());
            return ulps(b, target::emitMath(b, MathFunction::Pow, {x, y}, gpuMath()), exact);
          }};
}

Value *differ(llvm::IRBuilder<> &b, Value *x, Value *y) {
  return b.CreateUIToFP(b.CreateICmpNE(x, y), b.getFloatTy());
}

/// By the architecture's instruction and by bit manipulation; NaN are not compared.
Sweep conversion(ScalarType to, unsigned sm) {
  return {"f32_to_" + std::string(name(to)), 0, [=](llvm::IRBuilder<> &b, Value *bits) {
            Value *x = b.CreateBitCast(b.CreateTrunc(bits, b.getInt32Ty()), b.getFloatTy());
            target::ScalarTarget direct, plain;
            direct.nvptx = true;
            direct.sm = sm;
            plain.hasF16c = false; // not NVPTX: everything by bits
            llvm::Type *t = b.getIntNTy(bitWidth(to));
            Value *got = b.CreateBitCast(target::emitConvert(b, x, ScalarType::F32, to, direct), t);
            Value *expected = b.CreateBitCast(target::emitConvert(b, x, ScalarType::F32, to, plain), t);
            return b.CreateSelect(b.CreateFCmpUNO(x, x), target::floatConst(b.getFloatTy(), 0),
                                  differ(b, got, expected));
          }};
}

/// The widening of every pattern of a narrow type (the input's low bits).
Sweep widening(ScalarType from, unsigned sm) {
  return {std::string(name(from)) + "_to_f32", 0, [=](llvm::IRBuilder<> &b, Value *bits) {
            target::ScalarTarget direct, plain;
            direct.nvptx = true;
            direct.sm = sm;
            plain.hasF16c = false;
            Value *pattern = b.CreateTrunc(bits, b.getIntNTy(bitWidth(from)));
            auto widened = [&](const target::ScalarTarget &t) {
              Value *x = b.CreateBitCast(pattern, target::valueType(b.getContext(), from, t));
              return target::emitConvert(b, x, from, ScalarType::F32, t);
            };
            Value *got = widened(direct), *expected = widened(plain);
            Value *sameNaN = b.CreateAnd(b.CreateFCmpUNO(got, got), b.CreateFCmpUNO(expected, expected));
            return b.CreateSelect(
                sameNaN, target::floatConst(b.getFloatTy(), 0),
                differ(b, b.CreateBitCast(got, b.getInt32Ty()), b.CreateBitCast(expected, b.getInt32Ty())));
          }};
}

/// out = max(out, error << 32 | input), over inputs tid, tid + threads, .. below count.
void kernel(llvm::Module &module, const Sweep &s) {
  llvm::LLVMContext &context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *i64 = b.getInt64Ty();
  auto *f = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(1), i64}, false),
                                   llvm::Function::ExternalLinkage, "sweep_" + s.name, module);
  f->setCallingConv(llvm::CallingConv::PTX_Kernel);
  auto *entry = llvm::BasicBlock::Create(context, "entry", f),
       *loop = llvm::BasicBlock::Create(context, "loop", f),
       *done = llvm::BasicBlock::Create(context, "done", f);
  b.SetInsertPoint(entry);
  auto special = [&](llvm::Intrinsic::ID id) {
    return b.CreateZExt(b.CreateIntrinsic(id, llvm::ArrayRef<Value *>()), i64);
  };
  Value *threads = special(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x);
  Value *first = b.CreateAdd(b.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x), threads),
                             special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
  Value *stride = b.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x), threads);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  auto *i = b.CreatePHI(i64, 2), *worst = b.CreatePHI(i64, 2);
  Value *error = b.CreateZExt(b.CreateBitCast(s.error(b, i), b.getInt32Ty()), i64);
  Value *here = b.CreateOr(b.CreateShl(error, 32), b.CreateAnd(i, 0xFFFFFFFF));
  Value *most = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, worst, here);
  Value *next = b.CreateAdd(i, stride);
  i->addIncoming(first, entry);
  i->addIncoming(next, loop);
  worst->addIncoming(b.getInt64(0), entry);
  worst->addIncoming(most, loop);
  b.CreateCondBr(b.CreateICmpULT(next, f->getArg(1)), loop, done);
  b.SetInsertPoint(done);
  b.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, f->getArg(0), most, llvm::Align(8),
                    llvm::AtomicOrdering::Monotonic);
  b.CreateRetVoid();
}

} // namespace

int main(int argc, char **argv) {
  std::string cpu = argc > 1 ? argv[1] : "sm_90a";
  unsigned sm = unsigned(std::atoi(cpu.c_str() + 3));
  std::vector<Sweep> sweeps = {
      function("exp", MathFunction::Exp, 1),       function("exp2", MathFunction::Exp2, 2),
      function("log", MathFunction::Log, 3),       function("log2", MathFunction::Log2, 3),
      function("sqrt", MathFunction::Sqrt, 0.501), function("rsqrt", MathFunction::Rsqrt, 2),
      function("tanh", MathFunction::Tanh, 4),     function("sigmoid", MathFunction::Sigmoid, 4),
      function("erf", MathFunction::Erf, 4),       function("sin", MathFunction::Sin, 4),
      function("cos", MathFunction::Cos, 4),       power(),
      function("floor", MathFunction::Floor, 0),   function("ceil", MathFunction::Ceil, 0),
      function("round", MathFunction::Round, 0)};
  for (ScalarType t : {ScalarType::F16, ScalarType::BF16, ScalarType::F8E4M3, ScalarType::F8E5M2}) {
    sweeps.push_back(conversion(t, sm));
    sweeps.push_back(widening(t, sm));
  }
  std::string header;
  for (const Sweep &s : sweeps) {
    char line[100];
    std::snprintf(line, sizeof line, "// sweep %s %g\n", s.name.c_str(), s.bound);
    header += line;
  }
  std::string ptx = testing::ptxOf(cpu, [&](llvm::Module &module) {
    for (const Sweep &s : sweeps)
      kernel(module, s);
  });
  std::fputs((header + ptx).c_str(), stdout);
  return 0;
}
