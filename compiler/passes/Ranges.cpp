#include "compiler/passes/Ranges.h"
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;

namespace phobos::passes {
namespace {

constexpr unsigned kMaxDepth = 32;

Range constantRange(int64_t n) { return {n, n, n == INT64_MIN ? 1 : std::abs(n)}; }

/// [lo, hi] in 128 bits; what does not fit 64 says nothing.
Range clamped(__int128 lo, __int128 hi, int64_t divisor) {
  if (lo < INT64_MIN || hi > INT64_MAX)
    return {}; // it may wrap, and then divisors other than powers of two are lost as well
  return {static_cast<int64_t>(lo), static_cast<int64_t>(hi), divisor};
}

Range add(Range x, Range y) {
  return clamped(static_cast<__int128>(x.lo) + y.lo, static_cast<__int128>(x.hi) + y.hi,
                 std::gcd(x.divisor, y.divisor));
}

Range negated(Range x) {
  return clamped(-static_cast<__int128>(x.hi), -static_cast<__int128>(x.lo), x.divisor);
}

Range multiply(Range x, Range y) {
  __int128 corners[] = {static_cast<__int128>(x.lo) * y.lo, static_cast<__int128>(x.lo) * y.hi,
                        static_cast<__int128>(x.hi) * y.lo, static_cast<__int128>(x.hi) * y.hi};
  __int128 divisor = static_cast<__int128>(x.divisor) * y.divisor;
  return clamped(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4),
                 divisor > INT64_MAX ? 1 : static_cast<int64_t>(divisor));
}

Range joined(Range x, Range y) {
  return {std::min(x.lo, y.lo), std::max(x.hi, y.hi), std::gcd(x.divisor, y.divisor)};
}

/// Total division and remainder by a positive constant; the quotient truncates.
Range divided(Range x, int64_t n) { return {x.lo / n, x.hi / n, x.isMultipleOf(n) ? x.divisor / n : 1}; }
Range remainder(Range x, int64_t n) {
  if (x.isMultipleOf(n))
    return constantRange(0);
  return {x.lo < 0 ? std::max(x.lo, 1 - n) : 0, x.hi > 0 ? std::min(x.hi, n - 1) : 0, std::gcd(x.divisor, n)};
}

/// What an integer of this width can hold.
Range ofType(Type t) {
  unsigned width = t.isIndex() ? 64 : t.getIntOrFloatBitWidth();
  if (width >= 64)
    return {};
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1, 1};
}

/// One question: what was found of each value on the way is kept, since values are shared.
class Analysis {
public:
  Range ofCounter(scf::ForOp loop, unsigned depth) {
    Range lo = range(loop.getLowerBound(), depth), hi = range(loop.getUpperBound(), depth),
          step = range(loop.getStep(), depth);
    if (isModestPart(loop)) {
      constexpr int64_t most = (int64_t(1) << 60) - 1;
      lo.lo = std::max(lo.lo, -most), hi.hi = std::min(hi.hi, most);
    }
    Range r{lo.lo, hi.hi == INT64_MIN ? hi.hi : hi.hi - 1, std::gcd(lo.divisor, step.divisor)};
    if (lo.isConstant() && step.isConstant() && step.lo > 0 && r.hi >= lo.lo && lo.isModest() && r.isModest())
      r.hi = lo.lo + (r.hi - lo.lo) / step.lo * step.lo; // the last value it takes
    return r;
  }

  Range ofArgument(BlockArgument arg, unsigned depth) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && loop.getInductionVar() == arg)
      return ofCounter(loop, depth);
    auto function = dyn_cast<func::FuncOp>(parent);
    if (!function || !arg.getOwner()->isEntryBlock() || !function.getArgAttr(arg.getArgNumber(), "pho.dim"))
      return {};
    auto multiple = function.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), "pho.multiple");
    return {0, kMaxExtent, multiple ? multiple.getInt() : 1};
  }

  Range ofOperation(Operation *op, unsigned depth) {
    auto of = [&](Value v) { return range(v, depth); };
    return TypeSwitch<Operation *, Range>(op)
        .Case([&](pho::BlockIdOp) { return Range{0, INT32_MAX - 1, 1}; })
        .Case([&](pho::GridDimOp) { return Range{0, INT32_MAX, 1}; })
        .Case([&](pho::ThreadIdOp) {
          auto function = op->getParentOfType<func::FuncOp>();
          auto threads = function ? function->getAttrOfType<IntegerAttr>("pho.threads") : IntegerAttr();
          return Range{0, threads ? threads.getInt() - 1 : 1023, 1};
        })
        .Case([&](arith::AddIOp o) { return add(of(o.getLhs()), of(o.getRhs())); })
        .Case([&](arith::SubIOp o) { return add(of(o.getLhs()), negated(of(o.getRhs()))); })
        .Case([&](arith::MulIOp o) { return multiply(of(o.getLhs()), of(o.getRhs())); })
        .Case([&](arith::MaxSIOp o) {
          Range x = of(o.getLhs()), y = of(o.getRhs());
          return Range{std::max(x.lo, y.lo), std::max(x.hi, y.hi), std::gcd(x.divisor, y.divisor)};
        })
        .Case([&](arith::MinSIOp o) {
          Range x = of(o.getLhs()), y = of(o.getRhs());
          return Range{std::min(x.lo, y.lo), std::min(x.hi, y.hi), std::gcd(x.divisor, y.divisor)};
        })
        .Case([&](arith::SelectOp o) { return joined(of(o.getTrueValue()), of(o.getFalseValue())); })
        .Case([&](arith::AndIOp o) {
          Range x = of(o.getLhs()), y = of(o.getRhs());
          return y.lo >= 0 ? Range{0, y.hi, 1} : x.lo >= 0 ? Range{0, x.hi, 1} : Range{};
        })
        .Case([&](arith::ShRUIOp o) {
          Range x = of(o.getLhs()), y = of(o.getRhs());
          return x.lo >= 0 && y.isConstant() && y.lo >= 0 && y.lo < 63 ? Range{x.lo >> y.lo, x.hi >> y.lo, 1}
                                                                       : Range{};
        })
        .Case([&](pho::TotalOp o) {
          Range x = of(o.getLhs()), y = of(o.getRhs());
          bool signs = !o.getIsUnsigned() || x.lo >= 0; // read unsigned, a negative number is a large one
          if (!signs || !y.isConstant() || y.lo <= 0)
            return Range{};
          if (o.getKind() == pho::TotalKind::Shl)
            return y.lo < 62 ? multiply(x, constantRange(int64_t(1) << y.lo)) : Range{};
          if (o.getKind() == pho::TotalKind::Shr) // rounds down
            return y.lo < 62 ? Range{x.lo >> y.lo, x.hi >> y.lo, 1} : Range{};
          return o.getKind() == pho::TotalKind::Div ? divided(x, y.lo) : remainder(x, y.lo);
        })
        .Case([&](pho::ConvertOp o) {
          Type from = o.getValue().getType(), to = o.getType();
          if (!isa<IntegerType, IndexType>(from) || !isa<IntegerType, IndexType>(to) || to.isInteger(1))
            return Range{};
          Range x = from.isInteger(1) ? Range{0, 1, 1} : of(o.getValue()), all = ofType(to);
          if (o.getFromUnsigned() && x.lo < 0)
            return from.isInteger(32)  ? Range{0, UINT32_MAX, 1}
                   : from.isInteger(8) ? Range{0, 255, 1}
                                       : Range{};
          return x.lo >= all.lo && x.hi <= all.hi ? x : all; // else it may wrap
        })
        .Default([](Operation *) { return Range{}; });
  }

  Range range(Value v, unsigned depth) {
    if (auto known = known_.find(v); known != known_.end())
      return known->second;
    Range r = compute(v, depth);
    known_[v] = r;
    return r;
  }

  Range compute(Value v, unsigned depth) {
    APInt constant;
    if (matchPattern(v, m_ConstantInt(&constant)))
      return constantRange(constant.getSExtValue());
    Range all = isa<IntegerType, IndexType>(v.getType()) ? ofType(v.getType()) : Range{};
    if (depth == kMaxDepth || !isa<IntegerType, IndexType>(v.getType()))
      return all;
    auto arg = dyn_cast<BlockArgument>(v);
    Range r = arg ? ofArgument(arg, depth + 1) : ofOperation(v.getDefiningOp(), depth + 1);
    return r.lo >= all.lo && r.hi <= all.hi ? r : all; // arithmetic narrower than 64 bits may wrap
  }

private:
  llvm::DenseMap<Value, Range> known_;
};

} // namespace

Range rangeOf(Value v) { return Analysis().range(v, 0); }

void markModestPart(Operation *loop) { loop->setAttr("pho.modest", UnitAttr::get(loop->getContext())); }
bool isModestPart(Operation *loop) { return loop->hasAttr("pho.modest"); }

bool isCountedBelow(Value v, Value bound) {
  auto arg = dyn_cast<BlockArgument>(v);
  auto loop = arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || loop.getInductionVar() != v)
    return false;
  Value end = loop.getUpperBound();
  if (auto least = end.getDefiningOp<arith::MinSIOp>())
    return least.getLhs() == bound || least.getRhs() == bound;
  return end == bound;
}

} // namespace phobos::passes
