// Values: each expression to operations. Elementwise arithmetic is in BuildElementwise.cpp.
#include "compiler/ir/KernelBuilder.h"
#include "compiler/ir/Types.h"
#include "llvm/Support/SaveAndRestore.h"
#include <utility>

using namespace mlir;

namespace phobos::ir {

using sema::ExprP;
using sema::Op;
using sema::ParamId;
using sema::Reduction;
using sema::Subscript;

//===-- leaves --===//

static Attribute integerAttr(mlir::Type elem, int64_t v) {
  unsigned width = isa<IndexType>(elem) ? 64 : elem.getIntOrFloatBitWidth();
  return IntegerAttr::get(elem, APInt(64, static_cast<uint64_t>(v)).trunc(width));
}

static Attribute floatAttr(FloatType elem, double v) {
  APFloat f(v);
  bool lost;
  f.convert(elem.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return FloatAttr::get(elem, f);
}

/// `scalar` as a constant of `type`, a splat if it is a tile.
static Value constant(OpBuilder &b, Location loc, mlir::Type type, Attribute scalar) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(tile, scalar));
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(scalar));
}

Value KernelBuilder::integer(Location loc, mlir::Type type, int64_t v) {
  return constant(b_, loc, type, integerAttr(getElementTypeOrSelf(type), v));
}

Value KernelBuilder::zero(Location loc, mlir::Type type) {
  mlir::Type elem = getElementTypeOrSelf(type);
  if (auto f = dyn_cast<FloatType>(elem))
    return constant(b_, loc, type, floatAttr(f, 0.0));
  return integer(loc, type, 0);
}

Value KernelBuilder::flag(Location loc, bool v) { return integer(loc, b_.getI1Type(), v); }

Value KernelBuilder::negate(Location loc, Value condition) {
  return arith::XOrIOp::create(b_, loc, condition, integer(loc, condition.getType(), 1));
}

Value KernelBuilder::convert(Location loc, Value x, ScalarType from, ScalarType to) {
  if (from == to)
    return x;
  mlir::Type elem = elementType(&context_, to), type = elem;
  if (auto tile = dyn_cast<RankedTensorType>(x.getType()))
    type = tile.clone(elem);
  return b_.createOrFold<pho::ConvertOp>(loc, type, x, isUnsigned(from), isUnsigned(to));
}

//===-- an expression --===//

Value KernelBuilder::value(ExprP e) {
  Location loc = location(e->range);
  mlir::Type type = e->type.isVoid() ? mlir::Type() : valueType(&context_, e->type);
  switch (e->op) {
  case Op::Int:
  case Op::Bool:
    return integer(loc, type, e->intValue);
  case Op::Float:
    return constant(b_, loc, type, floatAttr(cast<FloatType>(getElementTypeOrSelf(type)), e->floatValue));
  case Op::Var:
    return slots_[e->var];
  case Op::Param:
    return arguments_[e->param];
  case Op::Dim:
    return dims_[e->dim];
  case Op::BlockId:
    return pho::BlockIdOp::create(b_, loc, type, static_cast<uint32_t>(e->axis));
  case Op::GridDim:
    return pho::GridDimOp::create(b_, loc, type, static_cast<uint32_t>(e->axis));
  case Op::ThreadId:
    return pho::ThreadIdOp::create(b_, loc, type);
  case Op::WarpId: // thread / 32; a thread's number is not negative
    return arith::ShRUIOp::create(b_, loc, pho::ThreadIdOp::create(b_, loc, type), integer(loc, type, 5));
  case Op::LaneId:
    return arith::AndIOp::create(b_, loc, pho::ThreadIdOp::create(b_, loc, type), integer(loc, type, 31));
  case Op::LogicalAnd:
  case Op::LogicalOr:
    return shortCircuit(e, loc);
  case Op::Conditional:
    return conditional(e, loc);
  case Op::Convert:
    return convert(loc, value(e->args[0]), e->args[0]->type.elem, e->type.elem);
  case Op::Bitcast:
    return bitcast(loc, value(e->args[0]), type);
  case Op::Broadcast:
    return pho::BroadcastOp::create(b_, loc, type, value(e->args[0]));
  case Op::Transpose:
    return pho::TransposeOp::create(b_, loc, type, value(e->args[0]));
  case Op::Reshape:
    return pho::ReshapeOp::create(b_, loc, type, value(e->args[0]));
  case Op::Iota:
    return pho::IotaOp::create(b_, loc, type, static_cast<uint32_t>(e->axis));
  case Op::Cat: {
    Value a = value(e->args[0]), b = value(e->args[1]);
    return pho::CatOp::create(b_, loc, type, a, b, static_cast<uint32_t>(e->axis));
  }
  case Op::TileSlice:
    return tileSlice(e, loc);
  case Op::InsertSlice:
    return insertSlice(e, loc);
  case Op::Tril:
  case Op::Triu:
    return triangle(e, loc);
  case Op::Reduce:
  case Op::ArgReduce:
  case Op::Scan:
    return reduction(e, loc);
  case Op::Dot:
    return dot(e, loc);
  case Op::Load:
    return load(e, loc);
  case Op::Atomic:
    return atomic(e, loc);
  case Op::Rand: {
    Value seed = value(e->args[0]), offset = value(e->args[1]);
    return pho::RandOp::create(b_, loc, type, seed, offset);
  }
  case Op::Call:
    return call(e);
  default:
    return elementwise(e, loc);
  }
}

//===-- evaluated only if needed --===//

/// Whether evaluating `e` where its value is not wanted changes nothing but time, and little of that.
static bool isCheap(ExprP e) {
  switch (e->op) {
  case Op::Load:
  case Op::Atomic:
  case Op::Call:
  case Op::Dot:
  case Op::Reduce:
  case Op::ArgReduce:
  case Op::Scan:
    return false;
  case Op::Int:
  case Op::Float:
  case Op::Bool:
  case Op::Var:
  case Op::Param:
  case Op::Dim:
    return true;
  default:
    return !e->type.isTile() && llvm::all_of(e->args, isCheap);
  }
}

Value KernelBuilder::choose(Location loc, Value condition, mlir::Type type, llvm::function_ref<Value()> then,
                            llvm::function_ref<Value()> otherwise) {
  auto op = scf::IfOp::create(b_, loc, type, condition, /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto fill = [&](mlir::Block *block, llvm::function_ref<Value()> arm) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(block);
    Value result;
    inRegion({}, {}, [&] { result = arm(); });
    scf::YieldOp::create(b_, loc, result);
  };
  fill(op.thenBlock(), then);
  fill(op.elseBlock(), otherwise);
  return op.getResult(0);
}

Value KernelBuilder::shortCircuit(ExprP e, Location loc) {
  bool isAnd = e->op == Op::LogicalAnd;
  Value left = value(e->args[0]);
  if (e->type.isTile() || isCheap(e->args[1])) {
    Value right = value(e->args[1]);
    return isAnd ? arith::AndIOp::create(b_, loc, left, right).getResult()
                 : arith::OrIOp::create(b_, loc, left, right).getResult();
  }
  auto right = [&] { return value(e->args[1]); };
  auto decided = [&] { return flag(loc, !isAnd); };
  if (isAnd)
    return choose(loc, left, left.getType(), right, decided);
  return choose(loc, left, left.getType(), decided, right);
}

Value KernelBuilder::conditional(ExprP e, Location loc) {
  Value condition = value(e->args[1]);
  if (isCheap(e->args[0]) && isCheap(e->args[2])) {
    Value then = value(e->args[0]), otherwise = value(e->args[2]);
    return arith::SelectOp::create(b_, loc, condition, then, otherwise);
  }
  return choose(
      loc, condition, valueType(&context_, e->type), [&] { return value(e->args[0]); },
      [&] { return value(e->args[2]); });
}

Value KernelBuilder::call(ExprP e) {
  Location site = location(e->range);
  SmallVector<Value> args;
  for (ExprP arg : e->args)
    args.push_back(value(arg));
  for (auto [param, arg] : llvm::zip_equal(e->call->params, args))
    set(param, arg);

  llvm::SaveAndRestore inside(callSite_, std::optional<Location>(site));
  llvm::SaveAndRestore place(here_, site);
  SmallVector<Loop> outerLoops = std::exchange(loops_, {});
  Frame frame{newSlot(), std::nullopt};
  set(frame.returned, flag(site, false));
  if (!e->type.isVoid()) {
    frame.result = newSlot();
    set(*frame.result, zero(site, valueType(&context_, e->type)));
  }
  frames_.push_back(frame);
  statements(e->call->body.statements);
  frames_.pop_back();
  loops_ = std::move(outerLoops);
  return frame.result ? slots_[*frame.result] : Value();
}

//===-- shape --===//

/// The part's shape before points drop their axes.
static RankedTensorType wholeRank(mlir::Type elem, ExprP e) {
  return RankedTensorType::get(e->lengths, elem);
}

Value KernelBuilder::tileSlice(ExprP e, Location loc) {
  Value tile = value(e->args[0]);
  mlir::Type elem = getElementTypeOrSelf(tile.getType());
  if (e->type.isScalar())
    return pho::ExtractOp::create(b_, loc, elem, tile, e->offsets);
  Value part = b_.createOrFold<pho::ExtractSliceOp>(loc, wholeRank(elem, e), tile,
                                                    b_.getDenseI64ArrayAttr(e->offsets));
  return b_.createOrFold<pho::ReshapeOp>(loc, valueType(&context_, e->type), part);
}

Value KernelBuilder::insertSlice(ExprP e, Location loc) {
  Value tile = value(e->args[0]), part = value(e->args[1]);
  RankedTensorType shape = wholeRank(getElementTypeOrSelf(tile.getType()), e);
  if (isa<RankedTensorType>(part.getType()))
    part = b_.createOrFold<pho::ReshapeOp>(loc, shape, part);
  else
    part = pho::BroadcastOp::create(b_, loc, shape, part);
  return pho::InsertSliceOp::create(b_, loc, tile.getType(), part, tile, e->offsets);
}

/// tril keeps j - i <= k, triu j - i >= k: as j <= i + k, with k clamped so that the sum stays in 32 bits.
Value KernelBuilder::triangle(ExprP e, Location loc) {
  Value tile = value(e->args[0]);
  auto type = cast<RankedTensorType>(tile.getType());
  auto coordinates = type.clone(b_.getI32Type());
  int64_t limit = type.getDimSize(0) + type.getDimSize(1);
  int64_t k = std::clamp(e->intValue, -limit, limit);
  Value i = pho::IotaOp::create(b_, loc, coordinates, 0u), j = pho::IotaOp::create(b_, loc, coordinates, 1u);
  Value diagonal = arith::AddIOp::create(b_, loc, i, integer(loc, coordinates, k));
  auto relation = e->op == Op::Tril ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge;
  Value keep = arith::CmpIOp::create(b_, loc, relation, j, diagonal);
  return arith::SelectOp::create(b_, loc, keep, tile, zero(loc, type));
}

//===-- reductions, products --===//

static pho::ReduceKind kindOf(Reduction r) {
  switch (r) {
  case Reduction::Sum:
    return pho::ReduceKind::Sum;
  case Reduction::Prod:
    return pho::ReduceKind::Prod;
  case Reduction::Max:
    return pho::ReduceKind::Max;
  case Reduction::Min:
    break;
  }
  return pho::ReduceKind::Min;
}

Value KernelBuilder::reduction(ExprP e, Location loc) {
  ScalarType elem = e->args[0]->type.elem;
  Value tile = value(e->args[0]);
  pho::ReduceKind kind = kindOf(e->reduction);
  uint32_t axis = static_cast<uint32_t>(e->axis);
  // f8 is compared in f32, as elementwise: targets hold it as bits, which are not in its order.
  auto wide = [](ScalarType t) { return isF8(t) ? ScalarType::F32 : t; };
  if (e->op == Op::ArgReduce) {
    tile = convert(loc, tile, elem, wide(elem));
    return pho::ArgReduceOp::create(b_, loc, valueType(&context_, e->type), kind, tile, axis,
                                    isUnsigned(elem));
  }
  // Sums of narrow types are taken in the type they return.
  phobos::Type type = e->type;
  type.elem = wide(e->type.elem);
  tile = convert(loc, tile, elem, type.elem);
  mlir::Type mlirType = valueType(&context_, type);
  Value result =
      e->op == Op::Scan
          ? Value(pho::ScanOp::create(b_, loc, mlirType, kind, tile, axis, isUnsigned(type.elem)))
          : Value(pho::ReduceOp::create(b_, loc, mlirType, kind, tile, axis, isUnsigned(type.elem)));
  return convert(loc, result, type.elem, e->type.elem);
}

Value KernelBuilder::dot(ExprP e, Location loc) {
  ScalarType elem = e->args[0]->type.elem;
  Value a = value(e->args[0]), b = value(e->args[1]);
  if (elem == ScalarType::Bool) {
    elem = ScalarType::I8;
    a = convert(loc, a, ScalarType::Bool, elem);
    b = convert(loc, b, ScalarType::Bool, elem);
  }
  mlir::Type type = valueType(&context_, e->type);
  return pho::DotOp::create(b_, loc, type, a, b, zero(loc, type), false, e->transposeB, isUnsigned(elem));
}

//===-- memory --===//

KernelBuilder::Access KernelBuilder::access(ParamId param, const std::vector<Subscript> &subscripts,
                                            Location loc) {
  Access a;
  for (auto [s, extent] : llvm::zip_equal(subscripts, kernel_.params[param].extents)) {
    a.starts.push_back(value(s.start));
    a.extents.push_back(extent.fixed ? integer(loc, b_.getIndexType(), *extent.fixed) : dims_[extent.dim]);
    a.sizes.push_back(s.isPoint ? 1 : s.length);
    a.points.push_back(s.isPoint);
    a.inBounds.push_back(false); // a pass proves it
  }
  return a;
}

Value KernelBuilder::load(ExprP e, Location loc) {
  Value fill = e->args.empty() ? Value() : value(e->args[0]);
  Access a = access(e->param, e->subscripts, loc);
  return pho::LoadOp::create(b_, loc, valueType(&context_, e->type), arguments_[e->param], a.starts,
                             a.extents, fill, a.sizes, a.points, a.inBounds);
}

Value KernelBuilder::atomic(ExprP e, Location loc) {
  static constexpr pho::AtomicKind kinds[] = {pho::AtomicKind::Add, pho::AtomicKind::Max,
                                              pho::AtomicKind::Min, pho::AtomicKind::Cas};
  Access a = access(e->param, e->subscripts, loc);
  SmallVector<Value> values;
  for (ExprP arg : e->args)
    values.push_back(value(arg));
  return pho::AtomicOp::create(b_, loc, valueType(&context_, e->type),
                               kinds[static_cast<unsigned>(e->atomic)], arguments_[e->param], a.starts,
                               a.extents, values, isUnsigned(e->type.elem), e->oncePerBlock);
}

} // namespace phobos::ir
