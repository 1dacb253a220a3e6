#include "compiler/target/nvptx/LoopSlice.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace phobos::nvptx {

bool collectSlice(Value v, scf::ForOp loop, llvm::SetVector<Operation *> &slice) {
  if (v == loop.getInductionVar() || loop.isDefinedOutsideOfLoop(v))
    return true;
  Operation *op = v.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return false;
  for (Value operand : op->getOperands())
    if (!collectSlice(operand, loop, slice))
      return false;
  slice.insert(op);
  return true;
}

} // namespace phobos::nvptx
