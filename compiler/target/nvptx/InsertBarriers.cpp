#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Scratch.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace phobos::nvptx {

namespace {

/// An access since the last barrier: bytes of shared memory, or a tensor.
struct Pending {
  bool isWrite;
  int64_t low = 0, high = 0; ///< shared
  Value view;                ///< global; null: shared
  Operation *op = nullptr;   ///< global: the access, null for several; shared: a copy, else null
  bool isOld = false;        ///< of an earlier iteration: values of the same name may differ
  bool operator==(const Pending &) const = default;
};
using State = SmallVector<Pending>;

class Barriers {
public:
  Barriers(Operation *f) : func(f), threads(f->getAttrOfType<IntegerAttr>("phog.threads").getInt()) {
    findVariant();
  }
  void run() {
    State state;
    walk(func->getRegion(0).front(), state, true);
  }

private:
  /// Values that differ between threads: control that depends on them holds no barrier.
  void findVariant() {
    bool changed = true;
    auto mark = [&](Value v) { changed |= variant.insert(v).second; };
    auto isVariant = [&](Value v) { return variant.contains(v); };
    while (changed) {
      changed = false;
      func->walk([&](Operation *op) {
        bool any = llvm::any_of(op->getOperands(), isVariant) || isa<pho::ThreadIdOp>(op);
        if (auto atomic = dyn_cast<pho::AtomicOp>(op))
          any |= !atomic.getOnce();
        if (auto loop = dyn_cast<scf::ForOp>(op)) {
          bool bounds =
              isVariant(loop.getLowerBound()) || isVariant(loop.getUpperBound()) || isVariant(loop.getStep());
          if (bounds)
            mark(loop.getInductionVar());
          for (auto [k, arg] : llvm::enumerate(loop.getRegionIterArgs()))
            if (bounds || isVariant(loop.getInitArgs()[k]) || isVariant(loop.getYieldedValues()[k]))
              mark(arg), mark(loop.getResult(k));
        } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
          for (auto [k, result] : llvm::enumerate(branch.getResults()))
            if (isVariant(branch.getCondition()) || isVariant(branch.thenYield().getOperand(k)) ||
                isVariant(branch.elseYield().getOperand(k)))
              mark(result);
        } else if (auto again = dyn_cast<scf::WhileOp>(op)) {
          bool condition = isVariant(again.getConditionOp().getCondition());
          for (auto [k, arg] : llvm::enumerate(again.getBeforeArguments()))
            if (condition || isVariant(again.getInits()[k]) || isVariant(again.getYieldOp().getOperand(k)))
              mark(arg);
          for (auto [k, arg] : llvm::enumerate(again.getAfterArguments()))
            if (condition || isVariant(again.getConditionOp().getArgs()[k]))
              mark(arg), mark(again.getResult(k));
        } else if (any) {
          for (Value v : op->getResults())
            mark(v);
        }
      });
    }
  }

  bool isDivergent(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return variant.contains(loop.getLowerBound()) || variant.contains(loop.getUpperBound()) ||
             variant.contains(loop.getStep());
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return variant.contains(branch.getCondition());
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return variant.contains(loop.getConditionOp().getCondition());
    return false;
  }

  static void join(State &into, const State &from) {
    for (const Pending &p : from)
      add(into, p);
  }

  /// Accesses of one tensor that are told apart: of more, one entry stands for all of them and meets every
  /// other access, so that what is pending stays short however long the kernel is.
  static constexpr int64_t kToldApart = 64;

  static void add(State &state, const Pending &p) {
    auto ofSameTensor = [&](const Pending &q) { return q.view == p.view; };
    auto covers = [&](const Pending &q) {
      return q == p || (p.view && q.view == p.view && !q.op && (q.isWrite || !p.isWrite));
    };
    if (llvm::any_of(state, covers))
      return;
    if (!p.view || llvm::count_if(state, ofSameTensor) < kToldApart)
      return state.push_back(p);
    Pending all{p.isWrite, 0, 0, p.view};
    for (const Pending &q : state)
      all.isWrite |= q.view == p.view && q.isWrite;
    llvm::erase_if(state, ofSameTensor);
    state.push_back(all);
  }

  void walk(mlir::Block &block, State &state, bool uniform) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.getNumRegions() == 0) {
        visit(&op, state, uniform);
        continue;
      }
      if (isa<phog::RolesOp>(op)) { // its signals order what is inside, its end is a barrier
        state.clear();
        continue;
      }
      const bool inner = uniform && !isDivergent(&op);
      State entry = state;
      if (isa<LoopLikeOpInterface>(op)) {
        // Twice: what an iteration leaves pending meets the next one. Once where it leaves nothing new, which
        // also keeps nested loops from doubling the work with each level.
        for (int round = 0; round < 2; ++round) {
          for (Region &region : op.getRegions())
            for (mlir::Block &body : region)
              walk(body, state, inner);
          for (Pending &p : state)
            p.isOld = true;
          if (round == 0)
            join(state, entry);
          if (llvm::all_of(state, [&](const Pending &p) { return llvm::is_contained(entry, p); }))
            break;
        }
        join(state, entry);
      } else {
        State after;
        for (Region &region : op.getRegions()) {
          State way = entry;
          for (mlir::Block &body : region)
            walk(body, way, inner);
          join(after, way);
        }
        state = op.getNumRegions() && !op.getRegion(0).empty() ? after : entry;
        if (op.getNumRegions() < 2 || op.getRegion(1).empty())
          join(state, entry);
      }
    }
  }

  /// A thread's own accesses are in order.
  static bool isInOrder(const Pending &p, Operation *op) {
    if (!p.op)
      return false;
    return isa<pho::AtomicOp>(p.op) ? isa<pho::AtomicOp>(op) // thread 0 does both
                                    : !p.isOld && isSameAccess(p.op, op);
  }

  void need(Operation *op, State &state, ArrayRef<Pending> accesses) {
    for (const Pending &p : state)
      for (const Pending &a : accesses) {
        if (!p.isWrite && !a.isWrite)
          continue;
        bool clash =
            a.view ? p.view == a.view && !isInOrder(p, op) : !p.view && p.low < a.high && a.low < p.high;
        if (!clash)
          continue;
        OpBuilder b(op);
        phog::BarrierOp::create(b, op->getLoc());
        state.clear();
        return;
      }
  }

  void visit(Operation *op, State &state, bool uniform) {
    if (isa<phog::BarrierOp, pho::BarrierOp, phog::CombinePartsOp>(op))
      return state.clear();
    if (auto scratch = op->getAttrOfType<IntegerAttr>("phog.scratch")) {
      int64_t low = scratch.getInt(), high = low + scratchBytes(op, threads);
      SmallVector<Pending> accesses{{true, low, high, {}}};
      if (auto atomic = dyn_cast<pho::AtomicOp>(op))
        accesses.push_back({true, 0, 0, atomic.getView(), op});
      need(op, state, accesses);
      state.clear(); // its own barrier
      state.push_back({false, low, high, {}});
      return;
    }
    SmallVector<Pending> accesses;
    auto buffer = [&](Value v, bool isWrite) {
      auto alloc = v.getDefiningOp<phog::AllocOp>();
      if (!alloc)
        return;
      auto type = cast<phog::BufferType>(v.getType());
      int64_t low = static_cast<int64_t>(alloc.getOffset().value_or(0));
      accesses.push_back({isWrite,
                          low,
                          low + type.getStages() * sharedLayoutOf(type).sizeBytes(),
                          {},
                          isa<phog::CopyAsyncOp>(op) ? op : nullptr});
    };
    if (auto store = dyn_cast<phog::StoreSharedOp>(op)) {
      buffer(store.getBuffer(), true);
      auto load = store.getValue().getDefiningOp<pho::LoadOp>();
      if (load && isShared(load.getView()) && uniform && goesToShared(load))
        accesses.push_back({false, 0, 0, load.getView(), load});
    } else if (auto copy = dyn_cast<phog::CopyAsyncOp>(op)) {
      if (!op->hasAttr("phog.ring")) // inside a ring's loop, its own barrier orders them
        buffer(copy.getBuffer(), true);
    } else if (auto dot = dyn_cast<phog::DotOp>(op)) {
      buffer(dot.getA(), false);
      buffer(dot.getB(), false);
    } else if (auto load = dyn_cast<pho::LoadOp>(op)) {
      if (isShared(load.getView()) && uniform)
        accesses.push_back({false, 0, 0, load.getView(), op});
    } else if (auto pstore = dyn_cast<pho::StoreOp>(op)) {
      bool collective = isa<RankedTensorType>(pstore.getValue().getType()) || pstore.getOnce();
      // A store may overlap another, or itself in another iteration.
      if ((isSeveral(pstore.getView()) || !keepsThreads(op)) && collective && uniform)
        accesses.push_back({true, 0, 0, pstore.getView(), op});
    } else if (auto atomic = dyn_cast<pho::AtomicOp>(op)) {
      if (isSeveral(atomic.getView()) && atomic.getOnce() && uniform)
        accesses.push_back({true, 0, 0, atomic.getView(), op});
    }
    // Prologue copies fill several stages of one buffer; they do not meet each other.
    if (auto copy = dyn_cast<phog::CopyAsyncOp>(op); copy && copy.getStage()) {
      State others;
      for (const Pending &p : state)
        if (auto other = dyn_cast_if_present<phog::CopyAsyncOp>(p.op);
            !other || other.getBuffer() != copy.getBuffer())
          others.push_back(p);
      size_t count = others.size();
      need(op, others, accesses);
      if (others.size() != count)
        state.clear();
    } else {
      need(op, state, accesses);
    }
    for (const Pending &a : accesses)
      add(state, a);
  }

  static bool isShared(Value view) {
    return llvm::any_of(view.getUsers(), [](Operation *u) {
      auto atomic = dyn_cast<pho::AtomicOp>(u);
      return isa<pho::StoreOp>(u) || (atomic && atomic.getOnce());
    });
  }
  static bool isSeveral(Value view) { return !view.use_empty() && !view.hasOneUse(); }

  Operation *func;
  int64_t threads;
  llvm::DenseSet<Value> variant;
};

} // namespace

void insertBarriers(Operation *func) { Barriers(func).run(); }

} // namespace phobos::nvptx
