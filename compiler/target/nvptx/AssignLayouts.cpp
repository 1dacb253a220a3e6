#include "compiler/target/nvptx/DotPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include <numeric>

using namespace mlir;

namespace phobos::nvptx {

namespace {

bool isTile(Value v) { return isa<RankedTensorType>(v.getType()); }
/// The layout's axis that axis `axis` of a tile is.
int layoutAxis(Type tile, int64_t axis) {
  return cast<RankedTensorType>(tile).getRank() == 1 ? 1 : static_cast<int>(axis);
}

/// Costs nothing in any layout: made anew at each use.
bool isCheap(Operation *op) {
  if (auto c = dyn_cast<arith::ConstantOp>(op))
    return isa<RankedTensorType>(c.getType());
  if (auto b = dyn_cast<pho::BroadcastOp>(op))
    return !isTile(b.getValue());
  return isa<pho::IotaOp>(op);
}

void copyCheapToUses(Operation *func) {
  SmallVector<Operation *> cheap;
  func->walk([&](Operation *op) {
    if (isCheap(op))
      cheap.push_back(op);
  });
  for (Operation *op : cheap) {
    Value v = op->getResult(0);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : v.getUses())
      uses.push_back(&use);
    for (size_t k = 1; k < uses.size(); ++k) {
      OpBuilder b(op);
      uses[k]->set(b.clone(*op)->getResult(0));
    }
  }
}

/// Joins what must share a layout, and finds the layout of each class.
class Classes {
public:
  Classes(Operation *func, const Plans &p, const Target &t) : plans(p), target(t) {
    func->walk([&](Operation *op) { collect(op); });
    for (size_t k = 0; k < values.size(); ++k)
      members[find(k)].push_back(values[k]);
  }

  Layout layoutOf(Value v) { return layoutOfClass(find(number.at(v))); }
  const DotPlan &plan(pho::DotOp dot) const { return plans.dots.at(dot); }
  ArrayRef<Value> all() const { return values; }

private:
  size_t id(Value v) {
    auto [it, isNew] = number.try_emplace(v, values.size());
    if (isNew)
      values.push_back(v), parent.push_back(it->second);
    return it->second;
  }
  size_t find(size_t k) {
    while (parent[k] != k)
      k = parent[k] = parent[parent[k]];
    return k;
  }
  void join(Value a, Value b) {
    if (isTile(a) && isTile(b))
      parent[find(id(a))] = find(id(b));
  }

  void collect(Operation *op) {
    for (Value v : op->getResults())
      if (isTile(v))
        id(v);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value v : block.getArguments())
          if (isTile(v))
            id(v);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [k, init] : llvm::enumerate(loop.getInitArgs())) {
        join(init, loop.getRegionIterArg(k));
        join(loop.getRegionIterArg(k), loop.getYieldedValues()[k]);
        join(loop.getRegionIterArg(k), loop.getResult(k));
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          for (auto [k, v] : llvm::enumerate(region->front().getTerminator()->getOperands()))
            join(v, branch.getResult(k));
    } else if (auto whileLoop = dyn_cast<scf::WhileOp>(op)) {
      for (auto [k, init] : llvm::enumerate(whileLoop.getInits())) {
        join(init, whileLoop.getBeforeArguments()[k]);
        join(init, whileLoop.getYieldOp().getOperand(k));
      }
      for (auto [k, v] : llvm::enumerate(whileLoop.getConditionOp().getArgs())) {
        join(v, whileLoop.getAfterArguments()[k]);
        join(v, whileLoop.getResult(k));
      }
    } else if (auto dot = dyn_cast<pho::DotOp>(op)) {
      join(dot.getAcc(), dot.getResult());
    } else if (auto combine = dyn_cast<phog::CombinePartsOp>(op)) {
      for (auto [value, sum] : llvm::zip(combine.getValues(), combine.getResults()))
        join(value, sum);
    } else if (auto insert = dyn_cast<pho::InsertSliceOp>(op)) {
      join(insert.getTile(), insert.getResult());
    } else if (auto store = dyn_cast<pho::StoreOp>(op)) {
      if (store.getMask())
        join(store.getValue(), store.getMask());
    } else if (isa<pho::ReshapeOp, pho::ScanOp, pho::ConvertOp, pho::TotalOp, pho::MathOp, pho::RandOp>(op) ||
               op->getDialect()->getNamespace() == "arith") {
      // Elementwise, a scan, or a reshape that moves nothing.
      for (Value v : op->getOperands())
        if (op->getNumResults() == 1 && isTile(v) && isTile(op->getResult(0)) &&
            shapeOf(v.getType()) == shapeOf(op->getResult(0).getType()))
          join(v, op->getResult(0));
    }
  }

  Layout layoutOfClass(size_t c) {
    if (auto it = layouts.find(c); it != layouts.end())
      return it->second;
    ArrayRef<Value> vs = members.at(c);
    Layout chosen = byMemory(vs);
    if (!deciding.insert(c).second)
      return chosen; // a cycle of reductions and broadcasts: anything is right
    chosen = strongest(vs, chosen).normalized();
    deciding.erase(c);
    layouts[c] = chosen;
    return chosen;
  }

  Layout strongest(ArrayRef<Value> vs, const Layout &fallback) {
    // Products of warpgroups that are under way pass through no conversion: theirs before others'.
    for (bool byWarpgroups : {true, false})
      for (Value v : vs)
        if (auto dot = v.getDefiningOp<pho::DotOp>(); dot && plan(dot).isWgmma == byWarpgroups)
          return plan(dot).accumulator;
    for (Value v : vs) {
      Operation *op = v.getDefiningOp();
      if (!op)
        continue;
      if (auto r = dyn_cast<pho::ReduceOp>(op))
        return slice(layoutOf(r.getValue()), layoutAxis(r.getValue().getType(), r.getAxis()));
      if (auto r = dyn_cast<pho::ArgReduceOp>(op))
        return slice(layoutOf(r.getValue()), layoutAxis(r.getValue().getType(), r.getAxis()));
    }
    for (Value v : vs)
      for (Operation *user : v.getUsers())
        if (auto b = dyn_cast<pho::BroadcastOp>(user))
          return broadcastSource(v, b);
    bool touchesMemory = llvm::any_of(vs, [](Value v) {
      return v.getDefiningOp<pho::LoadOp>() ||
             llvm::any_of(v.getUsers(), [](Operation *u) { return isa<pho::StoreOp>(u); });
    });
    if (!touchesMemory)
      for (Value v : vs)
        if (auto t = v.getDefiningOp<pho::TransposeOp>())
          return transposed(layoutOf(t.getValue()));
    return fallback;
  }

public:
  /// The layout that `v` must have to be broadcast by register moves alone.
  Layout broadcastSource(Value v, pho::BroadcastOp b) {
    Layout l = layoutOf(b.getResult());
    Coord from = shapeOf(v.getType()), to = shapeOf(b.getResult().getType());
    for (int axis : {0, 1})
      if (from[axis] != to[axis])
        l = slice(l, axis);
    return l.normalized();
  }

private:
  Layout byMemory(ArrayRef<Value> vs) {
    int64_t bytes = 8;
    bool touches = false;
    for (Value v : vs)
      if (v.getDefiningOp<pho::LoadOp>() ||
          llvm::any_of(v.getUsers(), [](Operation *u) { return isa<pho::StoreOp>(u); })) {
        bytes = std::min(bytes, elementBytes(elementOf(v.getType())));
        touches = true;
      }
    return blocked(shapeOf(vs[0].getType()), touches ? bytes : 4, target.warps);
  }

  const Plans &plans;
  const Target &target;
  std::vector<Value> values;
  std::vector<size_t> parent;
  DenseMap<Value, size_t> number;
  std::map<size_t, std::vector<Value>> members;
  std::map<size_t, Layout> layouts;
  std::set<size_t> deciding;
};

/// Gives `op`'s result another layout than its class has, and converts it back after.
void resultIn(Operation *op, const Layout &layout) {
  Value v = op->getResult(0);
  Type classType = v.getType();
  if (layoutOf(classType) == layout)
    return;
  v.setType(withLayout(classType, layout));
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  auto convert = phog::ConvertOp::create(b, op->getLoc(), classType, v);
  v.replaceAllUsesExcept(convert.getResult(), convert);
}

void operandIn(OpOperand &use, const Layout &layout) {
  Type have = use.get().getType();
  if (layoutOf(have) == layout)
    return;
  OpBuilder b(use.getOwner());
  use.set(phog::ConvertOp::create(b, use.getOwner()->getLoc(), withLayout(have, layout), use.get()));
}

void retypeConstant(arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto value = cast<DenseElementsAttr>(op.getValue());
  op.setValueAttr(value.isSplat() ? DenseElementsAttr::get(type, value.getSplatValue<Attribute>())
                                  : DenseElementsAttr::getFromRawBuffer(type, value.getRawData()));
}

} // namespace

void assignLayouts(Operation *func, const Plans &plans, const Target &target) {
  copyCheapToUses(func);
  Classes classes(func, plans, target);
  // Layouts first, types after: deciding reads the values as they were.
  std::vector<std::pair<Value, Layout>> decided;
  for (Value v : classes.all())
    decided.emplace_back(v, classes.layoutOf(v));
  std::vector<std::pair<Operation *, Layout>> sources;
  func->walk([&](Operation *op) {
    if (auto b = dyn_cast<pho::BroadcastOp>(op); b && isTile(b.getValue()))
      sources.emplace_back(op, classes.broadcastSource(b.getValue(), b));
    if (auto dot = dyn_cast<pho::DotOp>(op))
      sources.emplace_back(op, classes.plan(dot).accumulator.normalized());
  });
  for (auto &[v, layout] : decided)
    v.setType(withLayout(v.getType(), layout));

  for (auto &[op, layout] : sources) {
    if (auto dot = dyn_cast<pho::DotOp>(op)) {
      operandIn(dot.getAccMutable(), layout);
      resultIn(op, layout);
    } else {
      operandIn(cast<pho::BroadcastOp>(op).getValueMutable(), layout);
    }
  }
  SmallVector<Operation *> ops;
  func->walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (auto c = dyn_cast<arith::ConstantOp>(op); c && isa<RankedTensorType>(c.getType()))
      retypeConstant(c);
    else if (auto r = dyn_cast<pho::ReduceOp>(op); r && isa<RankedTensorType>(r.getType()))
      resultIn(op, slice(layoutOf(r.getValue().getType()), layoutAxis(r.getValue().getType(), r.getAxis())));
    else if (auto a = dyn_cast<pho::ArgReduceOp>(op))
      resultIn(op, slice(layoutOf(a.getValue().getType()), layoutAxis(a.getValue().getType(), a.getAxis())));
    else if (auto t = dyn_cast<pho::TransposeOp>(op))
      resultIn(op, transposed(layoutOf(t.getValue().getType())).normalized());
  }
}

} // namespace phobos::nvptx
