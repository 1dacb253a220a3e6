#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"
#include "mlir/IR/Operation.h"

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
  if (dot.getPath() == "mma")
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

} // namespace

int64_t unrolledSize(Operation *func, const Target &target) {
  int64_t sum = 0;
  func->walk([&](Operation *op) { sum += sizeOfOperation(op, target.warps * 32); });
  return sum;
}

} // namespace phobos::nvptx
