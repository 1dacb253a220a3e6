#include "compiler/passes/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace phobos::passes {
namespace {

/// How far `v` moves in one iteration, as a multiple of the counter's move; nullopt if it does not move
/// evenly.
std::optional<int64_t> coefficientOf(Value v, scf::ForOp loop, unsigned depth = 0) {
  if (v == loop.getInductionVar())
    return 1;
  if (loop.isDefinedOutsideOfLoop(v))
    return 0;
  Operation *op = v.getDefiningOp();
  if (!op || depth > 16)
    return std::nullopt;
  auto of = [&](unsigned i) { return coefficientOf(op->getOperand(i), loop, depth + 1); };
  if (isa<pho::ConvertOp>(op) && isa<IndexType, IntegerType>(op->getOperand(0).getType()))
    return v.getType().isIndex() || v.getType().isInteger(64) ? of(0)
                                                              : std::nullopt; // narrower ones may wrap
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    auto x = of(0), y = of(1);
    if (!x || !y)
      return std::nullopt;
    return isa<arith::AddIOp>(op) ? *x + *y : *x - *y;
  }
  APInt factor;
  if (isa<arith::MulIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&factor)))
    if (auto x = of(0);
        x && std::abs(factor.getSExtValue()) < (int64_t(1) << 31) && std::abs(*x) < (int64_t(1) << 31))
      return *x * factor.getSExtValue();
  return std::nullopt;
}

/// The only operand of an elementwise operation that changes in the loop; null if there are several or none.
Value changingOperand(Operation *op, scf::ForOp loop) {
  Value only;
  for (Value operand : op->getOperands()) {
    bool same = loop.isDefinedOutsideOfLoop(operand) || matchPattern(operand, m_Constant());
    if (auto broadcast = operand.getDefiningOp<pho::BroadcastOp>())
      same = same || loop.isDefinedOutsideOfLoop(broadcast.getValue());
    if (same)
      continue;
    if (only && only != operand)
      return {};
    only = operand;
  }
  return only;
}

/// From the product's operand up to the load it comes from. `isA` and `transposed` say which of its axes is
/// k.
std::string traceOperand(Value v, scf::ForOp loop, bool isA, bool transposed, ContractionOperand &operand,
                         int64_t &advance) {
  std::string name = isA ? "the left operand" : "the right operand";
  while (!(operand.load = v.getDefiningOp<pho::LoadOp>())) {
    Operation *op = v.getDefiningOp();
    if (loop.isDefinedOutsideOfLoop(v))
      return name + " is the same in every step";
    if (!op)
      return name + " is carried from step to step";
    if (isa<pho::TransposeOp>(op)) {
      transposed = !transposed;
    } else if (isa<pho::ConvertOp>(op)) {
      operand.converted = true;
    } else if (op->hasTrait<OpTrait::Elementwise>() && changingOperand(op, loop)) {
      operand.computed = true;
      v = changingOperand(op, loop);
      continue;
    } else {
      return name + " is not a slice of a tensor";
    }
    v = op->getOperand(0);
  }
  if (loop.isDefinedOutsideOfLoop(v))
    return name + " is the same in every step";
  if (operand.load->getParentOp() != loop)
    return name + " is read under a condition or in an inner loop";

  pho::LoadOp load = operand.load;
  SmallVector<unsigned, 2> axes;
  for (auto [axis, isPoint] : llvm::enumerate(load.getPoints()))
    if (!isPoint)
      axes.push_back(static_cast<unsigned>(axis));
  if (axes.size() != 2)
    return name + " is not a slice of two axes";
  bool kIsFirst = isA == transposed; // a is [M, K], b is [K, N] as the product reads them
  operand.kAxis = axes[kIsFirst ? 0 : 1];
  operand.freeAxis = axes[kIsFirst ? 1 : 0];
  if (load.getFill() && !matchPattern(load.getFill(), m_AnyZeroFloat()) &&
      !matchPattern(load.getFill(), m_Zero()))
    operand.computed = true;

  for (auto [axis, start] : llvm::enumerate(load.getStarts())) {
    auto moves = coefficientOf(start, loop);
    if (!moves)
      return name + " is sliced at a place that does not follow the loop's counter evenly";
    if (axis == operand.kAxis)
      advance = *moves;
    else if (*moves != 0)
      return name + (axis == operand.freeAxis ? " moves along its free axis, not along k"
                                              : " moves along another axis than k");
  }
  return advance > 0 ? "" : name + (advance == 0 ? " does not move along k" : " moves backwards along k");
}

/// Why the accumulator is not simply added to, or nothing.
std::string checkAccumulator(pho::DotOp dot, scf::ForOp loop, unsigned &iterArg) {
  Value acc = dot.getAcc();
  auto arg = dyn_cast<BlockArgument>(acc);
  if (!arg || arg.getOwner() != loop.getBody() || arg == loop.getInductionVar()) {
    if (acc.getDefiningOp<pho::DotOp>())
      return "several products are added in one step";
    if (matchPattern(acc, m_AnyZeroFloat()) || matchPattern(acc, m_Zero()))
      return "its result is not simply added to a sum that the loop carries";
    if (acc.getDefiningOp<pho::LoadOp>())
      return "its sum is read from a tensor in each step: add to a 'var', and store it after the loop";
    return "the sum is changed by more than this product in each step";
  }
  iterArg = arg.getArgNumber() - 1;
  if (!arg.hasOneUse())
    return "the sum is read inside the loop";
  if (!dot->hasOneUse())
    return "the new sum is read inside the loop";
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  if (yield.getOperand(iterArg) != dot.getResult())
    return "the sum is changed by more than this product in each step";
  return "";
}

/// Why the rest of the loop stands in the way, or nothing; sets `pure`.
std::string checkBody(Contraction &c) {
  c.pure = c.loop.getNumRegionIterArgs() == 1;
  for (Operation &op : c.loop.getBody()->without_terminator()) {
    if (isa<pho::BarrierOp>(op))
      return "the loop holds a barrier";
    Value written;
    op.walk([&](Operation *inner) {
      if (auto store = dyn_cast<pho::StoreOp>(inner))
        written = store.getView();
      if (auto atomic = dyn_cast<pho::AtomicOp>(inner))
        written = atomic.getView();
      return written && (written == c.a.load.getView() || written == c.b.load.getView())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (written && (written == c.a.load.getView() || written == c.b.load.getView()))
      return "the loop writes a tensor that it multiplies";
    c.pure = c.pure && !written && op.getNumRegions() == 0;
  }
  return "";
}

} // namespace

ContractionMatch matchContraction(pho::DotOp dot) {
  Operation *parent = dot->getParentOp();
  auto loop = dyn_cast<scf::ForOp>(parent);
  Operation *around = parent; // a break makes conditions of what stands behind it
  while (isa<scf::IfOp>(around))
    around = around->getParentOp();
  if (isa<scf::WhileOp>(around))
    return {std::nullopt, "its loop is a while, or may be left early"};
  if (isa<scf::IfOp>(parent))
    return {std::nullopt, "it runs under a condition"};
  if (!loop)
    return {std::nullopt, "it is not in a loop"};

  Contraction c;
  c.loop = loop;
  c.dot = dot;
  if (std::string why = checkAccumulator(dot, loop, c.iterArg); !why.empty())
    return {std::nullopt, why};
  APInt step;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return {std::nullopt, "the loop's step is not a constant"};
  int64_t aMoves = 0, bMoves = 0;
  if (std::string why = traceOperand(dot.getA(), loop, true, dot.getTransA(), c.a, aMoves); !why.empty())
    return {std::nullopt, why};
  if (std::string why = traceOperand(dot.getB(), loop, false, dot.getTransB(), c.b, bMoves); !why.empty())
    return {std::nullopt, why};
  if (aMoves != bMoves)
    return {std::nullopt, "its operands move along k at different speeds"};
  if (step.getSExtValue() > (int64_t(1) << 31))
    return {std::nullopt, "the loop's step is past 2^31"};
  c.advance = aMoves * step.getSExtValue();

  auto acc = cast<RankedTensorType>(dot.getType()), a = cast<RankedTensorType>(dot.getA().getType());
  c.m = acc.getDimSize(0);
  c.n = acc.getDimSize(1);
  c.k = a.getDimSize(dot.getTransA() ? 0 : 1);
  if (std::string why = checkBody(c); !why.empty())
    return {std::nullopt, why};
  return {c, ""};
}

std::optional<Contraction> contractionOf(scf::ForOp loop) {
  for (pho::DotOp dot : loop.getBody()->getOps<pho::DotOp>())
    if (ContractionMatch match = matchContraction(dot); match.found)
      return match.found;
  return std::nullopt;
}

} // namespace phobos::passes
