#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <algorithm>

using namespace mlir;

namespace phobos::nvptx {
namespace {

int64_t registersOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && tile.getEncoding() ? layoutOf(tile).registers() : 0;
}

/// The products that stand one after the other for each accumulator: all of k, or the part that one round of
/// the emitter's loop takes. A step of the tensor cores serves the four accumulators of a thread by some 16
/// of k.
int64_t stepsOf(phog::DotOp dot, int64_t accumulators) {
  int64_t k = static_cast<int64_t>(dot.getK());
  if (dot.getPath() != "simt")
    return (k + 63) / 64;
  while (k * accumulators > 2048 && k % 2 == 0)
    k /= 2;
  return k;
}

int64_t sizeOfOperation(Operation *op, int64_t threads) {
  if (auto copy = dyn_cast<phog::CopyAsyncOp>(op))
    return sharedLayoutOf(cast<phog::BufferType>(copy.getBuffer().getType())).sizeBytes() / 16 / threads + 1;
  int64_t most = 0;
  for (Type t : op->getOperandTypes())
    most = std::max(most, registersOf(t));
  for (Type t : op->getResultTypes())
    most = std::max(most, registersOf(t));
  if (auto dot = dyn_cast<phog::DotOp>(op))
    return most * stepsOf(dot, registersOf(dot.getAcc().getType()));
  return most;
}

/// How often an operation stands in the unrolled code: `for<unroll n>`, one in the other. Far past every
/// limit the exact number does not matter.
int64_t copiesOf(Operation *op) {
  int64_t copies = 1;
  for (Operation *loop = op->getParentOp(); loop && copies < (int64_t(1) << 30); loop = loop->getParentOp())
    if (auto unroll = loop->getAttrOfType<IntegerAttr>("pho.unroll"))
      copies *= std::clamp<int64_t>(unroll.getInt(), 1, int64_t(1) << 30);
  return std::min(copies, int64_t(1) << 30);
}

} // namespace

int64_t unrolledSize(Operation *func, const Target &target) {
  int64_t sum = 0;
  func->walk([&](Operation *op) {
    const int64_t copies = copiesOf(op);
    int64_t size = sizeOfOperation(op, target.warps * 32);
    if (copies > 1) // there scalars count too
      size = std::max<int64_t>(size, 1);
    sum = std::min(sum + std::min(size, int64_t(1) << 30) * copies, int64_t(1) << 61);
  });
  return sum;
}

} // namespace phobos::nvptx
