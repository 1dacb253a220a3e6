// What the operations of the tile IR must satisfy beyond what their declarations say.
#include "compiler/ir/Pho.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace phobos::pho {

bool isElementType(Type t) {
  if (isa<IndexType>(t))
    return true;
  if (auto i = dyn_cast<IntegerType>(t))
    return i.isSignless() && llvm::is_contained({1u, 8u, 32u, 64u}, i.getWidth());
  return isa<Float8E4M3FNType, Float8E5M2Type, Float16Type, BFloat16Type, Float32Type, Float64Type>(t);
}

bool isTileType(Type t) {
  auto tile = dyn_cast<RankedTensorType>(t);
  return tile && tile.hasStaticShape() && (tile.getRank() == 1 || tile.getRank() == 2) &&
         isElementType(tile.getElementType()) &&
         llvm::all_of(tile.getShape(), [](int64_t n) { return n >= 1; });
}

Type accumulatorType(Type t) {
  if (t.isInteger(1) || t.isInteger(8))
    return IntegerType::get(t.getContext(), 32);
  if (isa<FloatType>(t) && t.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(t.getContext());
  return t;
}

namespace {

bool isValueType(Type t) { return isElementType(t) || isTileType(t); }
bool isIntegral(Type t) { return isa<IntegerType, IndexType>(getElementTypeOrSelf(t)); }
/// A tile's extents; a scalar has none.
ArrayRef<int64_t> shapeOf(Type t) {
  auto tile = dyn_cast<RankedTensorType>(t);
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

LogicalResult verifyValue(Operation *op, Type t, const char *what) {
  if (isValueType(t))
    return success();
  return op->emitOpError()
         << what << " is " << t
         << ", expected a scalar of the language or a tile of rank 1 or 2 with constant extents";
}

LogicalResult verifyGridAxis(Operation *op, uint32_t axis) {
  return axis < 3 ? success() : op->emitOpError() << "axis is " << axis << ", expected 0, 1 or 2";
}

LogicalResult verifyAxis(Operation *op, Type tile, int32_t axis) {
  int64_t rank = cast<RankedTensorType>(tile).getRank();
  return axis >= 0 && axis < rank
             ? success()
             : op->emitOpError() << "axis is " << axis << ", but the tile has rank " << rank;
}

/// A part of a tile: `offsets` in each axis, the part inside the whole.
LogicalResult verifyPart(Operation *op, RankedTensorType whole, RankedTensorType part,
                         ArrayRef<int64_t> offsets) {
  if (whole.getRank() != part.getRank() || static_cast<int64_t>(offsets.size()) != whole.getRank())
    return op->emitOpError() << "ranks differ: " << whole << ", " << part << " and " << offsets.size()
                             << " offsets";
  if (whole.getElementType() != part.getElementType())
    return op->emitOpError() << "element types differ: " << whole << " and " << part;
  for (auto [axis, offset] : llvm::enumerate(offsets))
    if (offset < 0 || offset > whole.getDimSize(axis) - part.getDimSize(axis))
      return op->emitOpError() << "axis " << axis << ": [" << offset << ", " << offset + part.getDimSize(axis)
                               << ") is not inside " << whole;
  return success();
}

/// The operands that loads, stores and atomics share.
LogicalResult verifyAccess(Operation *op, ViewType view, size_t starts, size_t extents) {
  size_t rank = static_cast<size_t>(view.getRank());
  if (starts != rank || extents != rank)
    return op->emitOpError() << "expected " << rank << " starts and extents for " << view << ", found "
                             << starts << " and " << extents;
  return success();
}

/// Sizes, points and bounds of a slice of `view` whose value has type `value`.
LogicalResult verifySlice(Operation *op, ViewType view, Type value, ArrayRef<int64_t> sizes,
                          ArrayRef<bool> points, ArrayRef<bool> inBounds) {
  size_t rank = static_cast<size_t>(view.getRank());
  if (sizes.size() != rank || points.size() != rank || inBounds.size() != rank)
    return op->emitOpError() << "expected " << rank << " sizes, points and inbounds for " << view
                             << ", found " << sizes.size() << ", " << points.size() << " and "
                             << inBounds.size();
  SmallVector<int64_t> shape;
  for (size_t axis = 0; axis < rank; ++axis) {
    if (sizes[axis] < 1 || (points[axis] && sizes[axis] != 1))
      return op->emitOpError() << "axis " << axis << ": size is " << sizes[axis]
                               << (points[axis] ? ", but a point has size 1" : ", expected at least 1");
    if (!points[axis])
      shape.push_back(sizes[axis]);
  }
  if (getElementTypeOrSelf(value) != view.getElementType())
    return op->emitOpError() << "elements of " << value << " are not those of " << view;
  if (shapeOf(value) != ArrayRef<int64_t>(shape) || isa<RankedTensorType>(value) == shape.empty())
    return op->emitOpError() << "value is " << value << ", but the sizes and points give [" << shape << "]";
  return verifyValue(op, value, "value");
}

} // namespace

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t rank, Type elementType) {
  if (rank < 1 || rank > 5)
    return emitError() << "a view has rank 1 to 5, found " << rank;
  if (!isElementType(elementType))
    return emitError() << "a view's elements are scalars of the language, found " << elementType;
  return success();
}

LogicalResult BlockIdOp::verify() { return verifyGridAxis(*this, getAxis()); }
LogicalResult GridDimOp::verify() { return verifyGridAxis(*this, getAxis()); }

//===-- elementwise --===//

LogicalResult TotalOp::verify() {
  if (!isIntegral(getType()))
    return emitOpError() << "works on integers, found " << getType();
  return verifyValue(*this, getType(), "operand");
}

LogicalResult MathOp::verify() {
  if (!isa<FloatType>(getElementTypeOrSelf(getType())))
    return emitOpError() << "works on floats, found " << getType();
  size_t expected = getFn() == MathFn::Fma ? 3 : getFn() == MathFn::Pow ? 2 : 1;
  if (getArgs().size() != expected)
    return emitOpError() << stringifyMathFn(getFn()) << " takes " << expected << " operands, found "
                         << getArgs().size();
  return verifyValue(*this, getType(), "operand");
}

LogicalResult ConvertOp::verify() {
  Type from = getValue().getType(), to = getType();
  if (failed(verifyValue(*this, from, "operand")) || failed(verifyValue(*this, to, "result")))
    return failure();
  if (isa<RankedTensorType>(from) != isa<RankedTensorType>(to) || shapeOf(from) != shapeOf(to))
    return emitOpError() << "shapes differ: " << from << " to " << to;
  if ((getFromUnsigned() && !isIntegral(from)) || (getToUnsigned() && !isIntegral(to)))
    return emitOpError() << "only integers are unsigned: " << from << " to " << to;
  return success();
}

LogicalResult RandOp::verify() {
  Type offset = getOffset().getType(), result = getType();
  if (!getElementTypeOrSelf(offset).isInteger(64) || !getElementTypeOrSelf(result).isF32())
    return emitOpError() << "takes i64 and gives f32, found " << offset << " and " << result;
  if (isa<RankedTensorType>(offset) != isa<RankedTensorType>(result) || shapeOf(offset) != shapeOf(result))
    return emitOpError() << "shapes differ: " << offset << " and " << result;
  return verifyValue(*this, result, "result");
}

//===-- shape --===//

LogicalResult BroadcastOp::verify() {
  Type from = getValue().getType();
  if (failed(verifyValue(*this, from, "operand")) || failed(verifyValue(*this, getType(), "result")))
    return failure();
  if (getElementTypeOrSelf(from) != getElementTypeOrSelf(getType()))
    return emitOpError() << "element types differ: " << from << " to " << getType();
  ArrayRef<int64_t> small = shapeOf(from), large = shapeOf(getType());
  if (small.size() > large.size())
    return emitOpError() << from << " has more axes than " << getType();
  for (auto [a, b] : llvm::zip(small, large.take_back(small.size())))
    if (a != b && a != 1)
      return emitOpError() << from << " does not broadcast to " << getType() << ": extent " << a
                           << " against " << b;
  return success();
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getValue().getType()), to = shapeOf(getType());
  if (from.size() != 2 || to.size() != 2 || from[0] != to[1] || from[1] != to[0] ||
      getElementTypeOrSelf(getValue().getType()) != getElementTypeOrSelf(getType()))
    return emitOpError() << getType() << " is not the transpose of " << getValue().getType();
  return verifyValue(*this, getType(), "result");
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getValue().getType()), to = cast<RankedTensorType>(getType());
  if (failed(verifyValue(*this, from, "operand")) || failed(verifyValue(*this, to, "result")))
    return failure();
  if (from.getElementType() != to.getElementType() || from.getNumElements() != to.getNumElements())
    return emitOpError() << from << " has " << from.getNumElements() << " elements, " << to << " has "
                         << to.getNumElements();
  return success();
}

LogicalResult IotaOp::verify() {
  if (failed(verifyValue(*this, getType(), "result")) ||
      failed(verifyAxis(*this, getType(), static_cast<int32_t>(getAxis()))))
    return failure();
  return getElementTypeOrSelf(getType()).isInteger(32)
             ? success()
             : emitOpError() << "gives i32 coordinates, found " << getType();
}

LogicalResult CatOp::verify() {
  auto a = cast<RankedTensorType>(getLhs().getType()), b = cast<RankedTensorType>(getRhs().getType());
  auto result = cast<RankedTensorType>(getType());
  if (failed(verifyValue(*this, result, "result")) ||
      failed(verifyAxis(*this, result, static_cast<int32_t>(getAxis()))))
    return failure();
  bool fits = a.getRank() == result.getRank() && b.getRank() == result.getRank() &&
              a.getElementType() == result.getElementType() && b.getElementType() == result.getElementType();
  for (int64_t axis = 0; fits && axis < result.getRank(); ++axis) {
    int64_t n = result.getDimSize(axis);
    fits = axis == getAxis() ? a.getDimSize(axis) + b.getDimSize(axis) == n
                             : a.getDimSize(axis) == n && b.getDimSize(axis) == n;
  }
  return fits
             ? success()
             : emitOpError() << a << " and " << b << " along axis " << getAxis() << " do not give " << result;
}

LogicalResult ExtractSliceOp::verify() {
  if (failed(verifyValue(*this, getValue().getType(), "operand")) ||
      failed(verifyValue(*this, getType(), "result")))
    return failure();
  return verifyPart(*this, cast<RankedTensorType>(getValue().getType()), cast<RankedTensorType>(getType()),
                    getOffsets());
}

LogicalResult InsertSliceOp::verify() {
  if (failed(verifyValue(*this, getValue().getType(), "operand")) ||
      failed(verifyValue(*this, getType(), "result")))
    return failure();
  return verifyPart(*this, cast<RankedTensorType>(getType()), cast<RankedTensorType>(getValue().getType()),
                    getOffsets());
}

LogicalResult ExtractOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  if (failed(verifyValue(*this, tile, "operand")))
    return failure();
  if (getType() != tile.getElementType())
    return emitOpError() << "an element of " << tile << " is not " << getType();
  if (getOffsets().empty())
    return tile.getNumElements() == 1
               ? success()
               : emitOpError() << tile << " has more than one element and no offsets are given";
  SmallVector<int64_t> ones(tile.getRank(), 1);
  return verifyPart(*this, tile, tile.clone(ones), getOffsets());
}

//===-- reductions, scans, products --===//

LogicalResult ReduceOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  if (failed(verifyValue(*this, tile, "operand")))
    return failure();
  int32_t axis = static_cast<int32_t>(getAxis());
  if (axis == -1)
    return getType() == tile.getElementType()
               ? success()
               : emitOpError() << "all of " << tile << " reduces to its element type, found " << getType();
  if (failed(verifyAxis(*this, tile, axis)))
    return failure();
  SmallVector<int64_t> shape(tile.getShape());
  shape[axis] = 1;
  // A target may lay the result out in another way: encodings are its business.
  auto result = dyn_cast<RankedTensorType>(getType());
  if (!result || result.getShape() != ArrayRef<int64_t>(shape) ||
      result.getElementType() != tile.getElementType())
    return emitOpError() << tile << " over axis " << axis << " gives "
                         << RankedTensorType::get(shape, tile.getElementType()) << ", found " << getType();
  return success();
}

LogicalResult ArgReduceOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  int32_t axis = static_cast<int32_t>(getAxis());
  if (failed(verifyValue(*this, tile, "operand")) || failed(verifyAxis(*this, tile, axis)))
    return failure();
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return emitOpError() << "finds max or min, not " << stringifyReduceKind(getKind());
  SmallVector<int64_t> shape(tile.getShape());
  shape[axis] = 1;
  auto expected = RankedTensorType::get(shape, IntegerType::get(getContext(), 32));
  auto result = cast<RankedTensorType>(getType());
  return result.getShape() == expected.getShape() && result.getElementType() == expected.getElementType()
             ? success()
             : emitOpError() << "gives " << expected << ", found " << getType();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyValue(*this, getType(), "operand")))
    return failure();
  return verifyAxis(*this, getType(), static_cast<int32_t>(getAxis()));
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType()), b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getType());
  if (failed(verifyValue(*this, a, "a")) || failed(verifyValue(*this, b, "b")) ||
      failed(verifyValue(*this, acc, "acc")))
    return failure();
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2)
    return emitOpError() << "takes tiles of rank 2, found " << a << ", " << b << " and " << acc;
  if (a.getElementType() != b.getElementType())
    return emitOpError() << "element types differ: " << a << " and " << b;
  if (acc.getElementType() != accumulatorType(a.getElementType()))
    return emitOpError() << "products of " << a.getElementType() << " accumulate in "
                         << accumulatorType(a.getElementType()) << ", found " << acc;
  if (getIsUnsigned() && !isIntegral(a))
    return emitOpError() << "only integers are unsigned, found " << a;
  int64_t m = a.getDimSize(getTransA() ? 1 : 0), k = a.getDimSize(getTransA() ? 0 : 1);
  int64_t kb = b.getDimSize(getTransB() ? 1 : 0), n = b.getDimSize(getTransB() ? 0 : 1);
  if (k != kb)
    return emitOpError() << "inner extents differ: " << k << " of a, " << kb << " of b";
  if (acc.getDimSize(0) != m || acc.getDimSize(1) != n)
    return emitOpError() << "gives " << m << "x" << n << ", but acc is " << acc;
  return success();
}

//===-- memory --===//

LogicalResult LoadOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyAccess(*this, view, getStarts().size(), getExtents().size())))
    return failure();
  if (getFill() && getFill().getType() != view.getElementType())
    return emitOpError() << "fill is " << getFill().getType() << ", expected the elements' type "
                         << view.getElementType();
  return verifySlice(*this, view, getType(), getSizes(), getPoints(), getInBounds());
}

LogicalResult StoreOp::verify() {
  ViewType view = getView().getType();
  Type value = getValue().getType();
  if (failed(verifyAccess(*this, view, getStarts().size(), getExtents().size())))
    return failure();
  if (failed(verifySlice(*this, view, value, getSizes(), getPoints(), getInBounds())))
    return failure();
  if (!getMask())
    return success();
  Type mask = getMask().getType();
  if (!getElementTypeOrSelf(mask).isInteger(1) ||
      isa<RankedTensorType>(mask) != isa<RankedTensorType>(value) || shapeOf(mask) != shapeOf(value))
    return emitOpError() << "mask is " << mask << ", expected i1 elements in the shape of " << value;
  return success();
}

LogicalResult AtomicOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyAccess(*this, view, getStarts().size(), getExtents().size())))
    return failure();
  size_t expected = getKind() == AtomicKind::Cas ? 2 : 1;
  if (getValues().size() != expected)
    return emitOpError() << stringifyAtomicKind(getKind()) << " takes " << expected << " values, found "
                         << getValues().size();
  for (Type t : getValues().getTypes())
    if (t != view.getElementType())
      return emitOpError() << "value is " << t << ", expected the elements' type " << view.getElementType();
  return getType() == view.getElementType()
             ? success()
             : emitOpError() << "result is " << getType() << ", expected " << view.getElementType();
}

} // namespace phobos::pho
