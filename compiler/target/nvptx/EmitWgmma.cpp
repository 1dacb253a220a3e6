// Products by warpgroups: wgmma.mma_async on both operands in shared memory.
#include "compiler/target/nvptx/SharedTile.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace phobos::nvptx {

namespace {
/// An operand as the instruction's descriptor says it (PTX ISA, "Matrix Descriptor Format"). `free` is its
/// axis that is not k.
struct Described {
  SharedLayout layout;
  bool alongK; ///< rows run along k; else along the free axis
  /// Bytes from the stage's first to element (free, k), each at the start of a panel's swizzle pattern but
  /// for steps along k within a row.
  int64_t offset(int64_t free, int64_t k) const {
    const int64_t row = alongK ? free : k, byte = (alongK ? k : free) * layout.elementBytes;
    return (byte / layout.pitchBytes * layout.rows + row) * layout.pitchBytes + byte % layout.pitchBytes;
  }
  /// All but the address: bytes / 16 from one panel to the next in bits 16 to 29 (where rows run along k one
  /// instruction stays in a panel), from eight rows to the next eight in bits 32 to 45, the swizzle in 62 and
  /// 63.
  uint64_t constants() const {
    const auto panel = static_cast<uint64_t>(alongK ? 1 : layout.rows * layout.pitchBytes / 16),
               eight = static_cast<uint64_t>(8 * layout.pitchBytes / 16);
    const uint64_t swizzle = layout.pitchBytes == 128 ? 1 : layout.pitchBytes == 64 ? 2 : 3;
    return panel << 16 | eight << 32 | swizzle << 62;
  }
};
} // namespace

// Of each warpgroup's rows an instruction takes 64, of its columns all: sums d[4 c + q] of a thread are row
// 8 (q / 2), column 8 c + q % 2 from its first. Steps along k within a row of the swizzle move the
// descriptor's address by their bytes; the hardware permutes address bits, not chunks of a row.
Regs Emitter::emitWgmma(phog::DotOp op) {
  const Layout layout = layoutOf(op.getAcc().getType());
  Regs acc = regs(op.getAcc());
  std::map<Coord, int64_t> registerAt;
  for (int64_t r = 0; r < layout.registers(); ++r)
    registerAt.try_emplace(layout.registerOffset(r), r);
  int64_t rows = 0, cols = 0; // of a warpgroup
  for (const auto &[at, r] : registerAt)
    rows = std::max(rows, at[0] / 64 * 64 + 64), cols = std::max(cols, at[1] / 8 * 8 + 8);

  // The warpgroup's first row and column, known to be the same in all lanes.
  Reg group = b.CreateAnd(nvvm(Intrinsic::nvvm_shfl_sync_idx_i32, {i32(-1), warp, i32(0), i32(31)}), i32(~3));
  auto firstOf = [&](int axis) -> Reg {
    Reg first = digits(layout.warp, group, axis);
    return first ? first : i32(0);
  };
  auto describe = [&](mlir::Value v, mlir::Value stage, bool alongK, Reg first) {
    auto alloc = v.getDefiningOp<phog::AllocOp>();
    Described d{sharedLayoutOf(mlir::cast<phog::BufferType>(v.getType())), alongK};
    Reg address =
        b.CreatePtrToInt(sharedAddress(static_cast<int64_t>(alloc.getOffset().value_or(0))), b.getInt32Ty());
    address = b.CreateAdd(
        address, b.CreateMul(b.CreateTrunc(scalar(stage), b.getInt32Ty()), i32(d.layout.sizeBytes())));
    // Whole panels or whole eights of rows: the same bytes for each.
    const int64_t each = alongK ? d.layout.pitchBytes : d.layout.rows * d.layout.elementBytes;
    address = b.CreateAdd(address, b.CreateMul(first, i32(each)));
    Reg low = b.CreateAnd(b.CreateLShr(address, 4), 0x3fff);
    return std::pair{d, b.CreateOr(b.CreateZExt(low, b.getInt64Ty()), b.getInt64(d.constants()))};
  };
  const bool transA = op.getTransA(), transB = op.getTransB();
  auto [a, aBase] = describe(op.getA(), op.getStageA(), !transA, firstOf(0));
  auto [c, cBase] = describe(op.getB(), op.getStageB(), transB, firstOf(1));

  const int64_t sums = cols / 2;
  Type *sum = b.getFloatTy();
  std::string text = "{.reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n" +
                     std::to_string(cols) + "k16.f32." + op.getKind().str() + "." + op.getKind().str() + " {",
              constraints, tied;
  for (int64_t k = 0; k < sums; ++k) {
    text += (k ? ", $" : "$") + std::to_string(k);
    constraints += k ? ",=f" : "=f";
    tied += "," + std::to_string(k);
  }
  // The sums are updated in place; 1: to what they are, signs as they are, then which operands run along the
  // free axis.
  text += "}, $" + std::to_string(2 * sums) + ", $" + std::to_string(2 * sums + 1) + ", p, 1, 1, " +
          (transA ? "1" : "0") + ", " + (transB ? "0" : "1") + ";}";
  SmallVector<Type *> inputs(static_cast<size_t>(sums), sum);
  inputs.append(2, b.getInt64Ty());
  auto *fn = FunctionType::get(StructType::get(context, SmallVector<Type *>(static_cast<size_t>(sums), sum)),
                               inputs, false);
  InlineAsm *wgmma = InlineAsm::get(fn, text, constraints + tied + ",l,l", true);

  nvvm(Intrinsic::nvvm_fence_proxy_async_shared_cta, {}); // copies wrote the operands as threads do
  nvvm(Intrinsic::nvvm_wgmma_fence_sync_aligned, {});
  for (int64_t k = 0; k < static_cast<int64_t>(op.getK()); k += 16)
    for (int64_t row = 0; row < rows; row += 64) {
      SmallVector<Reg> args;
      SmallVector<int64_t> where;
      for (int64_t n = 0; n < sums; ++n) {
        const int64_t q = n % 4;
        where.push_back(registerAt.at({row + 8 * (q / 2), n / 4 * 8 + q % 2}));
        args.push_back(acc[where.back()]);
      }
      args.push_back(b.CreateAdd(aBase, i64(a.offset(row, k) / 16)));
      args.push_back(b.CreateAdd(cBase, i64(c.offset(0, k) / 16)));
      CallInst *next = b.CreateCall(wgmma, args);
      next->addFnAttr(Attribute::Convergent);
      for (int64_t n = 0; n < sums; ++n)
        acc[where[n]] = b.CreateExtractValue(next, static_cast<unsigned>(n));
    }
  nvvm(Intrinsic::nvvm_wgmma_commit_group_sync_aligned, {});
  return acc;
}

// A move each: the assembler lets a load write a product's registers, and then has none under way beside
// another.
void Emitter::emitBegin(phog::BeginOp op) {
  for (auto [value, result] : llvm::zip(op.getValues(), op.getResults())) {
    Regs own;
    for (Reg r : regs(value)) {
      auto *fn = FunctionType::get(r->getType(), {r->getType()}, false);
      own.push_back(b.CreateCall(InlineAsm::get(fn, "mov.b32 $0, $1;", "=f,f", true), {r}));
    }
    setRegs(result, own);
  }
}

// Sums that are read after pass through the wait, so that none is read before.
void Emitter::emitSettle(phog::SettleOp op) {
  SmallVector<Reg> all;
  for (mlir::Value v : op.getValues())
    all.append(regs(v).begin(), regs(v).end());
  const std::string wait = "wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";";
  std::string constraints, tied;
  for (size_t k = 0; k < all.size(); ++k) {
    constraints += k ? ",=f" : "=f";
    tied += "," + std::to_string(k);
  }
  if (all.empty()) {
    auto *fn = FunctionType::get(b.getVoidTy(), false);
    b.CreateCall(InlineAsm::get(fn, wait, "~{memory}", true))->addFnAttr(Attribute::Convergent);
    return;
  }
  SmallVector<Type *> types(all.size(), b.getFloatTy());
  auto *fn = FunctionType::get(StructType::get(context, types), types, false);
  CallInst *settled = b.CreateCall(InlineAsm::get(fn, wait, constraints + tied + ",~{memory}", true), all);
  settled->addFnAttr(Attribute::Convergent);
  unsigned at = 0;
  for (auto [value, result] : llvm::zip(op.getValues(), op.getResults())) {
    Regs out;
    for (size_t k = 0; k < regs(value).size(); ++k)
      out.push_back(all.size() == 1 ? settled : b.CreateExtractValue(settled, at++));
    setRegs(result, out);
  }
}

} // namespace phobos::nvptx
