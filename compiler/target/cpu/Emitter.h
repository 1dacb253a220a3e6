// The emitter of one kernel: walks the tile IR in order and writes LLVM IR. Each operation group has its own
// file; this header is what they share. Uniform scalars are SSA values, tiles are fused into their consumers
// or lie in scratch (Plan.h).
#pragma once
#include "compiler/ir/Pho.h"
#include "compiler/target/cpu/Plan.h"
#include "compiler/target/cpu/Scratch.h"
#include "compiler/target/cpu/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include <map>

namespace phobos::cpu {

/// A tensor argument; read once at the kernel's start.
struct View {
  llvm::Value *data = nullptr;
  llvm::SmallVector<llvm::Value *, 5> strides; ///< in elements
  mlir::Type elem;
};

/// Where an access of a tensor goes, computed where the operation stands.
struct Access {
  llvm::Value *base = nullptr;      ///< address of element (0, 0) of the tile; may lie outside the tensor
  llvm::Value *rowStride = nullptr; ///< in elements
  llvm::Value *colStride = nullptr; ///< null: 1
  llvm::Type *elem = nullptr;       ///< as memory holds it
  TileShape shape;
  llvm::Value *pointsInside = nullptr; ///< i1; null: always
  /// Per tile axis: start and extent where the axis may leave the tensor, else null.
  llvm::Value *rowStart = nullptr, *rowExtent = nullptr, *colStart = nullptr, *colExtent = nullptr;
  llvm::Value *whole = nullptr; ///< i1: no element is outside; null: always
};

class KernelEmitter {
public:
  KernelEmitter(mlir::func::FuncOp kernel, llvm::Module &module, const TargetInfo &target);

  /// Writes the entry function; an error for what the target does not do.
  llvm::Error run(llvm::StringRef symbol);
  uint64_t scratchBytes() const { return scratch_.totalBytes(); }
  /// How a product is computed, and what keeps it from the processor's fastest way; the latter may be empty.
  std::pair<std::string, std::string> pathOf(pho::DotOp op);

private:
  using Body = llvm::function_ref<void(const At &)>;

  // EmitLLVM.cpp: the function, its arguments, the loop over blocks.
  void emitArguments(llvm::Value *launch);
  void emitBlockLoop(llvm::Value *first, llvm::Value *last);

  // Control.cpp: operations in order and structured control flow.
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation &op);
  void emitScalarOperation(mlir::Operation &op);
  void emitFor(mlir::scf::ForOp loop);
  void emitWhile(mlir::scf::WhileOp loop);
  void emitIf(mlir::scf::IfOp branch);
  void releaseAfter(mlir::Operation &op);
  void releaseLocals(mlir::Block &block);
  llvm::Value *tripCount(llvm::Value *lower, llvm::Value *upper, llvm::Value *step);
  llvm::Value *laneTripCount(llvm::Value *lower, llvm::Value *upper, llvm::Value *step, unsigned lanes);

  // Lanes.cpp: control flow that differs between threads, under masks.
  void emitDivergentFor(mlir::scf::ForOp loop);
  void emitDivergentWhile(mlir::scf::WhileOp loop);
  void emitDivergentIf(mlir::scf::IfOp branch);
  /// The active threads at `at`, or null where all are.
  llvm::Value *activeAt(const At &at);
  llvm::Value *anyActive(const Buffer &mask);
  Buffer newMask(llvm::function_ref<llvm::Value *(const At &)> value);
  void underMask(const Buffer &mask, llvm::function_ref<void()> body);
  void eachThread(llvm::function_ref<void(const At &)> body);

  // Assign.cpp: tiles that control flow carries.
  /// Evaluates `values` into `targets` as if at once; under the active mask if `masked`.
  void assignTiles(llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<Buffer> targets, bool masked);
  /// Storage for a loop's tile: the initial value's own if nothing else reads it later, else a copy of it.
  Buffer takeInitial(mlir::Value initial, mlir::Value carried, mlir::Operation *loop);
  void copyInto(const Buffer &target, mlir::Value value, bool masked = false);

  // Loops.cpp
  void forLoop(llvm::Value *lower, llvm::Value *upper, int64_t step,
               llvm::function_ref<void(llvm::Value *)> body, unsigned unroll = 0);
  /// As forLoop, carrying values from one round to the next.
  llvm::SmallVector<llvm::Value *> foldLoop(
      llvm::Value *lower, llvm::Value *upper, int64_t step, llvm::ArrayRef<llvm::Value *> init,
      llvm::function_ref<llvm::SmallVector<llvm::Value *>(llvm::Value *, llvm::ArrayRef<llvm::Value *>)> body,
      unsigned unroll = 0);
  void ifThen(llvm::Value *condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);
  llvm::Value *ifValue(llvm::Value *condition, llvm::function_ref<llvm::Value *()> then,
                       llvm::function_ref<llvm::Value *()> otherwise);
  /// Every element once, a vector at a time.
  void tileLoop(TileShape shape, Body body, bool whole = false);
  /// `body(whole)` for the loop over tiles that read `exprs`: once if no access can leave its tensor, else
  /// twice, behind a test.
  void versioned(llvm::ArrayRef<mlir::Value> exprs, llvm::Value *alsoWhole,
                 llvm::function_ref<void(bool)> body);
  llvm::Value *wholeAccesses(llvm::ArrayRef<mlir::Value> exprs);
  unsigned lanesFor(TileShape shape) const;
  At first(TileShape shape) const;

  // Buffers.cpp
  Buffer newBuffer(TileShape shape, llvm::Type *elem);
  Buffer newBuffer(mlir::Value v) { return newBuffer(plan_.shapeOf(v), memoryType(v)); }
  Buffer unowned(TileShape shape, llvm::Type *elem, llvm::Value *base, int64_t rowStride);
  void bind(mlir::Value v, const Buffer &buffer) { buffers_[v] = buffer; }
  void release(const Buffer &buffer);
  llvm::Value *address(const Buffer &buffer, llvm::Value *i, llvm::Value *j);
  llvm::Value *loadFrom(const Buffer &buffer, const At &at);
  void storeTo(const Buffer &buffer, const At &at, llvm::Value *value, llvm::Value *mask = nullptr,
               bool exact = false);
  /// Storage for the result of `op`, in place of a loop-carried tile that dies here if that can be.
  Buffer resultBuffer(mlir::Value result);

  // Evaluate.cpp
  llvm::Value *evaluate(mlir::Value v, const At &at);
  llvm::Value *evaluateFused(mlir::Operation *op, const At &at);
  llvm::Value *scalar(mlir::Value v);
  /// Fills `target` with `v`, which may be target's own value.
  void materialise(mlir::Value v, const Buffer &target);
  llvm::Value *evaluateBroadcast(mlir::Value source, const At &at);

  // Elementwise.cpp
  llvm::Value *emitElementwise(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> args, unsigned lanes);
  llvm::Value *emitConstant(mlir::TypedAttr value, unsigned lanes);

  // Memory.cpp
  Access &accessOf(mlir::Operation *op);
  Access computeAccess(mlir::Value view, mlir::ValueRange starts, mlir::ValueRange extents,
                       llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<bool> points,
                       llvm::ArrayRef<bool> inBounds, TileShape shape);
  llvm::Value *insideMask(const Access &access, const At &at);
  llvm::Value *addressOf(const Access &access, const At &at);
  /// Elements between neighbouring lanes; null: 1.
  llvm::Value *laneStride(const Access &access, const At &at);
  llvm::Value *loadAt(pho::LoadOp load, const At &at);
  llvm::Value *emitScalarLoad(pho::LoadOp load);
  void emitStore(pho::StoreOp store);
  void emitTileStore(pho::StoreOp store);
  llvm::Value *streams(pho::StoreOp store, const Access &access);
  void storeAt(const Access &access, const At &at, llvm::Value *value, llvm::Value *mask, bool streaming);

  // PerThread.cpp: gathers, scatters and atomics.
  struct Place {
    llvm::Value *offset = nullptr; ///< in elements from the tensor's start
    llvm::Value *inside = nullptr; ///< null: always
  };
  Place placeAt(mlir::Value view, mlir::ValueRange starts, mlir::ValueRange extents,
                llvm::ArrayRef<bool> inBounds, const At &at);
  void emitGather(pho::LoadOp load);
  void emitThreadStore(pho::StoreOp store);
  void emitAtomic(pho::AtomicOp atomic);
  llvm::Value *emitAtomicAt(pho::AtomicOp atomic, llvm::Value *address, llvm::ArrayRef<llvm::Value *> values);

  // Reduce.cpp, ArgReduce.cpp, Scan.cpp, Shape.cpp, Dot.cpp
  void emitReduce(pho::ReduceOp op);
  void emitReduction(pho::ReduceOp op);
  bool isReducedNext(mlir::Operation &op);
  llvm::Value *evaluateReduced(mlir::Value value, const At &at);
  llvm::Value *reduceLine(pho::ReduceOp op, At at, int64_t length);
  llvm::Value *reduceExtreme(pho::ReduceOp op, At at, int64_t length);
  void reduceColumns(pho::ReduceOp op, const Buffer &result, bool whole);
  void emitArgReduce(pho::ArgReduceOp op);
  llvm::Value *beats(pho::ArgReduceOp op, llvm::Value *x, llvm::Value *best);
  llvm::Value *argReduceRow(pho::ArgReduceOp op, At at,
                            llvm::function_ref<llvm::Value *(const At &)> element);
  void emitScan(pho::ScanOp op);
  llvm::Value *scanLanes(pho::ScanOp op, llvm::Value *v, unsigned lanes);
  llvm::Value *combine(pho::ReduceKind kind, mlir::Type elem, bool isUnsigned, llvm::Value *x,
                       llvm::Value *y);
  llvm::Value *identity(pho::ReduceKind kind, mlir::Type elem, bool isUnsigned, unsigned lanes);
  llvm::Value *reduceLanes(pho::ReduceKind kind, mlir::Type elem, bool isUnsigned, llvm::Value *v);
  llvm::Value *validMask(const At &at);
  void emitReshape(pho::ReshapeOp op);
  void emitTranspose(pho::TransposeOp op);
  void copyPart(mlir::Value value, const Buffer &target, int64_t row, int64_t col);
  void emitCat(pho::CatOp op);
  void emitInsertSlice(pho::InsertSliceOp op);
  void emitExtract(pho::ExtractOp op);
  void emitTable(mlir::arith::ConstantOp constant);
  void copyTransposed(TileShape shape, llvm::function_ref<llvm::Value *(At)> source, const Buffer &target);

  // Dot.cpp, MicroKernel.cpp
  /// An operand of a product as the micro-kernel reads it: element (x, k) at base + x * stride + k * strideK.
  struct Panel {
    llvm::Value *base = nullptr;
    int64_t stride = 0, strideK = 0;
  };
  /// How the products of one type are computed.
  struct DotKind {
    llvm::Type *panel = nullptr, *acc = nullptr; ///< element types of the operands as packed, and of the sum
    ScalarType from = ScalarType::F32, to = ScalarType::F32;
    unsigned lanes = 1;
    bool isPaired = false; ///< i8: two neighbours of k in one 32-bit lane
  };
  void emitDot(pho::DotOp op);
  DotKind dotKind(pho::DotOp op);
  Panel packLeft(mlir::Value a, bool isTransposed, const DotKind &kind, llvm::SmallVectorImpl<Buffer> &owned);
  Panel packRight(mlir::Value b, bool isTransposed, const DotKind &kind,
                  llvm::SmallVectorImpl<Buffer> &owned);
  Buffer packRows(mlir::Value v, int64_t cols, const DotKind &kind);
  Buffer packPairs(mlir::Value v, const DotKind &kind);
  Buffer packTransposed(mlir::Value v, int64_t cols, const DotKind &kind);
  Buffer dotResult(pho::DotOp op);
  void multiply(const Panel &a, const Panel &b, const Buffer &acc, int64_t k, const DotKind &kind,
                bool fromZero);
  void microKernel(const Panel &a, const Panel &b, const Buffer &acc, int64_t k, const DotKind &kind,
                   bool fromZero, llvm::Value *row, llvm::Value *col, unsigned rows, unsigned vectors);
  llvm::Value *multiplyAdd(llvm::Value *a, llvm::Value *b, llvm::Value *acc, const DotKind &kind);

  // Types.cpp
  llvm::Type *valueType(mlir::Type t);
  llvm::Type *valueType(mlir::Value v) { return valueType(v.getType()); }
  llvm::Type *memoryType(mlir::Value v);
  llvm::Type *vectorOf(llvm::Type *t, unsigned lanes);
  llvm::Value *splat(llvm::Value *v, unsigned lanes);
  llvm::Value *toMemory(llvm::Value *v);
  llvm::Value *fromMemory(llvm::Value *v, bool isBool);
  llvm::Value *i64(int64_t v) { return builder_.getInt64(static_cast<uint64_t>(v)); }
  llvm::Value *plus(llvm::Value *v, int64_t n) { return n ? builder_.CreateAdd(v, i64(n)) : v; }
  llvm::Value *laneIndex(unsigned lanes);

  mlir::func::FuncOp kernel_;
  llvm::Module &module_;
  llvm::IRBuilder<> builder_;
  const TargetInfo &target_;
  Plan plan_;
  Scratch scratch_;
  llvm::Function *function_ = nullptr;
  llvm::Value *scratchBase_ = nullptr;
  llvm::Value *blockId_[3] = {}, *gridDim_[3] = {};

  llvm::DenseMap<mlir::Value, llvm::Value *> scalars_;
  llvm::DenseMap<mlir::Value, Buffer> buffers_;
  /// Tiles whose storage the reduction that comes next fills while it reads them.
  llvm::DenseMap<mlir::Value, Buffer> pending_;
  llvm::DenseMap<mlir::Value, View> views_;
  llvm::DenseMap<mlir::Operation *, Access> accesses_;
  llvm::DenseSet<mlir::Value> readViews_;
  bool isStreaming_ = false;     ///< some stores go past the caches
  const Buffer *mask_ = nullptr; ///< active threads; null: all

  using EvaluationKey = std::tuple<void *, llvm::Value *, llvm::Value *, unsigned, unsigned>;
  std::map<EvaluationKey, llvm::Value *> evaluated_; ///< within one round of a loop's body
  std::string error_;
};

/// The element type of a scalar or tile.
mlir::Type elementType(mlir::Type t);
mlir::Type elementType(mlir::Value v);
ScalarType scalarTypeOf(mlir::Type elem, bool isUnsigned);

} // namespace phobos::cpu
