// x % y of floats, exactly, as C's fmod: long division in powers of two. Every difference is of two numbers
// within a factor of two of each other, so nothing is rounded.
#include "compiler/target/common/Scalar.h"
#include "llvm/IR/Module.h"

namespace phobos::target {
namespace {

/// i1: some lane of `v` is true.
llvm::Value *anyLane(llvm::IRBuilderBase &b, llvm::Value *v) {
  return v->getType()->isVectorTy() ? b.CreateOrReduce(v) : v;
}

/// Fills `f`, of two floats or two vectors of floats.
void fill(llvm::Function *f) {
  llvm::LLVMContext &c = f->getContext();
  llvm::Type *type = f->getReturnType();
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(c, name, f); };
  llvm::BasicBlock *entry = block("entry"), *grow = block("grow"), *divide = block("divide"),
                   *exit = block("exit");
  llvm::IRBuilder<> b(entry);
  llvm::Value *x = f->getArg(0), *y = f->getArg(1);
  llvm::Value *zero = llvm::ConstantFP::get(type, 0.0), *one = llvm::ConstantFP::get(type, 1.0),
              *half = llvm::ConstantFP::get(type, 0.5), *infinity = llvm::ConstantFP::getInfinity(type);
  auto absolute = [&](llvm::Value *v) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
  llvm::Value *ax = absolute(x), *ay = absolute(y);
  llvm::Value *isFinite = b.CreateFCmpOLT(ax, infinity);
  llvm::Value *divides =
      b.CreateAnd(b.CreateAnd(isFinite, b.CreateFCmpOGT(ay, zero)), b.CreateFCmpOLT(ay, infinity));
  llvm::Value *divisor = b.CreateSelect(divides, ay, one), *start = b.CreateSelect(divides, ax, zero);
  b.CreateBr(grow);

  b.SetInsertPoint(
      grow); // the largest divisor * 2^n that is not above the dividend; a double that overflows is above
  llvm::PHINode *scaled = b.CreatePHI(type, 2);
  scaled->addIncoming(divisor, entry);
  llvm::Value *twice = b.CreateFAdd(scaled, scaled);
  llvm::Value *fits = b.CreateFCmpOLE(twice, start);
  scaled->addIncoming(b.CreateSelect(fits, twice, scaled), grow);
  b.CreateCondBr(anyLane(b, fits), grow, divide);

  b.SetInsertPoint(divide);
  llvm::PHINode *rest = b.CreatePHI(type, 2), *step = b.CreatePHI(type, 2);
  rest->addIncoming(start, grow), step->addIncoming(scaled, grow);
  llvm::Value *next = b.CreateSelect(b.CreateFCmpOGE(rest, step), b.CreateFSub(rest, step), rest);
  llvm::Value *more = b.CreateFCmpOGT(step, divisor);
  rest->addIncoming(next, divide);
  step->addIncoming(b.CreateSelect(more, b.CreateFMul(step, half), step), divide);
  b.CreateCondBr(anyLane(b, more), divide, exit);

  b.SetInsertPoint(exit); // a finite x stays where y is infinite; else there is no remainder
  llvm::Value *signedRest = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, next, x);
  llvm::Value *keeps = b.CreateAnd(isFinite, b.CreateFCmpOEQ(ay, infinity));
  llvm::Value *otherwise = b.CreateSelect(keeps, x, llvm::ConstantFP::getNaN(type));
  b.CreateRet(b.CreateSelect(divides, signedRest, otherwise));
}

} // namespace

llvm::Value *emitRemF(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y) {
  llvm::Module *module = b.GetInsertBlock()->getModule();
  llvm::Type *type = x->getType();
  std::string name = "phobos.remainder.";
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    name += "v" + std::to_string(vector->getNumElements());
  name += type->getScalarType()->isDoubleTy() ? "f64" : "f32";
  llvm::Function *f = module->getFunction(name);
  if (!f) {
    f = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                               llvm::Function::InternalLinkage, name, module);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    fill(f);
  }
  return b.CreateCall(f, {x, y});
}

} // namespace phobos::target
