#include "compiler/passes/FoldMasks.h"
#include "compiler/ir/Pho.h"
#include "compiler/passes/Ranges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace phobos::passes {
namespace {

constexpr int64_t kMaxTerms = int64_t(1)
                              << 30; ///< magnitude of the iota terms' sum: leaves room for the clamp's ends

/// A tile as the sum of coordinates (i32 tiles, times a constant) and of scalars of type i64 (times a
/// constant).
struct Sum {
  struct Coordinate {
    Value tile; ///< pho.iota
    int64_t factor;
  };
  struct Scalar {
    Value value;
    int64_t factor;
  };
  SmallVector<Coordinate> coordinates;
  SmallVector<Scalar> scalars;
  int64_t constant = 0;
};

bool isModest(int64_t n) { return n > -kMaxTerms && n < kMaxTerms; }

/// Adds `factor` times `v` to the sum; false if it is something else than such a sum.
bool decompose(Value v, int64_t factor, Sum &sum, unsigned depth = 0) {
  if (depth > 16 || !isModest(factor))
    return false;
  APInt constant;
  if (matchPattern(v, m_ConstantInt(&constant))) {
    int64_t n = constant.getSExtValue();
    if (!isModest(n) || !isModest(n * factor) || !isModest(sum.constant + n * factor))
      return false;
    sum.constant += n * factor;
    return true;
  }
  if (!isa<RankedTensorType>(v.getType())) {
    if (!rangeOf(v).isModest() || std::abs(factor) > 8)
      return false;
    sum.scalars.push_back({v, factor});
    return true;
  }
  if (auto iota = v.getDefiningOp<pho::IotaOp>()) {
    sum.coordinates.push_back({iota, factor});
    return true;
  }
  if (auto broadcast = v.getDefiningOp<pho::BroadcastOp>())
    return decompose(broadcast.getValue(), factor, sum, depth + 1);
  if (auto convert =
          v.getDefiningOp<pho::ConvertOp>()) // only of coordinates: a sum in 32 bits may have wrapped
    return convert.getValue().getDefiningOp<pho::IotaOp>() &&
           decompose(convert.getValue(), factor, sum, depth + 1);
  if (auto add = v.getDefiningOp<arith::AddIOp>())
    return decompose(add.getLhs(), factor, sum, depth + 1) && decompose(add.getRhs(), factor, sum, depth + 1);
  if (auto sub = v.getDefiningOp<arith::SubIOp>())
    return decompose(sub.getLhs(), factor, sum, depth + 1) &&
           decompose(sub.getRhs(), -factor, sum, depth + 1);
  if (auto mul = v.getDefiningOp<arith::MulIOp>())
    if (matchPattern(mul.getRhs(), m_ConstantInt(&constant)) && isModest(constant.getSExtValue()))
      return decompose(mul.getLhs(), factor * constant.getSExtValue(), sum, depth + 1);
  return false;
}

/// The bounds of the coordinates' sum; false if they do not fit.
bool boundsOf(const Sum &sum, int64_t &lo, int64_t &hi) {
  lo = hi = 0;
  for (const Sum::Coordinate &c : sum.coordinates) {
    auto iota = c.tile.getDefiningOp<pho::IotaOp>();
    int64_t last = cast<RankedTensorType>(iota.getType()).getDimSize(iota.getAxis()) - 1;
    if (!isModest(last) || !isModest(last * c.factor))
      return false;
    (c.factor < 0 ? lo : hi) += last * c.factor;
    if (!isModest(lo) || !isModest(hi))
      return false;
  }
  return true;
}

class Rewriter {
public:
  Rewriter(arith::CmpIOp op)
      : b_(op), loc_(op.getLoc()), type_(cast<RankedTensorType>(op.getLhs().getType())) {}

  /// The sum of the coordinates as an i32 tile of the comparison's shape, each at its own smaller shape as
  /// long as it can be.
  Value coordinates(const Sum &sum) {
    auto wide = RankedTensorType::get(type_.getShape(), b_.getI32Type());
    Value total;
    for (const Sum::Coordinate &c : sum.coordinates) {
      Value term = c.tile;
      if (c.factor != 1)
        term = arith::MulIOp::create(b_, loc_, term, splat(term.getType(), c.factor));
      if (total && total.getType() != term.getType()) {
        total = b_.createOrFold<pho::BroadcastOp>(loc_, wide, total);
        term = b_.createOrFold<pho::BroadcastOp>(loc_, wide, term);
      }
      total = total ? arith::AddIOp::create(b_, loc_, total, term).getResult() : term;
    }
    return b_.createOrFold<pho::BroadcastOp>(loc_, wide, total);
  }

  /// The scalars' sum, negated (the other side of the comparison), clamped and broadcast.
  Value bound(const Sum &sum, int64_t lo, int64_t hi) {
    Value total = sum.constant ? scalar(-sum.constant) : Value();
    for (bool added : {true, false}) // those of the other side first: extent - start
      for (const Sum::Scalar &s : sum.scalars) {
        if (added != (s.factor < 0))
          continue;
        Value term = s.value;
        if (std::abs(s.factor) != 1)
          term = arith::MulIOp::create(b_, loc_, term, scalar(std::abs(s.factor)));
        if (!total && added)
          total = term;
        else if (added)
          total = arith::AddIOp::create(b_, loc_, total, term);
        else
          total = arith::SubIOp::create(b_, loc_, total ? total : scalar(0), term);
      }
    total = total ? total : scalar(0);
    total = arith::MaxSIOp::create(b_, loc_, total, scalar(lo));
    total = arith::MinSIOp::create(b_, loc_, total, scalar(hi));
    Value narrow = pho::ConvertOp::create(b_, loc_, b_.getI32Type(), total, false, false);
    return pho::BroadcastOp::create(b_, loc_, RankedTensorType::get(type_.getShape(), b_.getI32Type()),
                                    narrow);
  }

private:
  Value scalar(int64_t n) { return arith::ConstantOp::create(b_, loc_, b_.getI64IntegerAttr(n)); }
  Value splat(Type type, int64_t n) {
    return arith::ConstantOp::create(
        b_, loc_,
        DenseElementsAttr::get(cast<RankedTensorType>(type), b_.getI32IntegerAttr(static_cast<int32_t>(n))));
  }

  OpBuilder b_;
  Location loc_;
  RankedTensorType type_;
};

bool isUnsignedOrder(arith::CmpIPredicate p) {
  using P = arith::CmpIPredicate;
  return p == P::ult || p == P::ule || p == P::ugt || p == P::uge;
}

void fold(arith::CmpIOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getLhs().getType());
  if (!type || !type.getElementType().isInteger(64) || isUnsignedOrder(op.getPredicate()))
    return;
  Sum sum; // left - right, compared with 0
  int64_t lo, hi;
  if (!decompose(op.getLhs(), 1, sum) || !decompose(op.getRhs(), -1, sum) || sum.coordinates.empty() ||
      sum.scalars.size() > 8 || !boundsOf(sum, lo, hi))
    return;
  Rewriter rewriter(op);
  Value left = rewriter.coordinates(sum), right = rewriter.bound(sum, lo - 1, hi + 1);
  op.getLhsMutable().assign(left);
  op.getRhsMutable().assign(right);
}

struct FoldMasks : PassWrapper<FoldMasks, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldMasks)
  StringRef getArgument() const final { return "pho-fold-masks"; }
  StringRef getDescription() const final {
    return "comparisons of coordinates in 32 bits against a clamped bound";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, pho::PhoDialect>();
  }
  void runOnOperation() final { getOperation()->walk(fold); }
};

} // namespace

std::unique_ptr<Pass> createFoldMasks() { return std::make_unique<FoldMasks>(); }

} // namespace phobos::passes
