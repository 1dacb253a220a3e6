#include "compiler/passes/HoistSlices.h"
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace phobos::passes {
namespace {

/// The views that `root` writes, and whether threads meet in it.
struct Writes {
  llvm::DenseSet<Value> views;
  bool hasBarrier = false;
  explicit Writes(Operation *root) {
    root->walk([&](Operation *op) {
      if (auto store = dyn_cast<pho::StoreOp>(op))
        views.insert(store.getView());
      else if (auto atomic = dyn_cast<pho::AtomicOp>(op))
        views.insert(atomic.getView());
      hasBarrier |= isa<pho::BarrierOp>(op);
    });
  }
};

struct HoistSlices : PassWrapper<HoistSlices, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(HoistSlices)
  StringRef getArgument() const final { return "pho-hoist-slices"; }
  StringRef getDescription() const final {
    return "tensor reads that do not depend on a loop move out of it";
  }

  void runOnOperation() final {
    Writes all(getOperation());
    getOperation()->walk([&](LoopLikeOpInterface loop) { // inner loops first
      Writes inside(loop);
      moveLoopInvariantCode(
          loop.getLoopRegions(), [&](Value v, Region *) { return loop.isDefinedOutsideOfLoop(v); },
          [&](Operation *op, Region *) {
            auto load = dyn_cast<pho::LoadOp>(op);
            return load ? !(inside.hasBarrier ? all : inside).views.contains(load.getView()) : isPure(op);
          },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }
};

} // namespace

std::unique_ptr<Pass> createHoistSlices() { return std::make_unique<HoistSlices>(); }

} // namespace phobos::passes
