#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/DotPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <map>
#include <set>

using namespace mlir;

namespace phobos::nvptx {

// Two elements of 16 bits take one register; truth values are predicates or bits.
int64_t registersOf(Value v) {
  auto tile = dyn_cast<RankedTensorType>(v.getType());
  if (!tile || !tile.getEncoding())
    return 0;
  const Layout layout = layoutOf(tile);
  const int64_t bits = tile.getElementType().isInteger(1) ? 1 : 8 * elementBytes(tile.getElementType());
  // Copies of an element in registers of one thread (stride 0) are one register.
  int64_t elements = 1;
  for (const Mode &m : layout.reg)
    elements *= m.stride ? m.size : 1;
  return (elements * (bits < 16 && bits > 1 ? 16 : bits) + 31) / 32;
}

namespace {

/// Made anew at each use, one element at a time.
bool isFree(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ConstantOp, pho::IotaOp>(op))
    return true;
  if (auto b = dyn_cast<pho::BroadcastOp>(op))
    return true; // the source's registers, which are counted there
  return isa<pho::TransposeOp>(op);
}

/// The value whose registers `v` is: through what moves nothing.
Value rootOf(Value v) {
  for (;;) {
    Operation *op = v.getDefiningOp();
    if (auto b = op ? dyn_cast<pho::BroadcastOp>(op) : pho::BroadcastOp())
      v = b.getValue();
    else if (auto t = op ? dyn_cast<pho::TransposeOp>(op) : pho::TransposeOp())
      v = t.getValue();
    else
      return v;
  }
}

/// One element after the other; the result's registers are the operands'.
bool isElementwise(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         (isa<pho::ConvertOp, pho::MathOp, pho::RandOp>(op) || op->getDialect()->getNamespace() == "arith");
}

/// Computed and used up element by element, so that few of its elements live at once; what it is computed
/// from lives to its end.
bool isStreamedTile(Value v) {
  Operation *op = v.getDefiningOp();
  return op && isa<RankedTensorType>(v.getType()) && isElementwise(op) &&
         llvm::all_of(v.getUsers(), [&](Operation *user) {
           return user->getBlock() == op->getBlock() &&
                  (isElementwise(user) || isa<pho::StoreOp, phog::StoreSharedOp, pho::ReduceOp>(user));
         });
}

/// 16-byte pieces of a copy that one thread moves: each has addresses of its own.
int64_t pieces(phog::CopyAsyncOp copy, int64_t threads) {
  auto type = cast<phog::BufferType>(copy.getBuffer().getType());
  const int64_t perRow = (type.getCols() * elementBytes(type.getElementType()) + 15) / 16;
  return (type.getRows() * perRow + threads - 1) / threads;
}

/// Operands of a product that are in registers at once.
int64_t fragments(phog::DotOp dot) {
  if (dot.getPath() == "wgmma") // both in shared memory
    return 0;
  const Layout acc = layoutOf(dot.getAcc().getType());
  std::set<int64_t> rows, cols;
  for (int64_t r = 0; r < acc.registers(); ++r)
    rows.insert(acc.registerOffset(r)[0]), cols.insert(acc.registerOffset(r)[1]);
  const auto m = static_cast<int64_t>(rows.size()), n = static_cast<int64_t>(cols.size());
  auto type = cast<phog::BufferType>(dot.getB().getType());
  const int64_t bytes = elementBytes(type.getElementType());
  // Wide reads along k bring 16 bytes of it, four registers, for each row or column; of narrow types one k's
  // elements are widened beside them. What does not lie along k is read one k at a time, the next k's beside
  // it.
  if (dot.getPath() != "mma") {
    auto side = [&](int64_t count, bool alongK) {
      return alongK ? count * (bytes < 4 ? 5 : 4) : count * 2 * std::max<int64_t>(1, bytes / 4);
    };
    return side(m, !dot.getTransA()) + side(n, dot.getTransB());
  }
  // Rows g and g + 8 in two registers each; columns in pairs, two registers a block. What ldmatrix cannot
  // transpose comes byte by byte, four registers for one. While one step of k is multiplied, the next is
  // read.
  const bool bytewiseA = bytes == 1 && dot.getTransA(), bytewiseB = bytes == 1 && !dot.getTransB();
  const int64_t a = isa<RankedTensorType>(dot.getA().getType()) ? 0 : 2 * m * (bytewiseA ? 4 : 1);
  // Of sums apart from the whole half is counted: the fragments of two steps leave room.
  return 2 * (a + n * (bytewiseB ? 4 : 1)) + (dot->hasAttr(kOwnSums) ? registersOf(dot.getResult()) / 2 : 0);
}

bool isInContraction(Operation *op) {
  for (Operation *p = op->getParentOp(); p; p = p->getParentOp())
    if (p->hasAttr("pho.contraction"))
      return true;
  return false;
}

/// What a load to registers takes for itself, outside of contractions (there it runs ahead, and is counted
/// so): bounds and rows' addresses; of narrow elements some that are not yet two in a register, half of them
/// where those of a row are read at once, else all.
int64_t besideLoad(pho::LoadOp load, bool isAligned, bool isWish) {
  if (!isa<RankedTensorType>(load.getType()))
    return 0;
  const int64_t bytes = elementBytes(elementOf(load.getType()));
  if (isInContraction(load)) // narrow elements read one by one wait for those of their word
    return isWish && bytes < 4 && !isAligned && goesToShared(load) ? registersOf(load.getResult()) * 3 / 4
                                                                   : 0;
  if (goesToShared(load))
    return 0;
  constexpr int64_t kPlaces = 13;
  const int64_t own = bytes < 4 ? registersOf(load.getResult()) : 0;
  return isAligned ? std::max(kPlaces, own / 2) : kPlaces + own;
}

class Pressure {
public:
  Pressure(Operation *func, bool apart, const Target *beside, bool wish = false)
      : isApart(apart), isWish(wish), loadsOf(beside),
        threads(func->getAttrOfType<IntegerAttr>("phog.threads").getInt()) {
    visit(func);
    for (Operation *op : llvm::reverse(order)) { // users come before what they use
      Operation *at = op;
      if (op->getNumResults() == 1 && isStreamed(op->getResult(0))) {
        at = lastUser(op);
        lastUsers[op] = at;
      }
      for (Value operand : op->getOperands())
        if (Value root = rootOf(operand); !isStreamed(root))
          use(root, at);
    }
    func->walk([&](Operation *op) {
      if (auto copy = dyn_cast<phog::CopyAsyncOp>(op);
          copy && copy->getParentOfType<LoopLikeOpInterface>() && !copy->getParentOfType<phog::RolesOp>())
        copied += pieces(copy, threads);
    });
  }

  /// The most that live at once; what an operation holds for itself beside.
  int64_t most() const {
    std::vector<int64_t> live(static_cast<size_t>(number) + 1, 0);
    for (const auto &[value, span] : spans) {
      const int64_t n = registersNow(value);
      live[static_cast<size_t>(span.first)] += n;
      if (span.second + 1 < number)
        live[static_cast<size_t>(span.second) + 1] -= n;
    }
    int64_t now = 0, best = 0;
    for (int64_t k = 0; k < number; ++k) {
      now += live[static_cast<size_t>(k)];
      auto extra = own.find(k);
      best = std::max(best, now + (extra == own.end() ? 0 : extra->second));
    }
    return best + copied;
  }

private:
  int64_t registersNow(Value v) const {
    const bool isNarrow = isApart && v.getDefiningOp<pho::LoadOp>() && isa<RankedTensorType>(v.getType()) &&
                          elementBytes(elementOf(v.getType())) < 4;
    return isNarrow ? layoutOf(v.getType()).registers() : registersOf(v);
  }
  /// Operations are numbered in order, twice: operands are read at the first number, results written at the
  /// second, so that an operation works in place where its operand ends. A region lies between.
  void visit(Operation *op) {
    const int64_t first = number++;
    order.push_back(op);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (Value v : block.getArguments())
          define(v);
        ++number;
        for (Operation &inner : block)
          visit(&inner);
      }
    places[op] = {first, number++};
    if (auto dot = dyn_cast<phog::DotOp>(op))
      // On the plain path all sums live beside a whole step's rows and columns, also those that begin at a
      // constant and so are no operand's registers. (Of fragments on tensor cores two steps are counted,
      // which leaves room for sums that only begin.)
      own[first] =
          fragments(dot) +
          (dot.getPath() != "mma" && isFree(rootOf(dot.getAcc())) ? registersOf(dot.getResult()) : 0);
    if (auto load = dyn_cast<pho::LoadOp>(op); load && loadsOf)
      own[places[op].second] = besideLoad(load, loadsOf->aligned, isWish);
    for (Value v : op->getResults())
      define(v);
  }
  bool isStreamed(Value v) {
    auto [known, isNew] = streamed.try_emplace(v, false);
    if (isNew)
      known->second = isStreamedTile(v);
    return known->second;
  }
  void define(Value v) {
    if (isa<RankedTensorType>(v.getType()) && !isFree(v) && !isStreamed(v) && registersOf(v))
      spans[v] = {number - 1, number - 1};
  }
  /// The last operation, all in one block, that takes an element of a streamed value, at once or through
  /// others that are streamed: its operands live until then.
  Operation *lastUser(Operation *op) {
    Operation *last = op;
    for (Operation *user : op->getUsers()) {
      auto further = lastUsers.find(user);
      Operation *end = further == lastUsers.end() ? user : further->second;
      if (places[end].first > places[last].first)
        last = end;
    }
    return last;
  }
  void use(Value v, Operation *op) {
    auto it = spans.find(v);
    if (it == spans.end())
      return;
    int64_t last = places[op].first;
    // What comes from outside of a loop must last it; but a loop's own first values go over into it.
    Block *home = v.getParentBlock();
    for (Operation *p = op; p && p->getBlock() != home; p = p->getParentOp())
      if (isa<LoopLikeOpInterface>(p->getParentOp()) && p->getBlock() != home)
        last = std::max(last, places[p->getParentOp()].second);
    it->second.second = std::max(it->second.second, last);
  }

  bool isApart, isWish;
  const Target *loadsOf; ///< whose loads are counted beside tiles
  int64_t number = 0, threads, copied = 0;
  std::vector<Operation *> order; ///< as numbered
  DenseMap<Value, bool> streamed;
  DenseMap<Operation *, Operation *> lastUsers; ///< of streamed results
  DenseMap<Operation *, std::pair<int64_t, int64_t>> places;
  DenseMap<Value, std::pair<int64_t, int64_t>> spans;
  std::map<int64_t, int64_t> own;
};

} // namespace

int64_t tileRegisters(Operation *func, bool isApart) { return Pressure(func, isApart, nullptr).most(); }
int64_t registersWithLoads(Operation *func, const Target &target, bool isWish) {
  const bool hasProduct = func->walk([](phog::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
  // Bytes that pass through registers in rows whose chunks threads do not take in whole numbers: at a tile's
  // edge each comes by itself, the chunks with addresses and conditions of their own.
  int64_t bytes = 0;
  if (target.sm < 80 || (isWish && !target.aligned))
    func->walk([&](pho::LoadOp load) {
      auto tile = dyn_cast<RankedTensorType>(load.getType());
      if (hasProduct && tile && isInContraction(load) && elementBytes(elementOf(tile)) == 1 &&
          !llvm::isPowerOf2_64(static_cast<uint64_t>(tile.getShape().back())))
        bytes = std::max(bytes, layoutOf(tile).registers() * 3 / 4);
    });
  return Pressure(func, false, hasProduct ? &target : nullptr, isWish).most() + bytes;
}

} // namespace phobos::nvptx
