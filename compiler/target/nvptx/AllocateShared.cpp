#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Scratch.h"
#include "mlir/IR/Builders.h"
#include <algorithm>
#include <map>

using namespace mlir;

namespace phobos::nvptx {

namespace {
int64_t rounded(int64_t bytes) { return (bytes + 15) / 16 * 16; }

/// Parts that warps leave for each other in a reduction over `axes`, of `each` bytes an element.
int64_t partsBytes(const Layout &layout, const bool axes[2], int64_t each) {
  int64_t parts = 1;
  for (const Mode &m : layout.warp)
    if (m.stride != 0 && axes[m.axis])
      parts *= m.size;
  Layout to = layout;
  for (int axis : {0, 1})
    if (axes[axis])
      to = slice(to, axis);
  return parts == 1 ? 0 : rounded(parts * to.extent(0) * to.extent(1) * each);
}

void axesOf(Type tile, uint32_t attribute, bool axes[2]) {
  const auto axis = static_cast<int32_t>(attribute);
  bool rank1 = cast<RankedTensorType>(tile).getRank() == 1;
  axes[0] = axis < 0 || (axis == 0 && !rank1);
  axes[1] = axis < 0 || axis == 1 || rank1;
}

int64_t tileBytes(Coord shape, Type elem) {
  return rounded(scratchBuffer(shape[0], shape[1], elementBytes(elem)).sizeBytes());
}
} // namespace

int64_t scratchBytes(Operation *op, int64_t threads) {
  if (auto c = dyn_cast<phog::ConvertOp>(op))
    return registerMap(layoutOf(c.getValue().getType()), layoutOf(c.getType()))
               ? 0
               : tileBytes(shapeOf(c.getType()), elementOf(c.getType()));
  if (auto r = dyn_cast<pho::ReshapeOp>(op)) {
    Coord from = shapeOf(r.getValue().getType());
    return from == shapeOf(r.getType()) ? 0
                                        : rounded(from[0] * from[1] * elementBytes(elementOf(r.getType())));
  }
  if (auto e = dyn_cast<pho::ExtractSliceOp>(op))
    return tileBytes(shapeOf(e.getValue().getType()), elementOf(e.getType()));
  if (isa<pho::InsertSliceOp, pho::CatOp>(op))
    return tileBytes(shapeOf(op->getResult(0).getType()), elementOf(op->getResult(0).getType()));
  if (auto e = dyn_cast<pho::ExtractOp>(op))
    return layoutOf(e.getValue().getType()).isUniform() ? 0 : 16;
  bool axes[2];
  if (auto r = dyn_cast<pho::ReduceOp>(op)) {
    axesOf(r.getValue().getType(), r.getAxis(), axes);
    return partsBytes(layoutOf(r.getValue().getType()), axes,
                      elementBytes(elementOf(r.getValue().getType())));
  }
  if (auto r = dyn_cast<pho::ArgReduceOp>(op)) {
    axesOf(r.getValue().getType(), r.getAxis(), axes);
    Layout layout = layoutOf(r.getValue().getType());
    return partsBytes(layout, axes, elementBytes(elementOf(r.getValue().getType()))) +
           partsBytes(layout, axes, 4);
  }
  if (auto s = dyn_cast<pho::ScanOp>(op)) {
    axesOf(s.getType(), s.getAxis(), axes);
    Coord shape = shapeOf(s.getType());
    int64_t lines = shape[axes[0] ? 1 : 0], bytes = elementBytes(elementOf(s.getType()));
    return tileBytes(shape, elementOf(s.getType())) + rounded(std::max(lines, threads) * bytes);
  }
  if (auto a = dyn_cast<pho::AtomicOp>(op))
    return a.getOnce() && !a.getResult().use_empty() ? 16 : 0;
  return 0;
}

namespace {
struct Block {
  int64_t first, last, bytes, offset = 0;
  Operation *op;
};

/// Rings of tiles start at 128 bytes, so that rows of a permuted tile fall as the permutation wants; the
/// tensor cores read a permutation out of address bits up to 9.
int64_t alignmentOf(Operation *op) {
  if (!isa<phog::AllocOp>(op))
    return 16;
  return llvm::any_of(op->getUsers(),
                      [](Operation *user) {
                        auto dot = dyn_cast<phog::DotOp>(user);
                        return dot && dot.getPath() == "wgmma";
                      })
             ? 1024
             : 128;
}

/// The operation of `ancestor`'s body that holds `op`.
bool isInside(Operation *op, Operation *ancestor) {
  for (Operation *p = op->getParentOp(); p; p = p->getParentOp())
    if (p == ancestor)
      return true;
  return false;
}
} // namespace

int64_t allocateShared(Operation *func) {
  std::map<Operation *, std::pair<int64_t, int64_t>>
      spans; // first and last number of an operation and its body
  int64_t number = 0;
  std::function<void(Operation *)> count = [&](Operation *op) {
    int64_t first = number++;
    for (Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (Operation &inner : block)
          count(&inner);
    spans[op] = {first, number++};
  };
  count(func);

  int64_t threads = func->getAttrOfType<IntegerAttr>("phog.threads").getInt();
  SmallVector<Block> blocks;
  func->walk([&](Operation *op) {
    if (auto alloc = dyn_cast<phog::AllocOp>(op)) {
      Block block{INT64_MAX, -1, 0, 0, op};
      auto type = cast<phog::BufferType>(alloc.getType());
      block.bytes = rounded(type.getStages() * sharedLayoutOf(type).sizeBytes());
      SmallVector<Operation *> users(alloc.getResult().getUsers());
      for (Operation *user : users) {
        auto [first, last] = spans[user];
        // A loop that holds this user but not all of them: what is in the buffer must last the loop.
        for (Operation *p = user->getParentOp(); p && p != func; p = p->getParentOp())
          if (llvm::any_of(users, [&](Operation *other) { return !isInside(other, p); }))
            first = std::min(first, spans[p].first), last = std::max(last, spans[p].second);
        block.first = std::min(block.first, first);
        block.last = std::max(block.last, last);
      }
      if (alloc->hasAttr("phog.signals")) // made ready when the kernel starts, and never anything else
        block.first = 0, block.last = spans[func].second;
      if (block.last >= 0)
        blocks.push_back(block);
    } else if (int64_t bytes = scratchBytes(op, threads)) {
      blocks.push_back({spans[op].first, spans[op].second, bytes, 0, op});
    }
  });
  // First fit, in order of their first use.
  llvm::sort(blocks, [](const Block &a, const Block &b) {
    return std::pair{a.first, a.last} < std::pair{b.first, b.last};
  });
  int64_t total = 0;
  Builder b(func->getContext());
  for (size_t k = 0; k < blocks.size(); ++k) {
    SmallVector<std::pair<int64_t, int64_t>> taken;
    for (size_t other = 0; other < k; ++other)
      if (blocks[other].last >= blocks[k].first)
        taken.emplace_back(blocks[other].offset, blocks[other].offset + blocks[other].bytes);
    llvm::sort(taken);
    const int64_t align = alignmentOf(blocks[k].op);
    int64_t at = 0;
    for (auto [low, high] : taken)
      if (at + blocks[k].bytes > low)
        at = std::max(at, (high + align - 1) / align * align);
    blocks[k].offset = at;
    total = std::max(total, at + blocks[k].bytes);
    if (auto alloc = dyn_cast<phog::AllocOp>(blocks[k].op))
      alloc.setOffset(static_cast<uint64_t>(at));
    else
      blocks[k].op->setAttr("phog.scratch", b.getI64IntegerAttr(at));
  }
  return total;
}

} // namespace phobos::nvptx
