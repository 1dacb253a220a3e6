// Elementwise operations on a scalar or a vector of neighbouring elements.
#include "compiler/target/common/Math.h"
#include "compiler/target/cpu/Emitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

namespace phobos::cpu {
namespace {

namespace arith = mlir::arith;

/// Types in which the processor does no arithmetic: computed in f32, rounded once an operation.
bool isNarrowFloat(mlir::Type elem) {
  return mlir::isa<mlir::FloatType>(elem) && elem.getIntOrFloatBitWidth() < 32;
}

llvm::CmpInst::Predicate predicate(arith::CmpIPredicate p) {
  using I = llvm::CmpInst;
  switch (p) {
  case arith::CmpIPredicate::eq:
    return I::ICMP_EQ;
  case arith::CmpIPredicate::ne:
    return I::ICMP_NE;
  case arith::CmpIPredicate::slt:
    return I::ICMP_SLT;
  case arith::CmpIPredicate::sle:
    return I::ICMP_SLE;
  case arith::CmpIPredicate::sgt:
    return I::ICMP_SGT;
  case arith::CmpIPredicate::sge:
    return I::ICMP_SGE;
  case arith::CmpIPredicate::ult:
    return I::ICMP_ULT;
  case arith::CmpIPredicate::ule:
    return I::ICMP_ULE;
  case arith::CmpIPredicate::ugt:
    return I::ICMP_UGT;
  case arith::CmpIPredicate::uge:
    return I::ICMP_UGE;
  }
  return I::ICMP_EQ;
}

llvm::CmpInst::Predicate predicate(arith::CmpFPredicate p) {
  using F = llvm::CmpInst;
  switch (p) {
  case arith::CmpFPredicate::AlwaysFalse:
    return F::FCMP_FALSE;
  case arith::CmpFPredicate::OEQ:
    return F::FCMP_OEQ;
  case arith::CmpFPredicate::OGT:
    return F::FCMP_OGT;
  case arith::CmpFPredicate::OGE:
    return F::FCMP_OGE;
  case arith::CmpFPredicate::OLT:
    return F::FCMP_OLT;
  case arith::CmpFPredicate::OLE:
    return F::FCMP_OLE;
  case arith::CmpFPredicate::ONE:
    return F::FCMP_ONE;
  case arith::CmpFPredicate::ORD:
    return F::FCMP_ORD;
  case arith::CmpFPredicate::UEQ:
    return F::FCMP_UEQ;
  case arith::CmpFPredicate::UGT:
    return F::FCMP_UGT;
  case arith::CmpFPredicate::UGE:
    return F::FCMP_UGE;
  case arith::CmpFPredicate::ULT:
    return F::FCMP_ULT;
  case arith::CmpFPredicate::ULE:
    return F::FCMP_ULE;
  case arith::CmpFPredicate::UNE:
    return F::FCMP_UNE;
  case arith::CmpFPredicate::UNO:
    return F::FCMP_UNO;
  case arith::CmpFPredicate::AlwaysTrue:
    return F::FCMP_TRUE;
  }
  return F::FCMP_FALSE;
}

/// Operations on floats, all operands of one type at least f32; null if `op` is none of them.
llvm::Value *emitFloat(llvm::IRBuilderBase &b, mlir::Operation *op, llvm::ArrayRef<llvm::Value *> x,
                       const target::ScalarTarget &target, const target::MathTarget &mathTarget) {
  return llvm::TypeSwitch<mlir::Operation *, llvm::Value *>(op)
      .Case([&](arith::AddFOp) { return b.CreateFAdd(x[0], x[1]); })
      .Case([&](arith::SubFOp) { return b.CreateFSub(x[0], x[1]); })
      .Case([&](arith::MulFOp) { return b.CreateFMul(x[0], x[1]); })
      .Case([&](arith::DivFOp) { return b.CreateFDiv(x[0], x[1]); })
      .Case([&](arith::RemFOp) { return target::emitRemF(b, x[0], x[1]); })
      .Case([&](arith::NegFOp) { return b.CreateFNeg(x[0]); })
      .Case([&](arith::MaximumFOp) { return target::emitMaxF(b, x[0], x[1], target); })
      .Case([&](arith::MinimumFOp) { return target::emitMinF(b, x[0], x[1], target); })
      .Case([&](arith::CmpFOp cmp) { return b.CreateFCmp(predicate(cmp.getPredicate()), x[0], x[1]); })
      .Case([&](pho::MathOp math) {
        return target::emitMath(b, static_cast<target::MathFunction>(math.getFn()), x, mathTarget);
      })
      .Default([](mlir::Operation *) { return nullptr; });
}

llvm::Value *emitInteger(llvm::IRBuilderBase &b, mlir::Operation *op, llvm::ArrayRef<llvm::Value *> x,
                         llvm::Type *result) {
  using V = llvm::Value *;
  return llvm::TypeSwitch<mlir::Operation *, V>(op)
      .Case([&](arith::AddIOp) { return b.CreateAdd(x[0], x[1]); })
      .Case([&](arith::SubIOp) { return b.CreateSub(x[0], x[1]); })
      .Case([&](arith::MulIOp) { return b.CreateMul(x[0], x[1]); })
      .Case([&](arith::AndIOp) { return b.CreateAnd(x[0], x[1]); })
      .Case([&](arith::OrIOp) { return b.CreateOr(x[0], x[1]); })
      .Case([&](arith::XOrIOp) { return b.CreateXor(x[0], x[1]); })
      .Case([&](arith::MaxSIOp) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x[0], x[1]); })
      .Case([&](arith::MaxUIOp) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x[0], x[1]); })
      .Case([&](arith::MinSIOp) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x[0], x[1]); })
      .Case([&](arith::MinUIOp) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x[0], x[1]); })
      .Case([&](arith::CmpIOp cmp) { return b.CreateICmp(predicate(cmp.getPredicate()), x[0], x[1]); })
      .Case<arith::DivSIOp>([&](auto) { return target::emitDiv(b, x[0], x[1], true); })
      .Case<arith::DivUIOp>([&](auto) { return target::emitDiv(b, x[0], x[1], false); })
      .Case<arith::RemSIOp>([&](auto) { return target::emitRem(b, x[0], x[1], true); })
      .Case<arith::RemUIOp>([&](auto) { return target::emitRem(b, x[0], x[1], false); })
      .Case<arith::ShLIOp>([&](auto) { return target::emitShl(b, x[0], x[1], false); })
      .Case<arith::ShRSIOp>([&](auto) { return target::emitShr(b, x[0], x[1], true, false); })
      .Case<arith::ShRUIOp>([&](auto) { return target::emitShr(b, x[0], x[1], false, false); })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([&](auto) { return b.CreateSExtOrTrunc(x[0], result); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) { return b.CreateZExtOrTrunc(x[0], result); })
      .Case([&](arith::TruncIOp) { return b.CreateTrunc(x[0], result); })
      .Case([&](arith::BitcastOp) { return b.CreateBitCast(x[0], result); })
      .Case([&](arith::SelectOp) { return b.CreateSelect(x[0], x[1], x[2]); })
      .Case([&](pho::TotalOp total) -> V {
        const bool isSigned = !total.getIsUnsigned();
        switch (total.getKind()) {
        case pho::TotalKind::Div:
          return target::emitDiv(b, x[0], x[1], isSigned);
        case pho::TotalKind::Rem:
          return target::emitRem(b, x[0], x[1], isSigned);
        case pho::TotalKind::Shl:
          return target::emitShl(b, x[0], x[1], isSigned);
        case pho::TotalKind::Shr:
          return target::emitShr(b, x[0], x[1], isSigned, isSigned);
        }
        return nullptr;
      })
      .Case([&](pho::RandOp) { return target::emitRand(b, x[0], x[1]); })
      .Default([](mlir::Operation *) { return nullptr; });
}

/// arith's own conversions, which mean what pho.convert does for these pairs.
bool isFloatConversion(mlir::Operation *op, bool &fromUnsigned, bool &toUnsigned) {
  fromUnsigned = mlir::isa<arith::UIToFPOp>(op);
  toUnsigned = mlir::isa<arith::FPToUIOp>(op);
  if (auto convert = mlir::dyn_cast<pho::ConvertOp>(op)) {
    fromUnsigned = convert.getFromUnsigned(), toUnsigned = convert.getToUnsigned();
    return true;
  }
  return mlir::isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
                   arith::FPToUIOp>(op);
}

} // namespace

llvm::Value *KernelEmitter::emitElementwise(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> args,
                                            unsigned lanes) {
  mlir::Value out = op->getResult(0);
  bool fromUnsigned, toUnsigned;
  if (isFloatConversion(op, fromUnsigned, toUnsigned))
    return target::emitConvert(builder_, args[0], scalarTypeOf(elementType(op->getOperand(0)), fromUnsigned),
                               scalarTypeOf(elementType(out), toUnsigned), target_.scalar);
  if (llvm::Value *v = emitInteger(builder_, op, args, vectorOf(valueType(out), lanes)))
    return v;
  llvm::SmallVector<llvm::Value *> wide(args);
  const mlir::Type in = elementType(op->getOperand(0));
  const bool isNarrow = isNarrowFloat(in);
  if (isNarrow)
    for (llvm::Value *&v : wide)
      v = target::emitConvert(builder_, v, scalarTypeOf(in, false), ScalarType::F32, target_.scalar);
  llvm::Value *result = emitFloat(builder_, op, wide, target_.scalar, {.avx512 = target_.hasAvx512});
  if (!result) {
    error_ = "operation '" + op->getName().getStringRef().str() + "' is unknown to the CPU target";
    return llvm::PoisonValue::get(vectorOf(valueType(out), lanes));
  }
  if (isNarrow && isNarrowFloat(elementType(out)))
    result = target::emitConvert(builder_, result, ScalarType::F32, scalarTypeOf(in, false), target_.scalar);
  return result;
}

llvm::Value *KernelEmitter::emitConstant(mlir::TypedAttr value, unsigned lanes) {
  llvm::Type *type = valueType(value.getType());
  llvm::Constant *c;
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value))
    c = llvm::ConstantInt::get(type, integer.getValue());
  else if (llvm::APFloat x = mlir::cast<mlir::FloatAttr>(value).getValue(); type->isFloatingPointTy())
    c = llvm::ConstantFP::get(type, x);
  else
    c = llvm::ConstantInt::get(type, x.bitcastToAPInt());
  return lanes == 1 ? c : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes), c);
}

} // namespace phobos::cpu
