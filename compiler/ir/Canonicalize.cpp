// Canonical forms of the tile IR: conversions before broadcasts and below transposes, sums absorbed by the
// product that they add, transposes absorbed by the product that reads them.
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace phobos::pho {
namespace {

Type withElement(Type t, Type elem) { return cast<RankedTensorType>(t).clone(elem); }
bool isZero(Value v) { return matchPattern(v, m_AnyZeroFloat()) || matchPattern(v, m_Zero()); }

//===-- convert --===//

/// convert(broadcast(x)) is broadcast(convert(x)): fewer elements to convert. So for transpose and reshape,
/// which come nearer to the product or the mask that can absorb them.
template <typename ShapeOp> struct ConvertUnder : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getValue().getDefiningOp<ShapeOp>();
    if (!inner)
      return failure();
    Type elem = getElementTypeOrSelf(op.getType()), from = inner.getValue().getType();
    Type narrow = isa<RankedTensorType>(from) ? withElement(from, elem) : elem;
    Value converted = ConvertOp::create(rewriter, op.getLoc(), narrow, inner.getValue(), op.getFromUnsigned(),
                                        op.getToUnsigned());
    rewriter.replaceOpWithNewOp<ShapeOp>(op, op.getType(), converted);
    return success();
  }
};

//===-- shape --===//

/// transpose and reshape of one value everywhere: that value everywhere.
template <typename ShapeOp> struct ShapeOfSplat : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ShapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getValue().template getDefiningOp<BroadcastOp>();
    if (!inner || isa<RankedTensorType>(inner.getValue().getType()))
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getValue());
    return success();
  }
};

/// Elementwise work on broadcast values is done before they are broadcast: fewer elements. The operands may
/// be broadcasts of one smaller shape, of scalars, and constants.
struct WorkBeforeBroadcast : RewritePattern {
  WorkBeforeBroadcast(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 || op->getNumRegions() != 0)
      return failure();
    auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!result)
      return failure();
    std::optional<ArrayRef<int64_t>> shape; // of the sources; none: all are scalars
    bool any = false;
    for (Value operand : op->getOperands()) {
      if (!isa<RankedTensorType>(operand.getType()) || splatOf(operand))
        continue; // select's scalar condition, constants
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast)
        return failure();
      any = true;
      if (auto source = dyn_cast<RankedTensorType>(broadcast.getValue().getType())) {
        if (shape && *shape != source.getShape())
          return failure();
        shape = source.getShape();
      }
    }
    if (!any)
      return failure();

    auto small = [&](Type elem) -> Type { return shape ? RankedTensorType::get(*shape, elem) : elem; };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<RankedTensorType>(operand.getType())
                             ? narrow(operand, small(getElementTypeOrSelf(operand)), rewriter)
                             : operand);
    OperationState state(op->getLoc(), op->getName(), operands, small(result.getElementType()),
                         op->getAttrs());
    Operation *before = rewriter.create(state);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, result, before->getResult(0));
    return success();
  }

private:
  static Attribute splatOf(Value v) {
    DenseElementsAttr dense;
    return matchPattern(v, m_Constant(&dense)) && dense.isSplat() ? dense.getSplatValue<Attribute>()
                                                                  : Attribute();
  }

  /// `operand`, a constant or a broadcast, as a value of the smaller type.
  static Value narrow(Value operand, Type type, PatternRewriter &rewriter) {
    if (Attribute scalar = splatOf(operand)) {
      auto tile = dyn_cast<RankedTensorType>(type);
      Attribute constant = tile ? Attribute(DenseElementsAttr::get(tile, scalar)) : scalar;
      return arith::ConstantOp::create(rewriter, operand.getLoc(), cast<TypedAttr>(constant));
    }
    Value source = operand.getDefiningOp<BroadcastOp>().getValue();
    return source.getType() == type
               ? source
               : BroadcastOp::create(rewriter, operand.getLoc(), type, source).getResult();
  }
};

//===-- dot --===//

/// acc + dot(a, b) is one product with an accumulator; the sum may stand either way round. A product with
/// other uses stays: absorbing it would compute it twice.
template <typename AddOp> struct AddToDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [product, acc] : {std::pair(op.getRhs(), op.getLhs()), std::pair(op.getLhs(), op.getRhs())}) {
      auto dot = product.template getDefiningOp<DotOp>();
      if (!dot || !dot->hasOneUse() || !isZero(dot.getAcc()))
        continue;
      // Stay in the product's block only if the sum is there too: moving it into a loop would repeat it.
      if (dot->getBlock() != op->getBlock())
        continue;
      auto fused = DotOp::create(rewriter, dot.getLoc(), op.getType(), dot.getA(), dot.getB(), acc,
                                 dot.getTransA(), dot.getTransB(), dot.getIsUnsigned());
      fused->setDiscardableAttrs(dot->getDiscardableAttrDictionary());
      rewriter.replaceOp(op, fused);
      return success();
    }
    return failure();
  }
};

/// A transposed operand is read the other way round.
struct TransposedOperand : OpRewritePattern<DotOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DotOp op, PatternRewriter &rewriter) const override {
    auto a = op.getA().getDefiningOp<TransposeOp>(), b = op.getB().getDefiningOp<TransposeOp>();
    if (!a && !b)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (a) {
        op.getAMutable().assign(a.getValue());
        op.setTransA(!op.getTransA());
      }
      if (b) {
        op.getBMutable().assign(b.getValue());
        op.setTransB(!op.getTransB());
      }
    });
    return success();
  }
};

} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<WorkBeforeBroadcast>(context);
}
void ConvertOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConvertUnder<BroadcastOp>, ConvertUnder<TransposeOp>, ConvertUnder<ReshapeOp>>(context);
}
void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<TransposeOp>>(context);
}
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<ReshapeOp>>(context);
}
void DotOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AddToDot<arith::AddFOp>, AddToDot<arith::AddIOp>, TransposedOperand>(context);
}

} // namespace phobos::pho
