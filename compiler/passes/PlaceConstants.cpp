#include "compiler/passes/PlaceConstants.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace phobos::passes {
namespace {

struct PlaceConstants : PassWrapper<PlaceConstants, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlaceConstants)
  StringRef getArgument() const final { return "pho-place-constants"; }
  StringRef getDescription() const final { return "shared constants take the kernel's source location"; }

  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::ConstantLike>() && isa<UnknownLoc>(op->getLoc()))
        op->setLoc(getOperation().getLoc());
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createPlaceConstants() { return std::make_unique<PlaceConstants>(); }

} // namespace phobos::passes
