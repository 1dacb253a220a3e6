#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/LoopSlice.h"
#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace phobos::nvptx {

namespace {

struct Prefetch {
  SmallVector<pho::LoadOp> loads;
  llvm::SetVector<Operation *> slice; ///< what their places are computed by
  Operation *product = nullptr;       ///< the first that multiplies what they bring
};

/// Whether `load` ends in shared memory and nowhere else, perhaps converted on the way.
bool isStaged(pho::LoadOp load) {
  Value v = load.getResult();
  while (v.hasOneUse()) {
    Operation *user = *v.user_begin();
    if (user->getBlock() != load->getBlock())
      return false;
    if (isa<phog::StoreSharedOp>(user))
      return true;
    if (!isa<pho::ConvertOp, phog::ConvertOp>(user))
      return false;
    v = user->getResult(0);
  }
  return false;
}

Prefetch prefetchOf(scf::ForOp loop) {
  Prefetch p;
  for (Operation &op : *loop.getBody()) {
    if (auto dot = dyn_cast<phog::DotOp>(op); dot && !p.product)
      p.product = dot;
    auto load = dyn_cast<pho::LoadOp>(op);
    if (!load || p.product || !isa<RankedTensorType>(load.getType()) || isWritten(load.getView()) ||
        !isStaged(load) || !loop.isDefinedOutsideOfLoop(load.getView()) ||
        (load.getFill() && !loop.isDefinedOutsideOfLoop(load.getFill())))
      continue;
    llvm::SetVector<Operation *> slice = p.slice;
    auto isAhead = [&](Value v) { return collectSlice(v, loop, slice); };
    if (llvm::all_of(load.getStarts(), isAhead) && llvm::all_of(load.getExtents(), isAhead)) {
      p.slice = slice;
      p.loads.push_back(load);
    }
  }
  return p;
}

/// The loads for the iteration whose counter is `iv`. It may lie past the loop's end: then also past the
/// tensor's, so nothing is known to be inside.
SmallVector<Value> loadsFor(OpBuilder &b, const Prefetch &p, Value iv, Value oldIv) {
  IRMapping map;
  map.map(oldIv, iv);
  for (Operation *op : p.slice)
    b.clone(*op, map);
  SmallVector<Value> tiles;
  for (pho::LoadOp load : p.loads) {
    auto ahead = cast<pho::LoadOp>(b.clone(*load, map));
    ahead.setInBounds(SmallVector<bool>(load.getInBounds().size(), false));
    tiles.push_back(ahead.getResult());
  }
  return tiles;
}

void prefetch(scf::ForOp loop, const Prefetch &p) {
  Location loc = loop.getLoc();
  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  SmallVector<Value> first = loadsFor(b, p, loop.getLowerBound(), loop.getInductionVar());
  b.setInsertionPoint(p.product);
  Value next = arith::AddIOp::create(b, loc, loop.getInductionVar(), loop.getStep());
  SmallVector<Value> following = loadsFor(b, p, next, loop.getInductionVar());
  b.setInsertionPoint(loop);
  auto withTiles = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, first, false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) -> SmallVector<Value> { return following; }));
  ValueRange tiles = withTiles.getRegionIterArgs().take_back(first.size());
  for (auto [load, tile] : llvm::zip(p.loads, tiles)) {
    pho::LoadOp old = load;
    old.getResult().replaceAllUsesWith(tile);
    old.erase();
  }
}

/// Where elements are read one by one: the loop's tiles, and each element in a register until those of its
/// word are there, beside addresses and conditions. (The product's operands come after them.)
int64_t registersOneByOne(scf::ForOp loop, const Prefetch &p) {
  int64_t elements = 0, tiles = 0;
  for (pho::LoadOp load : p.loads) {
    const int64_t all = layoutOf(load.getType()).registers(), bytes = elementBytes(elementOf(load.getType()));
    elements += bytes == 1 ? all : bytes == 2 ? all * 3 / 4 : registersOf(load.getResult());
  }
  for (Value carried : loop.getResults())
    tiles += registersOf(carried);
  return tiles + elements + elements / 8;
}

} // namespace

void prefetchLoads(Operation *func, int64_t registers, const Target &target) {
  SmallVector<scf::ForOp> loops;
  func->walk([&](scf::ForOp loop) {
    if (loop->hasAttr("pho.contraction"))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    Prefetch p = prefetchOf(loop);
    if (p.loads.empty() || !p.product)
      continue;
    int64_t more = 0, elements = 0;
    for (pho::LoadOp load : p.loads) {
      more += registersOf(load.getResult());
      elements += elementBytes(elementOf(load.getType())) == 2 ? layoutOf(load.getType()).registers() : 0;
    }
    const int64_t tiles = tileRegisters(func);
    constexpr int64_t kMore = 16; // conditions
    auto fitsOneByOne = [&] {
      const bool isOdd = llvm::any_of(shapeOf(p.product->getResult(0).getType()), [](int64_t size) {
        return !llvm::isPowerOf2_64(static_cast<uint64_t>(size));
      });
      return registersOneByOne(loop, p) <= registers &&
             (!isOdd || tiles + elements + elements / 8 + kMore <= registers);
    };
    if (tiles + more <= registers && (target.aligned || fitsOneByOne()))
      prefetch(loop, p);
  }
}

} // namespace phobos::nvptx
