#include "compiler/target/common/Math.h"
#include "compiler/target/common/Real.h"

namespace phobos::target {

llvm::Value *emitMath(llvm::IRBuilderBase &b, MathFunction fn, llvm::ArrayRef<llvm::Value *> args,
                      const MathTarget &target) {
  ExactFloats exact(b);
  Real real(b, args[0]->getType(), target);
  llvm::Value *x = args[0];
  switch (fn) {
  case MathFunction::Exp:
    return emitExp(real, x);
  case MathFunction::Exp2:
    return emitExp2(real, x);
  case MathFunction::Log:
    return emitLog(real, x);
  case MathFunction::Log2:
    return emitLog2(real, x);
  case MathFunction::Sqrt:
    return emitSqrt(real, x);
  case MathFunction::Rsqrt:
    return emitRsqrt(real, x);
  case MathFunction::Tanh:
    return emitTanh(real, x);
  case MathFunction::Sigmoid:
    return emitSigmoid(real, x);
  case MathFunction::Erf:
    return emitErf(real, x);
  case MathFunction::Sin:
    return emitSinCos(real, x, false);
  case MathFunction::Cos:
    return emitSinCos(real, x, true);
  case MathFunction::Abs:
    return real.abs(x);
  case MathFunction::Floor:
  case MathFunction::Ceil:
  case MathFunction::Round:
    return emitRound(real, x, fn);
  case MathFunction::Pow:
    return emitPow(real, x, args[1]);
  case MathFunction::Fma:
    return real.fma(x, args[1], args[2]);
  }
  llvm_unreachable("a function of the language");
}

} // namespace phobos::target
