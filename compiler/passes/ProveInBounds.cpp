#include "compiler/passes/ProveInBounds.h"
#include "compiler/ir/Pho.h"
#include "compiler/passes/Ranges.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace phobos::passes {
namespace {

bool isInside(Value start, Value extent, int64_t size) {
  Range s = rangeOf(start), e = rangeOf(extent);
  if (s.lo < 0 || !s.isModest())
    return false;
  if (s.hi + size <= e.lo)
    return true;
  // start < extent, both whole multiples of the size: start + size <= extent.
  return isCountedBelow(start, extent) && s.isMultipleOf(size) && e.isMultipleOf(size);
}

template <typename AccessOp> void prove(AccessOp op) {
  SmallVector<bool> inBounds(op.getInBounds());
  for (auto [axis, known] : llvm::enumerate(inBounds))
    known = known || isInside(op.getStarts()[axis], op.getExtents()[axis], op.getSizes()[axis]);
  op.setInBounds(inBounds);
}

struct ProveInBounds : PassWrapper<ProveInBounds, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProveInBounds)
  StringRef getArgument() const final { return "pho-prove-in-bounds"; }
  StringRef getDescription() const final {
    return "finds the axes of loads and stores that cannot leave the tensor";
  }

  void runOnOperation() final {
    getOperation()->walk([](pho::LoadOp op) { prove(op); });
    getOperation()->walk([](pho::StoreOp op) { prove(op); });
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createProveInBounds() { return std::make_unique<ProveInBounds>(); }

} // namespace phobos::passes
