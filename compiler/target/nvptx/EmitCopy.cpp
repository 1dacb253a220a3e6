// Asynchronous copies of slices into shared buffers, 16 bytes at a time.
#include "compiler/target/nvptx/Access.h"
#include "compiler/target/nvptx/SharedTile.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace phobos::nvptx {

// Chunk n of the tile, n = thread + threads * round, is chunk n % perRow of row n / perRow: neighbours in a
// warp are neighbours in memory. A tile in panels is copied panel by panel. A chunk past an edge is cut short
// by the copy's source size, and the rest of it becomes 0; starts are multiples of a chunk, so none straddles
// the front edge.
void Emitter::emitCopyAsync(phog::CopyAsyncOp op) {
  auto alloc = op.getBuffer().getDefiningOp<phog::AllocOp>();
  auto type = mlir::cast<phog::BufferType>(op.getBuffer().getType());
  SharedTile tile{sharedAddress(static_cast<int64_t>(alloc.getOffset().value_or(0))), sharedLayoutOf(type)};
  if (op.getStage()) {
    Reg stage = b.CreateTrunc(scalar(op.getStage()), b.getInt32Ty());
    tile.base = b.CreateGEP(b.getInt8Ty(), tile.base,
                            b.CreateMul(stage, i32(tile.layout.sizeBytes()), "", true, true));
  }
  auto kept = llvm::count(op.getPoints(), false);
  Coord shape{1, 1};
  for (size_t axis = 0, next = kept == 2 ? 0 : 1; axis < op.getSizes().size(); ++axis)
    if (!op.getPoints()[axis])
      shape[next++] = op.getSizes()[axis];
  const int64_t bytes = tile.layout.elementBytes, perChunk = 16 / bytes;
  const int64_t panels = tile.layout.panels(),
                perRow = panels > 1 ? tile.layout.pitchBytes / 16 : (shape[1] * bytes + 15) / 16,
                chunks = shape[0] * perRow, threads = target.warps * 32;
  const bool ragged = shape[1] % perChunk != 0;

  auto emitAll = [&] {
    Access a = accessOf(op.getView(), op.getStarts(), op.getExtents(), op.getSizes(), op.getPoints(),
                        op.getInBounds(), mlir::Type());
    // Where the threads take whole rows at once, all chunks of a thread are in one column, `step` rows apart:
    // one address in memory and one in the buffer serve them all, where else each chunk has some six
    // registers. For that up to a quarter of the threads may stand by.
    const int64_t taking = threads / perRow * perRow, step = 4 * taking >= 3 * threads ? threads / perRow : 0;
    using Copy = std::function<void(Reg row, int64_t down, Reg col, Reg to, Reg from)>;
    auto eachOfPanel = [&](int64_t panel, const Copy &copy) {
      auto column = [&](Reg number) {
        return plus(b.CreateMul(b.CreateURem(number, i32(perRow)), i32(perChunk)), panel * perRow * perChunk);
      };
      if (!step) {
        // Producers have few registers, and of many chunks others would have too few: places computed anew
        // each time, not one kept for each chunk.
        const bool isMany = op->getParentOfType<phog::RolesOp>() || chunks > 4 * threads;
        for (int64_t first = 0; first < chunks; first += threads) {
          Reg number = plus(isMany ? opaque(thread) : thread, first);
          auto one = [&] {
            Reg row = b.CreateUDiv(number, i32(perRow)), col = column(number);
            copy(row, 0, col, tileAddress(tile, row, col), addressOf(a, row, col));
          };
          when(first + threads > chunks ? b.CreateICmpULT(number, i32(chunks)) : nullptr, one);
        }
        return;
      }
      Reg row = b.CreateUDiv(thread, i32(perRow)), col = column(thread);
      Reg to = tileAddress(tile, row, col), from = addressOf(a, row, col);
      // The same swizzle after each step: then the rest of the address is a constant away.
      const SharedLayout &s = tile.layout;
      const bool isRegular =
          !s.mask || (step % s.rowsPerStep == 0 && step / s.rowsPerStep % (s.mask + 1) == 0);
      Reg stride = nullptr;
      BasicBlock *done = nullptr;
      if (taking < threads) {
        BasicBlock *some = newBlock("copying");
        done = newBlock("copied");
        b.CreateCondBr(b.CreateICmpULT(thread, i32(taking)), some, done);
        b.SetInsertPoint(some);
      }
      for (int64_t down = 0; down < shape[0]; down += step) {
        if (down && a.stride[0]) {
          if (!stride) // unknown to the optimiser, which would keep an address a chunk
            stride = opaque(stepsOf(a, 0, i32(step)));
          from = b.CreateGEP(b.getInt8Ty(), from, stride);
        }
        when(down + step > shape[0] ? b.CreateICmpULT(row, i32(shape[0] - down)) : nullptr, [&] {
          copy(row, down, col,
               isRegular ? b.CreateGEP(b.getInt8Ty(), to, i32(down * s.pitchBytes))
                         : tileAddress(tile, plus(row, down), col),
               from);
        });
      }
      if (done) {
        b.CreateBr(done);
        b.SetInsertPoint(done);
      }
    };
    auto each = [&](const Copy &copy) {
      for (int64_t panel = 0; panel < panels; ++panel)
        eachOfPanel(panel, copy);
    };
    auto cut = [&](Reg to, Reg from, Reg size) {
      nvvm(Intrinsic::nvvm_cp_async_cg_shared_global_16_s, {to, from, size});
    };
    auto sizeInTile = [&](Reg col) -> Reg {
      if (!ragged)
        return i32(16);
      return b.CreateBinaryIntrinsic(Intrinsic::smin, i32(16),
                                     b.CreateMul(b.CreateSub(i32(shape[1]), col), i32(bytes)));
    };
    auto whole = [&] {
      each([&](Reg, int64_t, Reg col, Reg to, Reg from) {
        if (ragged)
          cut(to, from, sizeInTile(col));
        else
          nvvm(Intrinsic::nvvm_cp_async_cg_shared_global_16, {to, from});
      });
      return Regs();
    };
    auto edge = [&] {
      Bounds rows;
      each([&](Reg row, int64_t down, Reg col, Reg to, Reg from) {
        Reg size = sizeInTile(col);
        if (a.start[1]) { // (extent - start - col) elements are left; none before the front edge
          Reg position = b.CreateAdd(a.start[1], b.CreateSExt(col, b.getInt64Ty()));
          Reg left = b.CreateSub(a.extent[1], position);
          if (op.getFar())
            left = b.CreateBinaryIntrinsic(Intrinsic::smax, left, i64(0));
          left = b.CreateMul(left, i64(bytes));
          left = b.CreateBinaryIntrinsic(Intrinsic::smax,
                                         b.CreateBinaryIntrinsic(Intrinsic::smin, left, i64(16)), i64(0));
          left = b.CreateSelect(b.CreateICmpSGE(position, i64(0)), left, i64(0));
          size = b.CreateBinaryIntrinsic(Intrinsic::smin, size, b.CreateTrunc(left, b.getInt32Ty()));
        }
        if (step && !down)
          rows = boundsOf(a, 0, row);
        if (Reg ok = andOf(a.pointsInside, step ? isInside(rows, down) : insideOf(a, 0, row)))
          size = b.CreateSelect(ok, size, i32(0));
        cut(to, from, size);
      });
      return Regs();
    };
    either(a.whole, whole, edge);
  };
  when(op.getPred() ? scalar(op.getPred()) : nullptr, emitAll);
}

} // namespace phobos::nvptx
