#include "compiler/passes/Ranges.h"
#include "compiler/target/nvptx/LoopSlice.h"
#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace phobos::nvptx {

namespace {

int64_t sharedBytes(Operation *func) {
  int64_t total = 0;
  func->walk([&](phog::AllocOp alloc) {
    auto type = cast<phog::BufferType>(alloc.getType());
    total += type.getStages() * sharedLayoutOf(type).sizeBytes();
  });
  return total;
}

struct Ring {
  scf::ForOp loop;
  SmallVector<phog::CopyAsyncOp> copies;
  llvm::SetVector<Operation *> slice; ///< what the copies' places are computed by
  bool mayWrap = false;               ///< the counter, a few steps past the loop's end
};

/// Whether the counters of the iterations ahead of the last may pass the largest index, and so look as if
/// they were before the loop's end.
bool mayWrapAhead(scf::ForOp loop, int64_t stages) {
  const passes::Range step = passes::rangeOf(loop.getStep());
  return !(passes::isModestPart(loop) || passes::rangeOf(loop.getUpperBound()).isModest()) ||
         step.hi > (int64_t(1) << 60) / stages;
}

Ring ringOf(scf::ForOp loop) {
  Ring ring{loop, {}, {}};
  for (Operation &op : *loop.getBody()) {
    auto copy = dyn_cast<phog::CopyAsyncOp>(op);
    if (!copy || copy.getStage())
      continue;
    llvm::SetVector<Operation *> slice = ring.slice;
    bool ok = llvm::all_of(copy.getStarts(), [&](Value v) { return collectSlice(v, loop, slice); }) &&
              llvm::all_of(copy.getExtents(), [&](Value v) { return collectSlice(v, loop, slice); }) &&
              loop.isDefinedOutsideOfLoop(copy.getView());
    for (Operation *user : copy.getBuffer().getUsers())
      ok &= user == copy || (isa<phog::DotOp>(user) && user->getBlock() == loop.getBody());
    if (!ok)
      continue;
    ring.slice = slice;
    ring.copies.push_back(copy);
  }
  return ring;
}

/// The copies for the iteration whose counter is `iv`, into `stage`; nothing if that is past the loop's end.
/// A counter that has wrapped is somewhere: of its copies, which no iteration reads, nothing is known to be
/// inside.
void copiesFor(OpBuilder &b, Location loc, const Ring &ring, Value iv, Value upper, Value oldIv,
               Value stage) {
  IRMapping map;
  map.map(oldIv, iv);
  for (Operation *op : ring.slice)
    b.clone(*op, map);
  Value pred = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, iv, upper);
  for (phog::CopyAsyncOp copy : ring.copies) {
    auto ahead = cast<phog::CopyAsyncOp>(b.clone(*copy, map));
    ahead.getStageMutable().assign(stage);
    ahead.getPredMutable().assign(pred);
    if (ring.mayWrap) {
      ahead.setInBounds(SmallVector<bool>(copy.getInBounds().size(), false));
      ahead.setFar(true);
    }
  }
  phog::CommitOp::create(b, loc);
}

void pipeline(Ring &ring, int64_t stages) {
  scf::ForOp loop = ring.loop;
  ring.mayWrap = mayWrapAhead(loop, stages);
  Location loc = loop.getLoc();
  IRRewriter b(loop.getContext());
  b.setInsertionPoint(loop);
  auto constant = [&](int64_t n) -> Value { return arith::ConstantIndexOp::create(b, loc, n); };
  for (phog::CopyAsyncOp copy : ring.copies) {
    auto alloc = copy.getBuffer().getDefiningOp<phog::AllocOp>();
    auto type = cast<phog::BufferType>(alloc.getType());
    alloc.getResult().setType(bufferType(type.getElementType(), sharedLayoutOf(type), stages));
    alloc->setAttr("phog.ring", UnitAttr::get(loop.getContext()));
  }
  // Before the loop: the first stages - 1 iterations' copies.
  Value iv = loop.getLowerBound();
  for (int64_t s = 0; s + 1 < stages; ++s) {
    if (s > 0)
      iv = arith::AddIOp::create(b, loc, iv, loop.getStep());
    copiesFor(b, loc, ring, iv, loop.getUpperBound(), loop.getInductionVar(), constant(s));
  }
  Value zero = constant(0);
  auto withStage = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, ValueRange{zero}, false,
      [&](OpBuilder &inner, Location at, ArrayRef<BlockArgument> args) -> SmallVector<Value> {
        Value next = arith::AddIOp::create(inner, at, args[0], arith::ConstantIndexOp::create(inner, at, 1));
        Value isEnd = arith::CmpIOp::create(inner, at, arith::CmpIPredicate::eq, next,
                                            arith::ConstantIndexOp::create(inner, at, stages));
        return {
            arith::SelectOp::create(inner, at, isEnd, arith::ConstantIndexOp::create(inner, at, 0), next)};
      }));
  ring.loop = loop = withStage;
  Value stage = loop.getRegionIterArgs().back();
  for (phog::CopyAsyncOp copy : ring.copies)
    for (Operation *user : copy.getBuffer().getUsers())
      if (auto dot = dyn_cast<phog::DotOp>(user)) {
        if (dot.getA() == copy.getBuffer())
          dot.getStageAMutable().assign(stage);
        if (dot.getB() == copy.getBuffer())
          dot.getStageBMutable().assign(stage);
      }
  // Each iteration: this stage has arrived (for all threads, after the barrier, which also says that all are
  // done with the stage before it); that one is filled for the iteration stages - 1 ahead.
  b.setInsertionPointToStart(loop.getBody());
  phog::WaitOp::create(b, loc, static_cast<uint64_t>(stages - 2));
  phog::BarrierOp::create(b, loc);
  Value ahead = arith::AddIOp::create(b, loc, loop.getInductionVar(),
                                      arith::MulIOp::create(b, loc, loop.getStep(), constant(stages - 1)));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, stage, constant(0));
  Value into = arith::SelectOp::create(b, loc, isFirst, constant(stages - 1),
                                       arith::SubIOp::create(b, loc, stage, constant(1)));
  Operation *before = &*b.getInsertionPoint();
  copiesFor(b, loc, ring, ahead, loop.getUpperBound(), loop.getInductionVar(), into);
  for (Operation *op = before->getPrevNode(); op; op = op->getPrevNode())
    if (isa<phog::CopyAsyncOp>(op))
      op->setAttr("phog.ring", UnitAttr::get(loop.getContext()));
  for (phog::CopyAsyncOp copy : ring.copies) {
    copy->getNextNode()->erase(); // its commit
    copy->getNextNode()->erase(); // its wait
    copy->erase();
  }
  b.setInsertionPointAfter(loop);
  phog::WaitOp::create(b, loc, 0);
}

} // namespace

void pipelineCopies(Operation *func, const Target &target) {
  SmallVector<scf::ForOp> loops;
  func->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  auto wanted = func->getAttrOfType<IntegerAttr>("pho.stages");
  for (scf::ForOp loop : loops) {
    Ring ring = ringOf(loop);
    if (ring.copies.empty())
      continue;
    int64_t others = sharedBytes(func), each = 0;
    for (phog::CopyAsyncOp copy : ring.copies)
      each += sharedLayoutOf(cast<phog::BufferType>(copy.getBuffer().getType())).sizeBytes();
    others -= each;
    int64_t stages = wanted ? wanted.getInt() : 4;
    // Two blocks a multiprocessor hide each other's barriers: prefer fewer stages to fewer blocks.
    while (!wanted && stages > 2 &&
           others + stages * each > (stages > 3 ? target.sharedLimit / 2 : target.sharedLimit))
      --stages;
    if (stages < 2 || (!wanted && others + stages * each > target.sharedLimit))
      continue;
    pipeline(ring, stages);
  }
}

} // namespace phobos::nvptx
