#include "compiler/target/cpu/Plan.h"
#include "compiler/ir/Pho.h"
#include "compiler/target/cpu/Uniformity.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace phobos::cpu {

bool isElementwise(mlir::Operation *op) {
  if (mlir::isa<mlir::arith::ConstantOp>(op))
    return false;
  return mlir::isa<pho::TotalOp, pho::MathOp, pho::ConvertOp, pho::RandOp>(op) ||
         mlir::isa<mlir::arith::ArithDialect>(op->getDialect());
}

bool isVector(TileShape s) { return s.rows == 1 || s.cols == 1; }

bool Plan::isTile(mlir::Value v) const {
  return mlir::isa<mlir::RankedTensorType>(v.getType()) || perThread.contains(v);
}

TileShape Plan::shapeOf(mlir::Value v) const {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(v.getType());
  if (!type)
    return {1, perThread.contains(v) ? threads : 1};
  if (type.getRank() == 0)
    return {1, 1};
  if (type.getRank() == 1)
    return {1, type.getDimSize(0)};
  return {type.getDimSize(0), type.getDimSize(1)};
}

bool Plan::reads(mlir::Value expr, mlir::Value target) const {
  if (expr == target)
    return true;
  if (!fused.contains(expr))
    return false;
  return llvm::any_of(expr.getDefiningOp()->getOperands(),
                      [&](mlir::Value v) { return isTile(v) && reads(v, target); });
}

bool Plan::readsInPlace(mlir::Value expr, mlir::Value target) const {
  if (expr == target || !reads(expr, target))
    return true;
  mlir::Operation *op = expr.getDefiningOp();
  return isElementwise(op) && llvm::all_of(op->getOperands(), [&](mlir::Value v) {
           return !isTile(v) || readsInPlace(v, target);
         });
}

mlir::Operation *Plan::ancestorIn(mlir::Block *block, mlir::Operation *op) {
  while (op && op->getBlock() != block)
    op = op->getParentOp();
  return op;
}

namespace {

/// Past this many simple operations an element is not computed twice.
constexpr unsigned kRecomputeCost = 4;
constexpr unsigned kDear = 1000;

class Planner {
public:
  Planner(mlir::Operation *function, Plan &plan) : function_(function), plan_(plan) {}

  void run() {
    function_->walk([&](mlir::Operation *op) { price(op); });
    function_->walk([&](mlir::Block *block) { decide(*block); });
    function_->walk([&](mlir::Block *block) {
      for (mlir::Value arg : block->getArguments())
        lastUse(arg);
      for (mlir::Operation &op : *block)
        for (mlir::Value v : op.getResults())
          lastUse(v);
    });
    for (auto [v, last] : plan_.lastUse)
      plan_.dying[last].push_back(v);
  }

private:
  bool canFuse(mlir::Value v) const {
    mlir::Operation *op = v.getDefiningOp();
    if (!op || op->getNumRegions())
      return false;
    if (mlir::isa<mlir::RankedTensorType>(v.getType())) {
      if (mlir::isa<pho::BroadcastOp, pho::IotaOp, pho::ExtractSliceOp, pho::LoadOp>(op))
        return true;
      if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op))
        return mlir::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat();
      if (mlir::isa<pho::ReshapeOp, pho::TransposeOp>(op)) // of a vector: the axis gets another name
        return isVector(plan_.shapeOf(op->getOperand(0))) && isVector(plan_.shapeOf(v));
    } else if (mlir::isa<pho::ThreadIdOp>(op)) {
      return true;
    }
    return isElementwise(op);
  }

  unsigned ownCost(mlir::Operation *op) const {
    if (mlir::isa<pho::BroadcastOp, pho::ExtractSliceOp, pho::ReshapeOp, pho::TransposeOp,
                  mlir::arith::ConstantOp>(op))
      return 0;
    if (mlir::isa<pho::MathOp, pho::TotalOp, pho::RandOp, mlir::arith::DivFOp>(op))
      return 8;
    return 1;
  }

  void price(mlir::Operation *op) {
    unsigned cost = ownCost(op);
    for (mlir::Value v : op->getOperands())
      if (plan_.isTile(v))
        cost = std::min(kDear, cost + (canFuse(v) ? cost_.lookup(v) : 1));
    for (mlir::Value v : op->getResults())
      cost_[v] = cost;
  }

  bool containsLoad(mlir::Value v) const {
    if (!canFuse(v))
      return false;
    mlir::Operation *op = v.getDefiningOp();
    return mlir::isa<pho::LoadOp>(op) ||
           llvm::any_of(op->getOperands(), [&](mlir::Value o) { return plan_.isTile(o) && containsLoad(o); });
  }

  void decide(mlir::Block &block) {
    for (mlir::Operation &op : llvm::reverse(block))
      for (mlir::Value v : op.getResults())
        if (plan_.isTile(v) && shouldFuse(v, block))
          plan_.fused.insert(v);
  }

  bool shouldFuse(mlir::Value v, mlir::Block &block) {
    llvm::SmallPtrSet<mlir::Operation *, 4> &roots = roots_[v];
    bool isRemote = false, isExpanded = false;
    for (mlir::Operation *user : v.getUsers()) {
      if (user->getBlock() != &block) {
        isRemote = true;
        roots.insert(Plan::ancestorIn(&block, user));
        continue;
      }
      if (user->getNumResults() == 1 && plan_.fused.contains(user->getResult(0))) {
        mlir::Value result = user->getResult(0);
        const auto inner = roots_[result];
        roots_[v].insert(inner.begin(), inner.end());
        isRemote |= remote_.contains(result);
        isExpanded |= expanded_.contains(result) ||
                      (mlir::isa<pho::BroadcastOp>(user) && plan_.shapeOf(v) != plan_.shapeOf(result));
      } else {
        roots.insert(user);
        isExpanded |=
            user->getNumRegions() == 0 && plan_.perThread.contains(v) && mlir::isa<pho::AtomicOp>(user);
      }
    }
    if (isRemote)
      remote_.insert(v);
    if (isExpanded)
      expanded_.insert(v);
    if (!canFuse(v))
      return false;
    if (isRemote && (cost_[v] > 1 || containsLoad(v)))
      return false;
    if ((roots_[v].size() > 1 || isExpanded) && cost_[v] > kRecomputeCost)
      return false;
    if (auto load = mlir::dyn_cast<pho::LoadOp>(v.getDefiningOp()))
      return llvm::all_of(roots_[v], [&](mlir::Operation *root) { return mayReadAt(load, root); });
    return true;
  }

  static bool writes(mlir::Operation *op, mlir::Value view) {
    bool found = false;
    op->walk([&](mlir::Operation *inner) {
      if (auto store = mlir::dyn_cast<pho::StoreOp>(inner))
        found |= store.getView() == view;
      if (auto atomic = mlir::dyn_cast<pho::AtomicOp>(inner))
        found |= atomic.getView() == view;
    });
    return found;
  }

  /// The load may happen inside `root`'s loop: nothing between writes the tensor, and a store to it reads
  /// just what it overwrites.
  bool mayReadAt(pho::LoadOp load, mlir::Operation *root) {
    for (mlir::Operation *op = load->getNextNode(); op && op != root; op = op->getNextNode())
      if (writes(op, load.getView()))
        return false;
    auto store = mlir::dyn_cast<pho::StoreOp>(root);
    if (!store || store.getView() != load.getView())
      return true;
    if (store.getStarts() != load.getStarts() || store.getSizes() != load.getSizes() ||
        store.getPoints() != load.getPoints())
      return false;
    if (plan_.shapeOf(load.getResult()) != plan_.shapeOf(store.getValue()))
      return false;
    // Not fused yet itself: it counts as read where its users are.
    return plan_.readsInPlace(store.getValue(), load.getResult()) &&
           (!store.getMask() || plan_.readsInPlace(store.getMask(), load.getResult()));
  }

  /// Later of the places in v's block where v, or something fused that reads it, is read.
  mlir::Operation *lastUse(mlir::Value v) {
    if (!plan_.isTile(v))
      return nullptr;
    if (auto known = plan_.lastUse.find(v); known != plan_.lastUse.end())
      return known->second;
    mlir::Block *block = v.getParentBlock();
    mlir::Operation *last = nullptr;
    auto extend = [&](mlir::Operation *op) {
      if (op && (!last || last->isBeforeInBlock(op)))
        last = op;
    };
    for (mlir::Operation *user : v.getUsers()) {
      extend(Plan::ancestorIn(block, user));
      for (mlir::Value result : user->getResults())
        if (plan_.fused.contains(result))
          if (mlir::Operation *use = lastUse(result))
            extend(Plan::ancestorIn(block, use));
    }
    if (last)
      plan_.lastUse[v] = last;
    return last;
  }

  mlir::Operation *function_;
  Plan &plan_;
  llvm::DenseMap<mlir::Value, unsigned> cost_;
  llvm::DenseMap<mlir::Value, llvm::SmallPtrSet<mlir::Operation *, 4>> roots_;
  llvm::DenseSet<mlir::Value> remote_, expanded_;
};

} // namespace

Plan planTiles(mlir::Operation *function, int64_t threads) {
  Plan plan;
  plan.threads = threads;
  plan.perThread = findPerThreadValues(function);
  Planner(function, plan).run();
  return plan;
}

} // namespace phobos::cpu
