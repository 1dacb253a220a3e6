#include "compiler/target/nvptx/SplitContraction.h"
#include "compiler/passes/Contraction.h"
#include "compiler/passes/Ranges.h"
#include "compiler/target/nvptx/Phog.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace phobos::nvptx {

namespace {

SmallVector<scf::ForOp> contractionsOf(Operation *func) {
  SmallVector<scf::ForOp> loops;
  func->walk([&](scf::ForOp loop) {
    if (loop->hasAttr("pho.contraction"))
      loops.push_back(loop);
  });
  return loops;
}

/// Carried values that are not the sum of a recognised product.
int64_t othersCarried(scf::ForOp loop) {
  int64_t sums = 0;
  for (pho::DotOp dot : loop.getBody()->getOps<pho::DotOp>())
    sums += passes::matchContraction(dot).found.has_value();
  return static_cast<int64_t>(loop.getNumRegionIterArgs()) - sums;
}

/// What each part would do again: writes and barriers ahead of the loop and in it.
int64_t writesBefore(scf::ForOp loop) {
  int64_t count = 0;
  for (Operation &op : *loop->getBlock()) {
    op.walk([&](Operation *inner) { count += isa<pho::StoreOp, pho::AtomicOp, pho::BarrierOp>(inner); });
    if (&op == loop)
      break;
  }
  return count;
}

/// The bounds of this part of the loop's steps, in numbers without a sign where the distance needs it.
struct Bounds {
  Value lower, upper;
};

Bounds partOf(OpBuilder &b, scf::ForOp loop, Value part, int64_t parts) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound(), step = loop.getStep();
  auto constant = [&](int64_t n) -> Value { return arith::ConstantIndexOp::create(b, loc, n); };
  auto compare = [&](arith::CmpIPredicate p, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, p, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, condition, x, y);
  };
  auto add = [&](Value x, Value y) -> Value { return arith::AddIOp::create(b, loc, x, y); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulIOp::create(b, loc, x, y); };
  Value zero = constant(0), one = constant(1), s = constant(parts);
  // steps = ceil((upper - lower) / step)
  Value distance = choose(compare(arith::CmpIPredicate::slt, lower, upper),
                          arith::SubIOp::create(b, loc, upper, lower), zero);
  Value rest = arith::RemUIOp::create(b, loc, distance, step);
  Value steps = add(arith::DivUIOp::create(b, loc, distance, step),
                    choose(compare(arith::CmpIPredicate::eq, rest, zero), zero, one));
  // This part: `each` of them, one more in the first `longer` parts.
  Value each = arith::DivUIOp::create(b, loc, steps, s), longer = arith::RemUIOp::create(b, loc, steps, s);
  Value isLonger = compare(arith::CmpIPredicate::ult, part, longer);
  Value first = add(times(part, each), choose(isLonger, part, longer));
  Value count = add(each, choose(isLonger, one, zero)), end = add(first, count);
  // The last step may be cut short by the end of the loop.
  Bounds out{add(lower, times(first, step)), {}};
  Value inner = choose(compare(arith::CmpIPredicate::eq, end, steps), upper, add(lower, times(end, step)));
  out.upper = choose(compare(arith::CmpIPredicate::eq, count, zero), out.lower, inner);
  return out;
}

void split(Operation *func, scf::ForOp loop, int64_t parts) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Value part = phog::PartOp::create(b, loc, b.getIndexType());
  const bool isModest = passes::rangeOf(loop.getInductionVar()).isModest() &&
                        passes::rangeOf(loop.getUpperBound()).isModest() &&
                        passes::rangeOf(loop.getStep()).isModest();
  Bounds bounds = partOf(b, loop, part, parts);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part,
                                        arith::ConstantIndexOp::create(b, loc, 0));
  for (OpOperand &init : loop.getInitArgsMutable()) {
    Value written = init.get();
    if (matchPattern(written, m_AnyZeroFloat()) || matchPattern(written, m_Zero()))
      continue;
    auto type = cast<RankedTensorType>(written.getType());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
    init.set(arith::SelectOp::create(b, loc, isFirst, written, zero));
  }
  loop.setLowerBound(bounds.lower);
  loop.setUpperBound(bounds.upper);
  if (isModest)
    passes::markModestPart(loop);
  b.setInsertionPointAfter(loop);
  auto sums = phog::CombinePartsOp::create(b, loc, loop.getResultTypes(), loop.getResults(),
                                           static_cast<uint64_t>(parts));
  for (auto [result, sum] : llvm::zip(loop.getResults(), sums.getResults()))
    result.replaceAllUsesExcept(sum, sums);
  func->setAttr("phog.parts", b.getI64IntegerAttr(parts));
}

} // namespace

int64_t partsOf(Operation *func) {
  auto point = func->getAttrOfType<DictionaryAttr>("pho.point");
  auto value = point ? point.getAs<IntegerAttr>("SPLIT_K") : IntegerAttr();
  return value && !contractionsOf(func).empty() ? value.getInt() : 1;
}

legality::Verdict splitContraction(Operation *func) {
  const int64_t parts = partsOf(func);
  if (parts == 1)
    return {};
  const SmallVector<scf::ForOp> loops = contractionsOf(func);
  scf::ForOp loop = loops.front();
  Point facts, completed;
  facts.set("SPLIT_K", parts);
  facts.set("CONTRACTIONS", static_cast<int64_t>(loops.size()));
  facts.set("NESTED", loop->getParentOp() != func);
  facts.set("OTHERS_CARRIED", othersCarried(loop));
  facts.set("WRITES_BEFORE", writesBefore(loop));
  facts.set("PERSISTENT", func->hasAttr("pho.persistent"));
  // What is judged later holds here.
  for (auto [name, v] : {std::pair{"THREADS", 32}, std::pair{"SHARED_BYTES", 0}, std::pair{"SHARED_LIMIT", 0},
                         std::pair{"TILE_REGISTERS", 0}, std::pair{"UNROLLED", 0}})
    facts.set(name, v);
  auto verdict = legality::Judge(legality::Path::Gpu).complete(facts, {}, completed);
  if (verdict.isLegal())
    split(func, loop, parts);
  return verdict;
}

} // namespace phobos::nvptx
