#include "compiler/target/nvptx/Multiple.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <algorithm>

using namespace mlir;

namespace phobos::nvptx {

// Only powers of two: a product or sum that wraps keeps those alone, in 64 bits as in fewer.
namespace {
constexpr int64_t most = int64_t(1) << 30;

int64_t powerIn(int64_t n) { return n % most == 0 ? most : n & -n; }

int64_t multiple(Value v, int depth) {
  if (depth > 16)
    return 1;
  auto of = [&](Value x) { return multiple(x, depth + 1); };
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    Operation *owner = arg.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(owner); loop && arg == loop.getInductionVar())
      return std::min(of(loop.getLowerBound()), of(loop.getStep()));
    if (auto func = dyn_cast<func::FuncOp>(owner))
      if (auto known = func.getArgAttrOfType<IntegerAttr>(arg.getArgNumber(), "pho.multiple"))
        return powerIn(known.getInt());
    return 1;
  }
  Operation *op = v.getDefiningOp();
  if (auto c = dyn_cast<arith::ConstantOp>(op)) {
    auto n = dyn_cast<IntegerAttr>(c.getValue());
    return n ? powerIn(n.getInt()) : 1;
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::min(of(op->getOperand(0)), of(op->getOperand(1)));
  if (auto m = dyn_cast<arith::MulIOp>(op))
    return std::min(most, of(m.getLhs()) * of(m.getRhs()));
  if (auto s = dyn_cast<arith::SelectOp>(op))
    return std::min(of(s.getTrueValue()), of(s.getFalseValue()));
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return of(op->getOperand(0));
  return 1;
}
} // namespace

int64_t multipleOf(Value index) { return multiple(index, 0); }

} // namespace phobos::nvptx
