// Elementwise operations: arith's where they mean what the language says, else our own.
#include "compiler/ir/KernelBuilder.h"
#include "compiler/ir/Types.h"

using namespace mlir;

namespace phobos::ir {

using sema::ExprP;
using sema::Op;

Value KernelBuilder::elementwise(ExprP e, Location loc) {
  SmallVector<Value> args;
  for (ExprP arg : e->args)
    args.push_back(value(arg));
  switch (e->op) {
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return compare(e, loc, args[0], args[1]);
  case Op::Where:
    return arith::SelectOp::create(b_, loc, args[0], args[1], args[2]);
  case Op::Not:
    return negate(loc, args[0]);
  case Op::BitNot:
    return arith::XOrIOp::create(b_, loc, args[0], integer(loc, args[0].getType(), -1));
  default:
    break;
  }
  if (!isF8(e->type.elem))
    return arithmetic(e, loc, args);
  // f8 is a storage type: computed in f32, rounded once.
  for (Value &arg : args)
    arg = convert(loc, arg, e->type.elem, ScalarType::F32);
  return convert(loc, arithmetic(e, loc, args), ScalarType::F32, e->type.elem);
}

static pho::MathFn mathFunction(Op op) {
  switch (op) {
  case Op::Exp:
    return pho::MathFn::Exp;
  case Op::Exp2:
    return pho::MathFn::Exp2;
  case Op::Log:
    return pho::MathFn::Log;
  case Op::Log2:
    return pho::MathFn::Log2;
  case Op::Sqrt:
    return pho::MathFn::Sqrt;
  case Op::Rsqrt:
    return pho::MathFn::Rsqrt;
  case Op::Tanh:
    return pho::MathFn::Tanh;
  case Op::Sigmoid:
    return pho::MathFn::Sigmoid;
  case Op::Erf:
    return pho::MathFn::Erf;
  case Op::Sin:
    return pho::MathFn::Sin;
  case Op::Cos:
    return pho::MathFn::Cos;
  case Op::Abs:
    return pho::MathFn::Abs;
  case Op::Floor:
    return pho::MathFn::Floor;
  case Op::Ceil:
    return pho::MathFn::Ceil;
  case Op::Round:
    return pho::MathFn::Round;
  case Op::Pow:
    return pho::MathFn::Pow;
  default:
    assert(op == Op::Fma);
    return pho::MathFn::Fma;
  }
}

Value KernelBuilder::arithmetic(ExprP e, Location loc, ArrayRef<Value> args) {
  mlir::Type type = args[0].getType();
  Value x = args[0], y = args.size() > 1 ? args[1] : Value();
  bool isFloating = isa<FloatType>(getElementTypeOrSelf(type)), unsignedInt = isUnsigned(e->type.elem);
  auto total = [&](pho::TotalKind kind) {
    return pho::TotalOp::create(b_, loc, type, kind, x, y, unsignedInt).getResult();
  };
#define FLOAT_OR_INT(FLOAT, INT)                                                                             \
  isFloating ? arith::FLOAT::create(b_, loc, x, y).getResult() : arith::INT::create(b_, loc, x, y).getResult()
  switch (e->op) {
  case Op::Neg:
    if (isFloating)
      return arith::NegFOp::create(b_, loc, x);
    return arith::SubIOp::create(b_, loc, zero(loc, type), x);
  case Op::Add:
    return FLOAT_OR_INT(AddFOp, AddIOp);
  case Op::Sub:
    return FLOAT_OR_INT(SubFOp, SubIOp);
  case Op::Mul:
    return FLOAT_OR_INT(MulFOp, MulIOp);
  case Op::Max:
    return unsignedInt ? arith::MaxUIOp::create(b_, loc, x, y).getResult()
                       : FLOAT_OR_INT(MaximumFOp, MaxSIOp);
  case Op::Min:
    return unsignedInt ? arith::MinUIOp::create(b_, loc, x, y).getResult()
                       : FLOAT_OR_INT(MinimumFOp, MinSIOp);
  case Op::Div:
    return isFloating ? arith::DivFOp::create(b_, loc, x, y).getResult() : total(pho::TotalKind::Div);
  case Op::Rem:
    return isFloating ? arith::RemFOp::create(b_, loc, x, y).getResult() : total(pho::TotalKind::Rem);
  case Op::And:
    return arith::AndIOp::create(b_, loc, x, y);
  case Op::Or:
    return arith::OrIOp::create(b_, loc, x, y);
  case Op::Xor:
    return arith::XOrIOp::create(b_, loc, x, y);
  case Op::Shl:
    return total(pho::TotalKind::Shl);
  case Op::Shr:
    return total(pho::TotalKind::Shr);
  case Op::CDiv:
    return ceilingQuotient(loc, x, y, unsignedInt);
  default:
    break;
  }
#undef FLOAT_OR_INT
  if (isFloating)
    return pho::MathOp::create(b_, loc, type, mathFunction(e->op), args);
  switch (e->op) { // of integers
  case Op::Abs:
    return unsignedInt
               ? x
               : arith::MaxSIOp::create(b_, loc, x, arith::SubIOp::create(b_, loc, zero(loc, type), x))
                     .getResult();
  case Op::Fma:
    return arith::AddIOp::create(b_, loc, arith::MulIOp::create(b_, loc, x, y), args[2]);
  default:
    return x; // floor, ceil, round
  }
}

/// The quotient truncates; where a remainder is left and the exact quotient is positive, one more. x cdiv 0
/// is 0.
Value KernelBuilder::ceilingQuotient(Location loc, Value x, Value y, bool unsignedInt) {
  mlir::Type type = x.getType();
  Value none = zero(loc, type);
  Value quotient = pho::TotalOp::create(b_, loc, type, pho::TotalKind::Div, x, y, unsignedInt);
  Value rest = pho::TotalOp::create(b_, loc, type, pho::TotalKind::Rem, x, y, unsignedInt);
  Value up = arith::CmpIOp::create(b_, loc, arith::CmpIPredicate::ne, rest, none);
  if (!unsignedInt) {
    Value xNegative = arith::CmpIOp::create(b_, loc, arith::CmpIPredicate::slt, x, none);
    Value yNegative = arith::CmpIOp::create(b_, loc, arith::CmpIPredicate::slt, y, none);
    Value sameSign = arith::CmpIOp::create(b_, loc, arith::CmpIPredicate::eq, xNegative, yNegative);
    up = arith::AndIOp::create(b_, loc, up, sameSign);
  }
  Value divides = arith::CmpIOp::create(b_, loc, arith::CmpIPredicate::ne, y, none);
  up = arith::AndIOp::create(b_, loc, up, divides);
  Value more = arith::AddIOp::create(b_, loc, quotient, integer(loc, type, 1));
  return arith::SelectOp::create(b_, loc, up, more, quotient);
}

Value KernelBuilder::compare(ExprP e, Location loc, Value x, Value y) {
  ScalarType elem = e->args[0]->type.elem;
  if (isFloat(elem)) {
    if (isF8(elem)) {
      x = convert(loc, x, elem, ScalarType::F32);
      y = convert(loc, y, elem, ScalarType::F32);
    }
    using P = arith::CmpFPredicate;
    P p = e->op == Op::Eq   ? P::OEQ
          : e->op == Op::Ne ? P::UNE
          : e->op == Op::Lt ? P::OLT
          : e->op == Op::Le ? P::OLE
          : e->op == Op::Gt ? P::OGT
                            : P::OGE;
    return arith::CmpFOp::create(b_, loc, p, x, y);
  }
  using P = arith::CmpIPredicate;
  bool u = isUnsigned(elem) || elem == ScalarType::Bool;
  P p = e->op == Op::Eq   ? P::eq
        : e->op == Op::Ne ? P::ne
        : e->op == Op::Lt ? (u ? P::ult : P::slt)
        : e->op == Op::Le ? (u ? P::ule : P::sle)
        : e->op == Op::Gt ? (u ? P::ugt : P::sgt)
                          : (u ? P::uge : P::sge);
  return arith::CmpIOp::create(b_, loc, p, x, y);
}

Value KernelBuilder::bitcast(Location loc, Value x, mlir::Type to) {
  // arith.bitcast does not know index; as i64 it has the same bits.
  mlir::Type from = x.getType();
  auto asI64 = [&](mlir::Type t) -> mlir::Type {
    if (auto tile = dyn_cast<RankedTensorType>(t))
      return tile.clone(b_.getI64Type());
    return b_.getI64Type();
  };
  if (isa<IndexType>(getElementTypeOrSelf(from)))
    x = b_.createOrFold<pho::ConvertOp>(loc, asI64(from), x, false, false);
  bool toIndex = isa<IndexType>(getElementTypeOrSelf(to));
  mlir::Type middle = toIndex ? asI64(to) : to;
  if (x.getType() != middle)
    x = arith::BitcastOp::create(b_, loc, middle, x);
  return toIndex ? b_.createOrFold<pho::ConvertOp>(loc, to, x, false, false) : x;
}

} // namespace phobos::ir
