// Which block of the grid this one works on.
#include "compiler/target/nvptx/Emitter.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace phobos::nvptx {

// Native: the block's coordinates are the hardware's. Flat: block number n of x + y * (2^31 - 1) .. is (n %
// gx, n / gx % gy, n / gx / gy). Persistent: block n, n + blocks, n + 2 blocks, .. In parts: of the
// hardware's x, or of n, the remainder by the number of parts is the part.
void Emitter::emitGrid(bool nativeGrid, bool persistent, int64_t parts, ArrayRef<Reg> extents) {
  auto special = [&](Intrinsic::ID id) -> Reg { return b.CreateZExt(nvvm(id, {}), b.getInt64Ty()); };
  for (int axis = 0; axis < 3; ++axis)
    gridDims[axis] = b.CreateZExt(extents[axis], b.getInt64Ty());
  auto takePart = [&](Reg number) {
    if (parts == 1)
      return number;
    partOfK = b.CreateURem(number, i64(parts));
    return b.CreateUDiv(number, i64(parts));
  };
  if (nativeGrid && !persistent) {
    blockIds[0] = takePart(special(Intrinsic::nvvm_read_ptx_sreg_ctaid_x));
    blockIds[1] = special(Intrinsic::nvvm_read_ptx_sreg_ctaid_y);
    blockIds[2] = special(Intrinsic::nvvm_read_ptx_sreg_ctaid_z);
    return;
  }
  Reg blocks = special(Intrinsic::nvvm_read_ptx_sreg_nctaid_x);
  Reg number = b.CreateAdd(special(Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                           b.CreateMul(special(Intrinsic::nvvm_read_ptx_sreg_ctaid_y), blocks));
  number = takePart(number);
  Reg total = b.CreateMul(b.CreateMul(gridDims[0], gridDims[1]), gridDims[2]);
  BasicBlock *work = newBlock("block"), *exit = newBlock("exit");
  if (persistent) {
    BasicBlock *before = b.GetInsertBlock(), *head = newBlock("blocks");
    b.CreateBr(head);
    b.SetInsertPoint(head);
    PHINode *current = b.CreatePHI(b.getInt64Ty(), 2);
    current->addIncoming(number, before);
    b.CreateCondBr(b.CreateICmpULT(current, total), work, exit);
    // The block's work ends in a branch to `next`: another round, once all threads are done with this one:
    // its shared memory becomes the next one's.
    BasicBlock *next = newBlock("next");
    b.SetInsertPoint(next);
    endRound();
    Reg following = b.CreateAdd(current, blocks);
    b.CreateBr(head);
    current->addIncoming(following, next);
    number = current;
    returnTo = next;
  } else {
    b.CreateCondBr(b.CreateICmpULT(number, total), work, exit);
  }
  b.SetInsertPoint(exit);
  b.CreateRetVoid();
  b.SetInsertPoint(work);
  blockIds[0] = b.CreateURem(number, gridDims[0]);
  Reg rest = b.CreateUDiv(number, gridDims[0]);
  blockIds[1] = b.CreateURem(rest, gridDims[1]);
  blockIds[2] = b.CreateUDiv(rest, gridDims[1]);
}

// Of the blocks of the plane (rows, cols), number n = i + I j, those of `group` rows and all columns are
// walked before the next ones: n = (group * J) g + r, the last group having fewer rows, I - group g. Within
// it the rows go fastest: i = group g + r % rows, j = r / rows. Blocks that run at one time then share rows
// of the one operand and columns of the other.
void Emitter::groupBlocks(int64_t group, int64_t rowAxis, int64_t colAxis) {
  Reg I = gridDims[rowAxis], J = gridDims[colAxis];
  // The axis that the hardware counts faster gives the lower part of n.
  Reg number = rowAxis < colAxis ? b.CreateAdd(blockIds[rowAxis], b.CreateMul(I, blockIds[colAxis]))
                                 : b.CreateAdd(blockIds[colAxis], b.CreateMul(J, blockIds[rowAxis]));
  Reg each = b.CreateMul(J, i64(group));
  Reg first = b.CreateMul(b.CreateUDiv(number, each), i64(group)), rest = b.CreateURem(number, each);
  Reg rows = b.CreateBinaryIntrinsic(Intrinsic::umin, b.CreateSub(I, first), i64(group));
  blockIds[rowAxis] = b.CreateAdd(first, b.CreateURem(rest, rows));
  blockIds[colAxis] = b.CreateUDiv(rest, rows);
}

} // namespace phobos::nvptx
