#include "compiler/target/cpu/Uniformity.h"
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace phobos::cpu {
namespace {

class Analysis {
public:
  llvm::DenseSet<mlir::Value> varying;

  /// One sweep; true if something was added.
  bool sweep(mlir::Operation *function) {
    changed_ = false;
    function->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) { visit(op); });
    return changed_;
  }

private:
  bool is(mlir::Value v) const { return varying.contains(v); }
  void mark(mlir::Value v) {
    if (!mlir::isa<mlir::RankedTensorType>(v.getType()))
      changed_ |= varying.insert(v).second;
  }
  void markAll(mlir::ValueRange values) {
    for (mlir::Value v : values)
      mark(v);
  }
  void flow(mlir::ValueRange from, mlir::ValueRange to) {
    for (auto [f, t] : llvm::zip(from, to))
      if (is(f))
        mark(t);
  }

  void visit(mlir::Operation *op) {
    if (mlir::isa<pho::ThreadIdOp>(op))
      return mark(op->getResult(0));
    if (auto atomic = mlir::dyn_cast<pho::AtomicOp>(op)) {
      if (!atomic.getOnce())
        mark(atomic.getResult());
      return;
    }
    if (auto loop = mlir::dyn_cast<mlir::scf::ForOp>(op))
      return visitFor(loop);
    if (auto loop = mlir::dyn_cast<mlir::scf::WhileOp>(op))
      return visitWhile(loop);
    if (auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op))
      return visitIf(branch);
    if (op->getNumRegions() == 0 && llvm::any_of(op->getOperands(), [&](mlir::Value v) { return is(v); }))
      markAll(op->getResults());
  }

  void visitFor(mlir::scf::ForOp loop) {
    bool divergent = is(loop.getLowerBound()) || is(loop.getUpperBound()) || is(loop.getStep());
    if (divergent) {
      mark(loop.getInductionVar());
      markAll(loop.getRegionIterArgs());
      markAll(loop.getResults());
    }
    flow(loop.getInitArgs(), loop.getRegionIterArgs());
    flow(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs());
    flow(loop.getRegionIterArgs(), loop.getResults());
  }

  void visitWhile(mlir::scf::WhileOp loop) {
    auto condition = loop.getConditionOp();
    if (is(condition.getCondition())) {
      markAll(loop.getBeforeArguments());
      markAll(loop.getAfterArguments());
      markAll(loop.getResults());
    }
    flow(loop.getInits(), loop.getBeforeArguments());
    flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments());
    flow(condition.getArgs(), loop.getAfterArguments());
    flow(condition.getArgs(), loop.getResults());
  }

  void visitIf(mlir::scf::IfOp branch) {
    if (branch->getNumResults() == 0)
      return;
    if (is(branch.getCondition()))
      markAll(branch.getResults());
    flow(branch.thenYield().getOperands(), branch.getResults());
    flow(branch.elseYield().getOperands(), branch.getResults());
  }

  bool changed_ = false;
};

} // namespace

llvm::DenseSet<mlir::Value> findPerThreadValues(mlir::Operation *function) {
  Analysis analysis;
  while (analysis.sweep(function)) {
  }
  return std::move(analysis.varying);
}

} // namespace phobos::cpu
