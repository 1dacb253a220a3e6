#include "compiler/target/nvptx/Roles.h"
#include "compiler/target/nvptx/DotPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <algorithm>

using namespace mlir;

namespace phobos::nvptx {

namespace {
bool isScalarComputation(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::none_of(op->getResultTypes(), [](Type t) { return isa<RankedTensorType>(t); });
}

/// Which values other warps can compute for themselves: from parameters and the loop's counter by scalars
/// alone.
class Recomputable {
public:
  explicit Recomputable(scf::ForOp l) : loop(l) {}
  bool operator()(Value v) {
    Block *kernel = loop->getBlock();
    if (isa<BlockArgument>(v))
      return v.getParentBlock() == kernel || v == loop.getInductionVar();
    Operation *op = v.getDefiningOp();
    if (known.contains(op))
      return true;
    bool is = (op->getBlock() == kernel || op->getBlock() == loop.getBody()) && isScalarComputation(op) &&
              llvm::all_of(op->getOperands(), [&](Value operand) { return (*this)(operand); });
    if (is)
      known.insert(op);
    return is;
  }

private:
  scf::ForOp loop;
  llvm::DenseSet<Operation *> known;
};

bool isOwnSum(pho::DotOp dot, scf::ForOp loop) {
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || acc == loop.getInductionVar() || !acc.hasOneUse() ||
      !dot.getResult().hasOneUse())
    return false;
  OpOperand &use = *dot.getResult().use_begin();
  return use.getOwner() == loop.getBody()->getTerminator() &&
         use.getOperandNumber() + 1 == acc.getArgNumber();
}

bool isCopyable(pho::LoadOp load, scf::ForOp loop, Recomputable &isKnown, const Target &target) {
  return canCopy(load, target) && isa<BlockArgument>(load.getView()) &&
         llvm::all_of(load.getStarts(), [&](Value v) { return isKnown(v); }) &&
         llvm::all_of(load.getExtents(), [&](Value v) { return isKnown(v); }) &&
         llvm::all_of(load->getUsers(), [&](Operation *user) {
           return isa<pho::DotOp>(user) && user->getBlock() == loop.getBody();
         });
}

/// Contraction loops among the statements of the kernel, this one too.
int64_t contractionsBeside(scf::ForOp loop) {
  int64_t n = 0;
  for (auto other : loop->getBlock()->getOps<scf::ForOp>())
    n += other->hasAttr("pho.contraction");
  return n;
}
} // namespace

std::string whyNoRoles(scf::ForOp loop, const Target &target) {
  if (!isa<func::FuncOp>(loop->getParentOp()))
    return "its loop stands in another loop or under a condition";
  if (contractionsBeside(loop) > kMostRoles)
    return "its kernel has more than " + std::to_string(kMostRoles) + " loops of products";
  Recomputable isKnown(loop);
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (!isKnown(bound))
      return "its loop's bounds are not computed from parameters and constants alone";
  size_t sums = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto dot = dyn_cast<pho::DotOp>(op)) {
      if (!isOwnSum(dot, loop))
        return "its loop uses the sums while they grow";
      for (Value operand : {dot.getA(), dot.getB()}) // what is made once stands in no ring
        if (auto load = operand.getDefiningOp<pho::LoadOp>(); !load || load->getBlock() != loop.getBody())
          return "an operand of a product of its loop is not loaded in the loop";
      ++sums;
    } else if (auto load = dyn_cast<pho::LoadOp>(op); load && isa<RankedTensorType>(load.getType())) {
      if (!isCopyable(load, loop, isKnown, target))
        return "an operand is not copied as it lies in memory (rows that start at multiples of 16 bytes of a "
               "tensor that the kernel only reads, used by the products alone)";
    } else if (!isScalarComputation(&op)) {
      return "its loop does more than multiply what it loads";
    }
  }
  return sums == loop.getNumRegionIterArgs() ? "" : "its loop carries more than the sums of its products";
}

SharedLayout stagedOperand(Type tile) {
  const Coord shape = shapeOf(tile);
  return panelBuffer(shape[0], shape[1], elementBytes(elementOf(tile)));
}

namespace {
/// Shared memory of a stage of the loop's ring.
int64_t stageBytes(scf::ForOp loop) {
  int64_t bytes = 0;
  for (auto load : loop.getBody()->getOps<pho::LoadOp>())
    if (isa<RankedTensorType>(load.getType()))
      bytes += stagedOperand(load.getType()).sizeBytes();
  return bytes;
}
} // namespace

// Measured on an H200 (docs/benchmarks.md). Copies of 16 bytes need many threads to keep a tensor core busy:
// one warpgroup, which can also hand registers over to those that multiply: of 65536, 384 threads have 168
// each to begin with. Beside one warpgroup with many sums two warps leave room for a second block.
RolePlan planRoles(scf::ForOp loop, const Target &target) {
  Operation *func = loop->getParentOp();
  int64_t sums = 0; // of a thread
  for (Type t : loop.getResultTypes())
    if (auto tile = dyn_cast<RankedTensorType>(t))
      sums += tile.getNumElements() / (32 * target.warps);
  RolePlan plan;
  plan.producers = target.warps == 4 && sums >= 128 && contractionsBeside(loop) == 1 ? 2 : 4;
  auto blocks = func->getAttrOfType<IntegerAttr>("pho.min_blocks");
  if (plan.producers == 4 && target.warps == 8 && !(blocks && blocks.getInt() > 1) &&
      !func->hasAttr("pho.max_registers"))
    plan.workerRegisters = 224, plan.producerRegisters = 56;
  auto given = func->getAttrOfType<IntegerAttr>("pho.stages");
  const int64_t wanted = given ? given.getInt() : 0;
  plan.stages = wanted ? wanted : 4;
  const int64_t each = stageBytes(loop);
  const int64_t limit = target.sharedLimit - 1024; // the signals, and rings begin at multiples of 1024
  // Beside one warpgroup a second block hides the first one's ends: prefer fewer stages to one block.
  auto fits = [&](int64_t stages) {
    return stages * each <= (stages > 3 && target.warps == 4 ? limit / 2 : limit);
  };
  while (!wanted && plan.stages > 1 && !fits(plan.stages))
    --plan.stages;
  return plan;
}

int64_t workerRegisters(Operation *func, int64_t workers) {
  int64_t each = 255;
  func->walk([&](phog::RolesOp roles) {
    auto blocks = func->getAttrOfType<IntegerAttr>("pho.min_blocks");
    const int64_t threads = 32 * (workers + static_cast<int64_t>(roles.getProducers()));
    each = roles.getRegisters() ? (*roles.getRegisters())[0]
                                : 65536 / (threads * (blocks ? blocks.getInt() : 1)) / 8 * 8;
  });
  return std::min<int64_t>(255, each);
}

namespace {

class Sharing {
public:
  Sharing(scf::ForOp l, const RolePlan &p, Operation *f, const Target &t)
      : loop(l), plan(p), func(f), target(t), b(l.getContext()), loc(l.getLoc()) {
    for (Operation &op : *loop.getBody()) {
      if (auto copy = dyn_cast<phog::CopyAsyncOp>(op))
        copies.push_back(copy);
      dots += isa<phog::DotOp>(op);
    }
  }

  void run() {
    const int64_t stages = plan.stages;
    UnitAttr unit = b.getUnitAttr();
    for (phog::CopyAsyncOp copy : copies) {
      auto alloc = copy.getBuffer().getDefiningOp<phog::AllocOp>();
      auto type = cast<phog::BufferType>(alloc.getType());
      alloc.getResult().setType(bufferType(type.getElementType(), sharedLayoutOf(type), stages));
      alloc->setAttr("phog.ring", unit);
      copy->setAttr("phog.ring", unit);
    }
    b.setInsertionPointToStart(&func->getRegion(0).front());
    signals = phog::AllocOp::create(b, loc, bufferType(b.getI64Type(), {2, stages, 8, 8 * stages, 1, 0}),
                                    IntegerAttr());
    signals.getDefiningOp()->setAttr("phog.signals", unit);
    b.setInsertionPoint(loop);
    DenseI64ArrayAttr registers;
    if (plan.workerRegisters)
      registers = b.getDenseI64ArrayAttr({plan.workerRegisters, plan.producerRegisters});
    auto roles =
        phog::RolesOp::create(b, loc, loop.getResultTypes(), signals, static_cast<uint64_t>(target.warps),
                              static_cast<uint64_t>(plan.producers), registers);
    work(roles.getWork().emplaceBlock());
    produce(roles.getProduce().emplaceBlock());
    func->setAttr("phog.helpers", b.getI64IntegerAttr(32 * plan.producers));
    loop.replaceAllUsesWith(roles.getResults());
    loop.erase();
  }

private:
  Value constant(int64_t n) { return arith::ConstantIndexOp::create(b, loc, n); }

  /// The stage and the parity of its phase after these.
  std::pair<Value, Value> following(Value stage, Value parity) {
    Value next = arith::AddIOp::create(b, loc, stage, constant(1));
    Value isEnd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, next, constant(plan.stages));
    Value other = arith::SubIOp::create(b, loc, constant(1), parity);
    return {arith::SelectOp::create(b, loc, isEnd, constant(0), next),
            arith::SelectOp::create(b, loc, isEnd, other, parity)};
  }

  /// The products of the iteration before are done, and their stage is empty. In a ring of two that would
  /// leave the producers nothing to do meanwhile: there this iteration's are waited for.
  void release(Value stage, scf::ForOp in) {
    const bool isShort = plan.stages == 2;
    phog::SettleOp::create(b, loc, TypeRange(), static_cast<uint64_t>(isShort ? 0 : dots), ValueRange());
    if (isShort) {
      phog::SignalOp::create(b, loc, signals, stage, Value(), false);
      return;
    }
    Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage, constant(0));
    Value before = arith::SelectOp::create(b, loc, isFirst, constant(plan.stages - 1),
                                           arith::SubIOp::create(b, loc, stage, constant(1)));
    Value hasBefore =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, in.getInductionVar(), loop.getLowerBound());
    phog::SignalOp::create(b, loc, signals, before, hasBefore, false);
  }

  /// What the sums begin at. Constants are where products want them, but for unrolled loops.
  SmallVector<Value> begun() {
    SmallVector<Value> inits(loop.getInitArgs());
    const bool isPlain = !loop->hasAttr("pho.unroll") && llvm::all_of(inits, [](Value v) {
      return v.getDefiningOp<arith::ConstantOp>() != nullptr;
    });
    if (isPlain)
      return inits;
    auto begin = phog::BeginOp::create(b, loc, ValueRange(inits).getTypes(), inits);
    return llvm::to_vector(ValueRange(begin.getResults()));
  }

  /// Each iteration: this stage has arrived; products read it while those of the stage before end.
  void work(Block &block) {
    b.setInsertionPointToStart(&block);
    SmallVector<Value> inits = begun();
    inits.append({constant(0), constant(0)});
    auto to = scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
    to->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Value stage = to.getRegionIterArgs().take_back(2)[0], parity = to.getRegionIterArgs().back();
    IRMapping map;
    map.map(loop.getInductionVar(), to.getInductionVar());
    map.map(loop.getRegionIterArgs(), to.getRegionIterArgs().drop_back(2));
    b.setInsertionPointToStart(to.getBody());
    phog::AwaitOp::create(b, loc, signals, stage, parity, true);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isa<phog::CopyAsyncOp, phog::CommitOp, phog::WaitOp>(op))
        continue;
      Operation *clone = b.clone(op, map);
      if (auto dot = dyn_cast<phog::DotOp>(clone)) {
        dot.getStageAMutable().assign(stage);
        dot.getStageBMutable().assign(stage);
      }
    }
    release(stage, to);
    SmallVector<Value> yielded;
    for (Value v : loop.getYieldedValues())
      yielded.push_back(map.lookupOrDefault(v));
    auto [next, phase] = following(stage, parity);
    yielded.append({next, phase});
    scf::YieldOp::create(b, loc, yielded);
    b.setInsertionPointAfter(to);
    auto sums = to.getResults().drop_back(2);
    auto settled = phog::SettleOp::create(b, loc, sums.getTypes(), 0, sums);
    phog::YieldOp::create(b, loc, settled.getResults());
  }

  /// Each iteration: this stage is empty, and is filled.
  void produce(Block &block) {
    b.setInsertionPointToStart(&block);
    IRMapping map;
    Value lower = recomputed(loop.getLowerBound(), map), upper = recomputed(loop.getUpperBound(), map),
          step = recomputed(loop.getStep(), map);
    llvm::DenseSet<Operation *> seen;
    for (phog::CopyAsyncOp copy : copies)
      for (Value operand : copy->getOperands())
        outer(operand, map, seen);
    auto to = scf::ForOp::create(b, loc, lower, upper, step, ValueRange{constant(0), constant(1)});
    to->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Value stage = to.getRegionIterArg(0), parity = to.getRegionIterArg(1);
    map.map(loop.getInductionVar(), to.getInductionVar());
    b.setInsertionPointToStart(to.getBody());
    phog::AwaitOp::create(b, loc, signals, stage, parity, false);
    for (phog::CopyAsyncOp copy : copies) {
      for (Value operand : copy->getOperands())
        recomputed(operand, map);
      auto mine = cast<phog::CopyAsyncOp>(b.clone(*copy, map));
      mine.getStageMutable().assign(stage);
    }
    phog::SignalOp::create(b, loc, signals, stage, Value(), true);
    auto [next, phase] = following(stage, parity);
    scf::YieldOp::create(b, loc, ValueRange{next, phase});
    b.setInsertionPointAfter(to);
    phog::WaitOp::create(b, loc, 0);
    phog::YieldOp::create(b, loc, ValueRange());
  }

  /// `v`, computed here; parameters and buffers as they are.
  Value recomputed(Value v, IRMapping &map) {
    if (map.contains(v) || isa<BlockArgument>(v) || v.getDefiningOp<phog::AllocOp>())
      return map.lookupOrDefault(v);
    Operation *op = v.getDefiningOp();
    for (Value operand : op->getOperands())
      recomputed(operand, map);
    b.clone(*op, map);
    return map.lookup(v);
  }

  /// Of what `v` is computed from, all that does not change in the loop.
  void outer(Value v, IRMapping &map, llvm::DenseSet<Operation *> &seen) {
    if (isa<BlockArgument>(v) || v.getDefiningOp<phog::AllocOp>() || !seen.insert(v.getDefiningOp()).second)
      return;
    if (loop.isDefinedOutsideOfLoop(v)) {
      recomputed(v, map);
      return;
    }
    for (Value operand : v.getDefiningOp()->getOperands())
      outer(operand, map, seen);
  }

  scf::ForOp loop;
  const RolePlan &plan;
  Operation *func;
  const Target &target;
  OpBuilder b;
  Location loc;
  SmallVector<phog::CopyAsyncOp> copies;
  int64_t dots = 0;
  Value signals;
};

} // namespace

void assignRoles(Operation *func, const Plans &plans, const Target &target) {
  SmallVector<scf::ForOp> loops;
  func->walk([&](scf::ForOp loop) {
    if (plans.loops.contains(loop))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    Sharing(loop, plans.loops.at(loop), func, target).run();
}

} // namespace phobos::nvptx
