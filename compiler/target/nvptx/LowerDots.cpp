#include "compiler/passes/Ranges.h"
#include "compiler/target/nvptx/Accesses.h"
#include "compiler/target/nvptx/DotPlan.h"
#include "compiler/target/nvptx/Multiple.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include <map>

using namespace mlir;

namespace phobos::nvptx {

bool canCopy(pho::LoadOp load, const Target &target) {
  if (!load || !target.aligned || target.sm < 80 || load.getFill() || isWritten(load.getView()))
    return false;
  Type elem = elementOf(load.getType());
  if (load.getPoints().back() || elem.isInteger(1) || cast<RankedTensorType>(load.getType()).getRank() != 2)
    return false;
  return multipleOf(load.getStarts().back()) * elementBytes(elem) % 16 == 0;
}

namespace {

class Lowering {
public:
  Lowering(Operation *f, const Plans &p, const Target &t) : func(f), plans(p), target(t) {}

  void run() {
    SmallVector<pho::DotOp> dots;
    func->walk([&](pho::DotOp dot) { dots.push_back(dot); });
    for (pho::DotOp dot : dots)
      lower(dot, plans.dots.at(dot));
    // Loads that only products read have become copies.
    SmallVector<Operation *> dead;
    for (auto &[key, buffer] : buffers)
      if (Value v = Value::getFromOpaquePointer(key.first);
          v.use_empty() && v.getDefiningOp<pho::LoadOp>() && !llvm::is_contained(dead, v.getDefiningOp()))
        dead.push_back(v.getDefiningOp());
    for (Operation *op : dead)
      op->erase();
  }

private:
  void lower(pho::DotOp dot, const DotPlan &plan) {
    Layout layout = layoutOf(dot.getAcc().getType());
    const int64_t m = layout.extent(0), n = layout.extent(1);
    OpBuilder b(dot);
    Value a = rounded(dot.getA(), plan.operandType, b, dot.getLoc()),
          c = rounded(dot.getB(), plan.operandType, b, dot.getLoc());
    Coord shape = shapeOf(a.getType());
    const int64_t k = shape[dot.getTransA() ? 0 : 1];
    isWgmma = plan.isWgmma;
    Value aOperand =
        plan.isMma && !plan.isWgmma && !dot.getTransA() ? inRegisters(a, plan, b, dot.getLoc()) : Value();
    if (!aOperand)
      aOperand = dot.getTransA() ? inShared(a, k, m) : inShared(a, m, k);
    Value bOperand = dot.getTransB() ? inShared(c, n, k) : inShared(c, k, n);
    b.setInsertionPoint(dot);
    auto lowered = phog::DotOp::create(b, dot.getLoc(), dot.getType(), aOperand, Value(), bOperand, Value(),
                                       dot.getAcc(), static_cast<uint64_t>(k),
                                       plan.isWgmma ? "wgmma"
                                       : plan.isMma ? "mma"
                                                    : "simt",
                                       plan.kind, dot.getTransA(), dot.getTransB(), dot.getIsUnsigned());
    if (plan.hasNarrowSums)
      lowered->setAttr(kOwnSums, b.getUnitAttr());
    dot.replaceAllUsesWith(lowered.getResult());
    dot.erase();
  }

  Value rounded(Value v, Type elem, OpBuilder &b, Location loc) {
    auto tile = cast<RankedTensorType>(v.getType());
    if (tile.getElementType() == elem)
      return v;
    b.setInsertionPointAfterValue(v);
    return pho::ConvertOp::create(b, loc, RankedTensorType::get(tile.getShape(), elem, tile.getEncoding()), v,
                                  false, false);
  }

  /// `v` in the registers that operand A of mma wants, if its threads have them.
  Value inRegisters(Value v, const DotPlan &plan, OpBuilder &b, Location loc) {
    Layout want = mmaOperandA(shapeOf(v.getType()), plan.grid, plan.perRegister, plan.isF64()).normalized();
    if (!registerMap(layoutOf(v.getType()), want))
      return {};
    b.setInsertionPointAfterValue(v);
    return phog::ConvertOp::create(b, loc, withLayout(v.getType(), want), v);
  }

  /// A buffer that holds `v`; room for at least rows x cols, since padded accumulators read past the tile.
  Value inShared(Value v, int64_t rows, int64_t cols) {
    Coord shape = shapeOf(v.getType());
    auto key =
        std::pair{v.getAsOpaquePointer(), std::pair{std::max(rows, shape[0]), std::max(cols, shape[1])}};
    if (auto it = buffers.find(key); it != buffers.end())
      return it->second;
    OpBuilder b(func->getContext());
    Type elem = elementOf(v.getType());
    b.setInsertionPointToStart(&func->getRegion(0).front());
    auto alloc = phog::AllocOp::create(
        b, v.getLoc(),
        bufferType(elem, isWgmma ? stagedOperand(v.getType())
                                 : operandBuffer(key.second.first, key.second.second, elementBytes(elem))),
        IntegerAttr());
    b.setInsertionPointAfterValue(v);
    auto load = v.getDefiningOp<pho::LoadOp>();
    if (canCopy(load, target)) {
      phog::CopyAsyncOp::create(b, v.getLoc(), load.getView(), load.getStarts(), load.getExtents(), alloc,
                                Value(), Value(), load.getSizes(), load.getPoints(), load.getInBounds(),
                                !passes::rangeOf(load.getStarts().back()).isModest());
      phog::CommitOp::create(b, v.getLoc());
      phog::WaitOp::create(b, v.getLoc(), 0);
    } else {
      phog::StoreSharedOp::create(b, v.getLoc(), v, alloc);
    }
    buffers[key] = alloc;
    return alloc;
  }

  Operation *func;
  const Plans &plans;
  const Target &target;
  bool isWgmma = false; ///< the product in hand
  std::map<std::pair<void *, std::pair<int64_t, int64_t>>, Value> buffers;
};

} // namespace

void lowerDots(Operation *func, const Plans &plans, const Target &target) {
  Lowering(func, plans, target).run();
}

} // namespace phobos::nvptx
