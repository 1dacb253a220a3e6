#include "compiler/target/nvptx/BlockOrder.h"
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include <optional>
#include <set>

using namespace mlir;

namespace phobos::nvptx {

namespace {

/// The axes of the grid that `v` is computed from.
void blockAxes(Value v, std::set<uint64_t> &axes, int depth = 0) {
  Operation *op = v.getDefiningOp();
  if (!op || depth > 32)
    return;
  if (auto id = dyn_cast<pho::BlockIdOp>(op))
    axes.insert(id.getAxis());
  else if (op->getNumRegions() == 0)
    for (Value operand : op->getOperands())
      blockAxes(operand, axes, depth + 1);
}

/// The one axis along which the operand's free axis goes; nothing if there is none or several. `v` is a slice
/// of a tensor, perhaps computed on elementwise.
std::optional<int64_t> axisOf(Value v, bool freeIsLast) {
  pho::LoadOp load;
  for (Operation *op = v.getDefiningOp(); op && !load;
       op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr)
    load = dyn_cast<pho::LoadOp>(op);
  if (!load)
    return std::nullopt;
  SmallVector<Value> kept;
  for (auto [start, isPoint] : llvm::zip(load.getStarts(), load.getPoints()))
    if (!isPoint)
      kept.push_back(start);
  if (kept.size() != 2)
    return std::nullopt;
  std::set<uint64_t> axes;
  blockAxes(kept[freeIsLast ? 1 : 0], axes);
  return axes.size() == 1 ? std::optional(static_cast<int64_t>(*axes.begin())) : std::nullopt;
}
} // namespace

legality::Verdict orderBlocks(Operation *func) {
  auto point = func->getAttrOfType<DictionaryAttr>("pho.point");
  pho::DotOp product;
  func->walk([&](pho::DotOp dot) {
    if (!product && dot->getParentOp()->hasAttr("pho.contraction"))
      product = dot;
  });
  if (!point || !product)
    return {};
  auto value = [&](StringRef name) -> int64_t {
    auto v = point.getAs<IntegerAttr>(name);
    return v ? v.getInt() : 0;
  };
  Point facts, completed;
  for (const char *name : {"CLUSTER_M", "CLUSTER_N"})
    if (int64_t v = value(name))
      facts.set(name, v);
  // What is judged later holds here.
  for (auto [name, v] : {std::pair{"THREADS", 32}, std::pair{"SHARED_BYTES", 0}, std::pair{"SHARED_LIMIT", 0},
                         std::pair{"TILE_REGISTERS", 0}, std::pair{"UNROLLED", 0}})
    facts.set(name, v);
  if (auto v = legality::Judge(legality::Path::Gpu).complete(facts, {}, completed); !v.isLegal())
    return v;
  auto rows = axisOf(product.getA(), product.getTransA()),
       cols = axisOf(product.getB(), !product.getTransB());
  if (int64_t group = value("GROUP_M"); group > 1 && rows && cols && *rows != *cols)
    func->setAttr("phog.group", Builder(func->getContext()).getDenseI64ArrayAttr({group, *rows, *cols}));
  return {};
}

} // namespace phobos::nvptx
