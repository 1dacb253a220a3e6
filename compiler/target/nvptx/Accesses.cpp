#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/Phog.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <optional>

using namespace mlir;

namespace phobos::nvptx {

namespace {
/// The place of a load or store.
struct Place {
  OperandRange starts;
  ArrayRef<int64_t> sizes;
  ArrayRef<bool> points;
  Type tile; ///< with its layout; of a scalar, no tile
};

std::optional<Place> placeOf(Operation *op) {
  if (auto load = dyn_cast<pho::LoadOp>(op))
    return Place{load.getStarts(), load.getSizes(), load.getPoints(), load.getType()};
  if (auto store = dyn_cast<pho::StoreOp>(op))
    return Place{store.getStarts(), store.getSizes(), store.getPoints(), store.getValue().getType()};
  return std::nullopt;
}

/// Each element is touched by one thread, which the layout says: no other has a copy, and none reads it in
/// the place of padding.
bool hasOwners(const Place &p) {
  if (!isa<RankedTensorType>(p.tile))
    return false;
  const Layout layout = layoutOf(p.tile);
  return !layout.isReplicated() && !layout.isPadded(0) && !layout.isPadded(1);
}

/// Of `v` = coefficient * counter + what does not change in the loop.
std::optional<int64_t> coefficientOf(Value v, scf::ForOp loop, int depth = 0) {
  constexpr int64_t most = int64_t(1) << 20; // far from wrapping
  if (loop.isDefinedOutsideOfLoop(v))
    return 0;
  if (v == loop.getInductionVar())
    return 1;
  Operation *op = v.getDefiningOp();
  if (depth > 16 || !isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) ||
      !v.getType().isIndex())
    return std::nullopt;
  auto a = coefficientOf(op->getOperand(0), loop, depth + 1),
       b = coefficientOf(op->getOperand(1), loop, depth + 1);
  if (!a || !b)
    return std::nullopt;
  if (*a == 0 && *b == 0)
    return 0;
  int64_t sum = isa<arith::AddIOp>(op) ? *a + *b : *a - *b;
  if (isa<arith::MulIOp>(op)) {
    APInt factor;
    const bool isFirst = matchPattern(op->getOperand(0), m_ConstantInt(&factor));
    if ((!isFirst && !matchPattern(op->getOperand(1), m_ConstantInt(&factor))) || factor.abs().ugt(most))
      return std::nullopt;
    sum = (isFirst ? *b : *a) * factor.getSExtValue();
  }
  return std::abs(sum) <= most ? std::optional(sum) : std::nullopt;
}

/// Whether no element is touched in two iterations: along some axis each begins past the one before.
bool isSeparate(const Place &p, scf::ForOp loop) {
  APInt constant;
  int64_t step = 1; // at least
  if (matchPattern(loop.getStep(), m_ConstantInt(&constant)))
    step = std::clamp<int64_t>(constant.getSExtValue(), 1, int64_t(1) << 31);
  for (auto [axis, start] : llvm::enumerate(p.starts))
    if (auto coefficient = coefficientOf(start, loop);
        coefficient && std::abs(*coefficient) * step >= (p.points[axis] ? 1 : p.sizes[axis]))
      return true;
  return false;
}
} // namespace

bool isWritten(Value view) {
  return llvm::any_of(view.getUsers(), [](Operation *u) { return isa<pho::StoreOp, pho::AtomicOp>(u); });
}

bool goesToShared(pho::LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile || !load.getResult().hasOneUse())
    return false;
  auto store = dyn_cast<phog::StoreSharedOp>(*load.getResult().getUsers().begin());
  const Layout layout = layoutOf(tile);
  if (!store || layout.isPadded(0) || layout.isPadded(1))
    return false;
  Operation *next = load->getNextNode();
  while (next && isa<phog::BarrierOp>(next))
    next = next->getNextNode();
  return next == store;
}

bool isSameAccess(Operation *a, Operation *b) {
  auto p = placeOf(a), q = placeOf(b);
  // Which axes are points says which of the tensor's axes are the tile's.
  return p && q && p->starts == q->starts && p->points == q->points && p->tile == q->tile && hasOwners(*p);
}

bool keepsThreads(Operation *access) {
  auto p = placeOf(access);
  if (!p)
    return false;
  // Thread 0 does a scalar's store where it is done once.
  auto store = dyn_cast<pho::StoreOp>(access);
  if (store && store.getOnce() && !isa<RankedTensorType>(p->tile))
    return true;
  for (Operation *o = access->getParentOp(); o; o = o->getParentOp()) {
    if (!isa<LoopLikeOpInterface>(o))
      continue;
    auto isOutside = [&](Value v) { return cast<LoopLikeOpInterface>(o).isDefinedOutsideOfLoop(v); };
    if (llvm::all_of(p->starts, isOutside))
      continue;
    auto loop = dyn_cast<scf::ForOp>(o);
    if (!loop || !isa<RankedTensorType>(p->tile) || !isSeparate(*p, loop))
      return false;
  }
  return true;
}

bool isOneThreads(Value view) {
  if (!isWritten(view))
    return true;
  Operation *first = nullptr;
  for (Operation *user : view.getUsers()) {
    if (!keepsThreads(user) || (first && !isSameAccess(first, user)))
      return false;
    first = user;
  }
  return true;
}

} // namespace phobos::nvptx
