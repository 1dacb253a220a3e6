// Canonical forms of loops that MLIR's own would get wrong.
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace phobos::pho {
namespace {

/// A loop from `lo` to a `hi` that is 2^63 or more above it counts its rounds instead. MLIR takes the
/// distance as a signed number, so to SimplifyTrivialLoops such a loop has no rounds: this pattern goes
/// before that one.
struct CountRounds : OpRewritePattern<scf::ForOp> {
  explicit CountRounds(MLIRContext *context) : OpRewritePattern(context, PatternBenefit(10)) {}

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    APInt lo, hi, step;
    if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lo)) ||
        !matchPattern(loop.getUpperBound(), m_ConstantInt(&hi)) ||
        !matchPattern(loop.getStep(), m_ConstantInt(&step)))
      return failure();
    bool overflows = false;
    (void)hi.ssub_ov(lo, overflows);
    if (!lo.slt(hi) || !overflows || !step.isStrictlyPositive())
      return failure();
    // Exact without a sign. More rounds than 2^63 - 1 do not end in anybody's lifetime.
    APInt rounds = (hi - lo - 1).udiv(step) + 1;
    if (rounds.isNegative() || rounds.isZero())
      rounds = APInt::getSignedMaxValue(rounds.getBitWidth());
    Location loc = loop.getLoc();
    Type type = loop.getInductionVar().getType();
    auto constant = [&](const APInt &n) -> Value {
      return arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(type, n));
    };
    Value first = constant(lo), stride = constant(step);
    Value none = constant(APInt::getZero(lo.getBitWidth())), one = constant(APInt(lo.getBitWidth(), 1));
    Value end = constant(rounds);
    Value round = loop.getInductionVar();
    rewriter.modifyOpInPlace(loop, [&] {
      loop.setLowerBound(none);
      loop.setUpperBound(end);
      loop.setStep(one);
    });
    rewriter.setInsertionPointToStart(loop.getBody());
    auto scaled = arith::MulIOp::create(rewriter, loc, round, stride);
    auto counter = arith::AddIOp::create(rewriter, loc, scaled, first);
    rewriter.replaceAllUsesExcept(round, counter, scaled);
    return success();
  }
};

} // namespace

void PhoDialect::getCanonicalizationPatterns(RewritePatternSet &patterns) const {
  patterns.add<CountRounds>(getContext());
}

} // namespace phobos::pho
