// The register-blocked kernel of products: `rows` x `vectors` accumulators stay in registers over the whole
// depth; each step loads `vectors` vectors of the right operand and one element a row of the left.
#include "compiler/target/cpu/Emitter.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace phobos::cpu {

/// Accumulators, the right operand's vectors and one broadcast element must fit the registers.
static unsigned maxRows(unsigned vectors, unsigned registers) {
  return std::min(16u, (registers - vectors - 1) / vectors);
}

void KernelEmitter::multiply(const Panel &a, const Panel &b, const Buffer &acc, int64_t k,
                             const DotKind &kind, bool fromZero) {
  const int64_t vectorsInRow = (acc.shape.cols + kind.lanes - 1) / kind.lanes;
  /// Rows in nearly equal chunks: `more` of one row more, the rest of `base`.
  auto rows = [&](llvm::Value *col, unsigned vectors) {
    const int64_t most = maxRows(vectors, target_.vectorRegisters);
    const int64_t chunks = (acc.shape.rows + most - 1) / most;
    const int64_t base = acc.shape.rows / chunks, more = acc.shape.rows % chunks;
    auto run = [&](int64_t from, int64_t to, int64_t size) {
      if (from == to)
        return;
      forLoop(
          i64(from), i64(to), size,
          [&](llvm::Value *row) {
            microKernel(a, b, acc, k, kind, fromZero, row, col, static_cast<unsigned>(size), vectors);
          },
          1);
    };
    run(0, more * (base + 1), base + 1);
    run(more * (base + 1), acc.shape.rows, base);
  };
  int64_t done = 0;
  if (vectorsInRow % 2 == 1) { // an odd one goes with its neighbours
    const unsigned vectors = vectorsInRow == 1 ? 1 : 3;
    rows(i64(0), vectors);
    done = vectors;
  }
  if (done < vectorsInRow)
    forLoop(
        i64(done * kind.lanes), i64(vectorsInRow * kind.lanes), 2 * int64_t(kind.lanes),
        [&](llvm::Value *col) { rows(col, 2); }, 1);
}

void KernelEmitter::microKernel(const Panel &a, const Panel &b, const Buffer &acc, int64_t k,
                                const DotKind &kind, bool fromZero, llvm::Value *row, llvm::Value *col,
                                unsigned rows, unsigned vectors) {
  llvm::Type *vector = vectorOf(kind.acc, kind.lanes);
  llvm::Type *right = kind.isPaired ? static_cast<llvm::Type *>(builder_.getInt32Ty()) : kind.panel;
  auto align = [&](llvm::Type *t) { return llvm::Align(module_.getDataLayout().getTypeAllocSize(t)); };
  auto accAddress = [&](unsigned r, unsigned v) {
    return address(acc, plus(row, r), plus(col, int64_t(v) * kind.lanes));
  };
  llvm::SmallVector<llvm::Value *> sums;
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned v = 0; v < vectors; ++v)
      sums.push_back(fromZero ? llvm::Constant::getNullValue(vector)
                              : static_cast<llvm::Value *>(
                                    builder_.CreateAlignedLoad(vector, accAddress(r, v), align(kind.acc))));
  llvm::Value *left = builder_.CreateInBoundsGEP(kind.panel, a.base, builder_.CreateMul(row, i64(a.stride)));
  llvm::Value *top = builder_.CreateInBoundsGEP(right, b.base, col);
  const unsigned unroll = k % 4 == 0 ? 4 : k % 2 == 0 ? 2 : 1;
  sums = foldLoop(
      i64(0), i64(k), 1, sums,
      [&](llvm::Value *step, llvm::ArrayRef<llvm::Value *> carried) {
        llvm::Value *line = builder_.CreateInBoundsGEP(right, top, builder_.CreateMul(step, i64(b.strideK)));
        llvm::SmallVector<llvm::Value *> bs;
        for (unsigned v = 0; v < vectors; ++v)
          bs.push_back(builder_.CreateAlignedLoad(
              vectorOf(right, kind.lanes),
              builder_.CreateConstInBoundsGEP1_64(right, line, uint64_t(v) * kind.lanes), align(right)));
        llvm::Value *column =
            builder_.CreateInBoundsGEP(kind.panel, left, builder_.CreateMul(step, i64(a.strideK)));
        llvm::SmallVector<llvm::Value *> next;
        for (unsigned r = 0; r < rows; ++r) {
          llvm::Value *p =
              builder_.CreateConstInBoundsGEP1_64(kind.panel, column, static_cast<uint64_t>(r * a.stride));
          llvm::Value *x = splat(builder_.CreateAlignedLoad(right, p, align(kind.panel)), kind.lanes);
          for (unsigned v = 0; v < vectors; ++v)
            next.push_back(multiplyAdd(x, bs[v], carried[r * vectors + v], kind));
        }
        return next;
      },
      unroll);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned v = 0; v < vectors; ++v)
      builder_.CreateAlignedStore(sums[r * vectors + v], accAddress(r, v), align(kind.acc));
}

llvm::Value *KernelEmitter::multiplyAdd(llvm::Value *a, llvm::Value *b, llvm::Value *acc,
                                        const DotKind &kind) {
  using namespace llvm::Intrinsic;
  if (kind.acc->isFloatingPointTy()) {
    if (target_.hasAvx2) // has fma
      return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {acc->getType()}, {a, b, acc});
    return builder_.CreateFAdd(builder_.CreateFMul(a, b), acc);
  }
  if (!kind.isPaired)
    return builder_.CreateAdd(builder_.CreateMul(a, b), acc);
  auto call = [&](ID id, llvm::ArrayRef<llvm::Value *> args) {
    llvm::Function *f = getOrInsertDeclaration(&module_, id);
    llvm::SmallVector<llvm::Value *> cast;
    for (auto [value, param] : llvm::zip(args, f->args()))
      cast.push_back(builder_.CreateBitCast(value, param.getType()));
    return builder_.CreateCall(f, cast);
  };
  if (target_.hasVnni)
    return call(kind.lanes == 16  ? x86_avx512_vpdpwssd_512
                : kind.lanes == 8 ? x86_avx512_vpdpwssd_256
                                  : x86_avx512_vpdpwssd_128,
                {acc, a, b});
  const ID id = kind.lanes == 16  ? x86_avx512_pmaddw_d_512
                : kind.lanes == 8 ? x86_avx2_pmadd_wd
                                  : x86_sse2_pmadd_wd;
  return builder_.CreateAdd(call(id, {a, b}), acc);
}

} // namespace phobos::cpu
