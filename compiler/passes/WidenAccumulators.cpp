#include "compiler/passes/WidenAccumulators.h"
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace phobos::passes {
namespace {

bool isWider(Type wide, Type narrow) {
  wide = getElementTypeOrSelf(wide);
  narrow = getElementTypeOrSelf(narrow);
  return isa<FloatType>(wide) == isa<FloatType>(narrow) && !wide.isIndex() && !narrow.isIndex() &&
         !narrow.isInteger(1) && wide.getIntOrFloatBitWidth() > narrow.getIntOrFloatBitWidth();
}

/// acc -> convert -> dot -> convert -> yield, nothing else reading any of them; null if `arg` is something
/// else.
pho::DotOp narrowSum(scf::ForOp loop, BlockArgument arg) {
  auto yielded = loop.getYieldedValues()[arg.getArgNumber() - 1].getDefiningOp<pho::ConvertOp>();
  auto widened = arg.hasOneUse() ? dyn_cast<pho::ConvertOp>(*arg.user_begin()) : pho::ConvertOp();
  if (!yielded || !widened || !yielded->hasOneUse() || !widened->hasOneUse())
    return {};
  auto dot = yielded.getValue().getDefiningOp<pho::DotOp>();
  bool isSum =
      dot && dot->hasOneUse() && dot.getAcc() == widened.getResult() && *widened->user_begin() == dot;
  return isSum && isWider(dot.getType(), arg.getType()) ? dot : pho::DotOp();
}

void widen(scf::ForOp loop, BlockArgument arg, pho::DotOp dot) {
  unsigned index = arg.getArgNumber() - 1;
  auto widened = cast<pho::ConvertOp>(*arg.user_begin());
  auto narrowed = loop.getYieldedValues()[index].getDefiningOp<pho::ConvertOp>();
  Type wide = dot.getType(), narrow = arg.getType();
  OpBuilder b(loop);
  OpOperand &init = loop.getInitArgsMutable()[index];
  init.set(
      b.createOrFold<pho::ConvertOp>(widened.getLoc(), wide, init.get(), widened.getFromUnsigned(), false));

  arg.setType(wide);
  widened.replaceAllUsesWith(Value(arg));
  widened.erase();
  loop.getBody()->getTerminator()->setOperand(index, dot.getResult());
  OpResult result = loop->getResult(index);
  result.setType(wide);
  b.setInsertionPointAfter(loop);
  auto rounded =
      pho::ConvertOp::create(b, narrowed.getLoc(), narrow, result, false, narrowed.getToUnsigned());
  result.replaceAllUsesExcept(rounded, rounded);
  narrowed.erase();
}

struct WidenAccumulators : PassWrapper<WidenAccumulators, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WidenAccumulators)
  StringRef getArgument() const final { return "pho-widen-accumulators"; }
  StringRef getDescription() const final {
    return "narrow accumulators of products stay wide across their loop";
  }

  void runOnOperation() final {
    getOperation()->walk([](scf::ForOp loop) {
      for (BlockArgument arg : loop.getRegionIterArgs())
        if (pho::DotOp dot = narrowSum(loop, arg))
          widen(loop, arg, dot);
    });
  }
};

} // namespace

std::unique_ptr<Pass> createWidenAccumulators() { return std::make_unique<WidenAccumulators>(); }

} // namespace phobos::passes
