#include "compiler/passes/VerifyLocations.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace phobos::passes {
namespace {

bool hasPlace(Location loc) {
  bool found = false;
  loc->walk([&](Location part) {
    found |= isa<FileLineColRange>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

struct VerifyLocations : PassWrapper<VerifyLocations, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyLocations)
  StringRef getArgument() const final { return "pho-verify-locations"; }
  StringRef getDescription() const final { return "every operation has a source location"; }

  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      if (op == getOperation() || hasPlace(op->getLoc()))
        return;
      op->emitError() << "'" << op->getName() << "' has no source location";
      signalPassFailure();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createVerifyLocations() { return std::make_unique<VerifyLocations>(); }

} // namespace phobos::passes
