// Folds of the tile IR: what is known at compile time, and pairs of operations that undo each other. Tile
// constants are splats.
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace phobos::pho {

Operation *PhoDialect::materializeConstant(OpBuilder &b, Attribute value, Type type, Location loc) {
  auto typed = dyn_cast<TypedAttr>(value);
  return typed && typed.getType() == type ? arith::ConstantOp::create(b, loc, typed) : nullptr;
}

namespace {

/// The scalar that a constant holds: itself, or that of a splat. Null for anything else.
Attribute scalarOf(Attribute value) {
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(value))
    return dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  return isa_and_nonnull<IntegerAttr, FloatAttr>(value) ? value : Attribute();
}

/// `scalar` as a constant of `type`: itself, or a splat.
Attribute splat(Type type, Attribute scalar) {
  if (!scalar)
    return {};
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tile, scalar);
  return scalar;
}

Attribute shaped(Type type, Attribute value) { return splat(type, scalarOf(value)); }

unsigned intWidth(Type t) { return isa<IndexType>(t) ? 64 : t.getIntOrFloatBitWidth(); }
bool isIntegral(Type t) { return isa<IntegerType, IndexType>(t); }

Attribute foldInt(Type type, const APInt &value) { return IntegerAttr::get(type, value); }

/// Nearest even; f8 saturate to their largest finite value.
Attribute foldToFloat(FloatType type, APFloat value) {
  bool lost;
  APFloat given = value;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type) && !given.isNaN() && !value.isFinite())
    value = APFloat::getLargest(type.getFloatSemantics(), given.isNegative());
  return FloatAttr::get(type, value);
}

/// T(x) of a scalar constant (spec/types.md).
Attribute foldConversion(Attribute value, Type to, bool fromUnsigned, bool toUnsigned) {
  if (auto i = dyn_cast<IntegerAttr>(value)) {
    fromUnsigned |= i.getType().isInteger(1);
    APInt x = i.getValue();
    if (to.isInteger(1))
      return foldInt(to, APInt(1, !x.isZero()));
    if (isIntegral(to))
      return foldInt(to, fromUnsigned ? x.zextOrTrunc(intWidth(to)) : x.sextOrTrunc(intWidth(to)));
    auto type = cast<FloatType>(to);
    APFloat f(type.getFloatSemantics());
    f.convertFromAPInt(x, !fromUnsigned, APFloat::rmNearestTiesToEven);
    if (isa<Float8E4M3FNType, Float8E5M2Type>(type) && !f.isFinite())
      f = APFloat::getLargest(type.getFloatSemantics(), !fromUnsigned && x.isNegative());
    return FloatAttr::get(type, f);
  }
  APFloat x = cast<FloatAttr>(value).getValue();
  if (auto type = dyn_cast<FloatType>(to))
    return foldToFloat(type, x);
  if (to.isInteger(1))
    return foldInt(to, APInt(1, !x.isZero()));
  APSInt result(intWidth(to), toUnsigned);
  bool exact;
  x.convertToInteger(result, APFloat::rmTowardZero, &exact); // saturates; NaN gives 0
  return foldInt(to, result);
}

/// Whether each value of the first float type is one of the second (so that going there and back changes
/// nothing). f8E5M2 is left out: its infinities saturate on the way back.
bool embeds(Type small, Type large) {
  if (!isa<FloatType>(small) || !isa<FloatType>(large) || isa<Float8E5M2Type>(small))
    return false;
  const auto &a = cast<FloatType>(small).getFloatSemantics(), &b = cast<FloatType>(large).getFloatSemantics();
  return APFloat::semanticsPrecision(a) <= APFloat::semanticsPrecision(b) &&
         APFloat::semanticsMaxExponent(a) <= APFloat::semanticsMaxExponent(b) &&
         APFloat::semanticsMinExponent(a) - static_cast<int>(APFloat::semanticsPrecision(a)) >=
             APFloat::semanticsMinExponent(b) - static_cast<int>(APFloat::semanticsPrecision(b));
}

/// x / y and so on for constants; an i1 never gets here.
APInt foldTotal(TotalKind kind, const APInt &x, const APInt &y, bool isUnsigned) {
  unsigned width = x.getBitWidth();
  APInt zero(width, 0);
  switch (kind) {
  case TotalKind::Div:
    return y.isZero() ? zero : isUnsigned ? x.udiv(y) : x.sdiv(y); // APInt wraps the least integer by -1
  case TotalKind::Rem:
    return y.isZero() ? x : isUnsigned ? x.urem(y) : x.srem(y);
  case TotalKind::Shl:
    return y.uge(width) ? zero : x.shl(y);
  case TotalKind::Shr:
    break;
  }
  if (isUnsigned)
    return y.uge(width) ? zero : x.lshr(y);
  return x.ashr(y.uge(width) ? APInt(width, width - 1) : y);
}

} // namespace

//===-- elementwise --===//

OpFoldResult TotalOp::fold(FoldAdaptor adaptor) {
  auto x = dyn_cast_or_null<IntegerAttr>(scalarOf(adaptor.getLhs())),
       y = dyn_cast_or_null<IntegerAttr>(scalarOf(adaptor.getRhs()));
  if (x && y)
    return splat(getType(),
                 foldInt(x.getType(), foldTotal(getKind(), x.getValue(), y.getValue(), getIsUnsigned())));
  if (x && x.getValue().isZero())
    return splat(getType(), x); // 0 / y, 0 % y, 0 << y, 0 >> y
  if (!y)
    return {};
  bool isShift = getKind() == TotalKind::Shl || getKind() == TotalKind::Shr;
  if (isShift ? y.getValue().isZero() : getKind() == TotalKind::Div && y.getValue().isOne())
    return getLhs();
  if (getKind() == TotalKind::Rem && y.getValue().isZero())
    return getLhs();
  if ((getKind() == TotalKind::Rem && y.getValue().isOne()) ||
      (getKind() == TotalKind::Div && y.getValue().isZero()))
    return splat(getType(), IntegerAttr::get(y.getType(), 0));
  return {};
}

OpFoldResult ConvertOp::fold(FoldAdaptor adaptor) {
  Type from = getElementTypeOrSelf(getValue().getType()), to = getElementTypeOrSelf(getType());
  if (from == to)
    return getValue(); // signedness is a reading of the same bits
  if (Attribute value = scalarOf(adaptor.getValue()))
    return splat(getType(), foldConversion(value, to, getFromUnsigned(), getToUnsigned()));

  // Pairs: x : A -> B -> C.
  auto inner = getValue().getDefiningOp<ConvertOp>();
  if (!inner)
    return {};
  Type first = getElementTypeOrSelf(inner.getValue().getType());
  if (first == to && embeds(first, from))
    return inner.getValue();
  if (!isIntegral(first) || !isIntegral(from) || !isIntegral(to) || from.isInteger(1) || to.isInteger(1))
    return {};
  // Integers through a type that holds the first: the low bits are those of the first, extended by its own
  // sign; and past the middle's width too, if both steps extend alike.
  bool firstUnsigned = inner.getFromUnsigned() || first.isInteger(1);
  bool holds = intWidth(from) >= intWidth(first);
  bool alike = intWidth(from) == intWidth(first) ? true : firstUnsigned || !getFromUnsigned();
  if (!holds || (intWidth(to) > intWidth(from) && !alike))
    return {};
  if (first == to)
    return inner.getValue();
  // Between equal widths (i64 and index) the reading of the later step counts, else that of the first.
  setFromUnsigned(intWidth(from) == intWidth(first) ? getFromUnsigned() : firstUnsigned);
  setOperand(inner.getValue());
  return getResult();
}

//===-- shape --===//

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (Attribute constant = shaped(getType(), adaptor.getValue()))
    return constant;
  if (auto inner = getValue().getDefiningOp<BroadcastOp>()) {
    setOperand(inner.getValue());
    return getResult();
  }
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getValue().getDefiningOp<TransposeOp>())
    return inner.getValue();
  return shaped(getType(), adaptor.getValue());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (auto inner = getValue().getDefiningOp<ReshapeOp>()) {
    setOperand(inner.getValue());
    return getResult();
  }
  return shaped(getType(), adaptor.getValue());
}

OpFoldResult ExtractSliceOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue();
  if (auto inner = getValue().getDefiningOp<ExtractSliceOp>()) {
    SmallVector<int64_t> offsets(getOffsets());
    for (auto [mine, its] : llvm::zip(offsets, inner.getOffsets()))
      mine += its;
    setOffsets(offsets);
    setOperand(inner.getValue());
    return getResult();
  }
  if (auto put = getValue().getDefiningOp<InsertSliceOp>();
      put && put.getValue().getType() == getType() && put.getOffsets() == getOffsets())
    return put.getValue();
  return shaped(getType(), adaptor.getValue());
}

OpFoldResult InsertSliceOp::fold(FoldAdaptor adaptor) {
  if (getValue().getType() == getType())
    return getValue(); // the whole tile
  Attribute value = scalarOf(adaptor.getValue());
  return value && value == scalarOf(adaptor.getTile()) ? splat(getType(), value) : Attribute();
}

OpFoldResult ExtractOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getValue().getDefiningOp<BroadcastOp>(); inner && inner.getValue().getType() == getType())
    return inner.getValue();
  return scalarOf(adaptor.getValue());
}

} // namespace phobos::pho
