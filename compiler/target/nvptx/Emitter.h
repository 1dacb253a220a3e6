// Target IR to LLVM IR, one operation at a time. A scalar is one value a thread; a tile is its registers, in
// the order of its layout. Each group of operations has its file (EmitControl, EmitGrid, EmitElementwise,
// EmitMemory, EmitAtomic, EmitMove, EmitReduce, EmitDot, EmitWgmma, EmitCopy, EmitCombine, EmitRoles).
#pragma once
#include "compiler/target/common/Scalar.h"
#include "compiler/target/nvptx/Passes.h"
#include "compiler/target/nvptx/Phog.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include <functional>
#include <map>

namespace phobos::nvptx {

using Reg = llvm::Value *;
using Regs = llvm::SmallVector<llvm::Value *, 1>;

/// A tensor parameter: address and strides in elements (the last is the constant 1).
struct TensorView {
  Reg data = nullptr;
  llvm::SmallVector<Reg, 5> strides;
  llvm::SmallVector<Reg, 5>
      steps; ///< the strides in bytes, zext of an i32, where the entry may lean on kNarrowStride
};

/// A dynamic coordinate pair, i32.
struct Coords {
  Reg i = nullptr, j = nullptr;
};

class Emitter {
public:
  Emitter(llvm::Module &module, const Target &target, unsigned ptxVersion, llvm::DIBuilder *debug,
          llvm::DIFile *file);
  /// The function of one entry point; false with a message if something cannot be emitted.
  bool emitKernel(mlir::func::FuncOp func, const std::string &symbol, bool nativeGrid, std::string &error);

private:
  // EmitControl.cpp
  void emitBlock(mlir::Block &block);
  void emit(mlir::Operation *op);
  void emitFor(mlir::scf::ForOp op);
  void emitWhile(mlir::scf::WhileOp op);
  void emitIf(mlir::scf::IfOp op);
  void leave();
  void setLocation(mlir::Location loc);
  llvm::BasicBlock *newBlock(const char *name);
  /// Runs `then` where `condition` holds.
  void when(Reg condition, const std::function<void()> &then);
  /// Values of one of two ways.
  Regs either(Reg condition, const std::function<Regs()> &then, const std::function<Regs()> &otherwise);

  // EmitGrid.cpp
  void emitGrid(bool nativeGrid, bool persistent, int64_t parts, llvm::ArrayRef<Reg> extents);
  void groupBlocks(int64_t group, int64_t rowAxis, int64_t colAxis);

  // EmitElementwise.cpp
  bool emitElementwise(mlir::Operation *op);
  Reg scalarOp(mlir::Operation *op, llvm::ArrayRef<Reg> args);
  Reg constantOf(mlir::Type type, mlir::Attribute value);
  Reg mathOp(pho::MathOp op, llvm::ArrayRef<Reg> args);
  void emitConstant(mlir::Operation *op);
  void emitBroadcast(pho::BroadcastOp op);
  void emitIota(pho::IotaOp op);

  // EmitMemory.cpp
  struct Access;
  Access accessOf(mlir::Value view, mlir::ValueRange starts, mlir::ValueRange extents,
                  llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<bool> points, llvm::ArrayRef<bool> inBounds,
                  mlir::Type tile);
  Access accessOf(pho::LoadOp op);
  void emitLoad(pho::LoadOp op);
  /// The elements of the slice that the thread holds in `layout`, moved by `part`, as memory has them.
  /// `isWhole`: all lie inside the tensor.
  Regs loadTile(const Access &a, const Layout &layout, const Coord &part, llvm::Type *memory, Reg fill,
                bool isWhole);
  void emitStore(pho::StoreOp op);
  Reg predicatedLoad(Reg predicate, Reg address, llvm::Type *type, Reg fallback);
  void predicatedStore(Reg predicate, Reg address, Reg value);
  Reg insideOf(const Access &access, int axis, Reg coordinate);
  /// The offsets along an axis, from the thread's corner on, that lie inside the tensor: those for which
  /// first + offset < span, unsigned; no span: all.
  struct Bounds {
    Reg first = nullptr, span = nullptr;
  };
  Bounds boundsOf(const Access &access, int axis, Reg first);
  Reg isInside(const Bounds &bounds, int64_t offset);
  /// The same value, of which the optimiser knows nothing: it is computed where it stands.
  Reg opaque(Reg v);
  /// A coordinate for the addresses of a product's operands in shared memory.
  Reg ownAddresses(Reg v);
  Access withOwnSteps(Access a);
  Reg narrowStep(Reg stride, int64_t bytes);
  Reg stepsOf(const Access &access, int axis, Reg coordinate); ///< bytes from coordinate 0
  Reg addressOf(const Access &access, Reg i, Reg j);

  // EmitAtomic.cpp
  void emitAtomic(pho::AtomicOp op);
  /// Each gives the element's old value.
  Reg atomicAt(pho::AtomicOp op, Reg address, llvm::ArrayRef<Reg> values);
  Reg addedF32(Reg address, Reg x);
  Reg exchanged(Reg address, llvm::Type *type, const std::function<Reg(Reg)> &nextOf);
  llvm::SyncScope::ID deviceScope();

  // EmitMove.cpp: tiles through registers and shared memory
  struct SharedTile;
  void emitConvert(phog::ConvertOp op);
  void emitReshape(pho::ReshapeOp op);
  void emitPieces(mlir::Operation *op);
  void emitExtract(pho::ExtractOp op);
  void emitStoreShared(phog::StoreSharedOp op);
  /// `base`: the thread's base coordinates, where they are not to be the kernel's.
  void writeShared(const SharedTile &to, const Layout &layout, llvm::ArrayRef<Reg> regs, mlir::Type elem,
                   Coord offset, Coords base = {});
  /// Elements of 8 or 16 bits as words of 32, four or two in each, in their order, where operands pass
  /// through registers; and a tile like `like` again.
  Regs packed(const Regs &r);
  Regs unpacked(const Regs &words, const Regs &like);
  Regs readShared(const SharedTile &from, const Layout &layout, mlir::Type elem, Coord offset);
  Reg sharedAddress(int64_t offset);
  Reg tileAddress(const SharedTile &tile, Reg i, Reg j);

  // EmitReduce.cpp
  using Combine = std::function<Regs(llvm::ArrayRef<Reg>, llvm::ArrayRef<Reg>)>;
  void emitReduce(pho::ReduceOp op);
  void emitArgReduce(pho::ArgReduceOp op);
  void emitScan(pho::ScanOp op);
  std::vector<Regs> reduceAxes(const Layout &layout, std::vector<Regs> items, bool axes[2],
                               llvm::ArrayRef<mlir::Type> elems, const Combine &combine, int64_t scratch);
  Reg reductionOf(pho::ReduceKind kind, bool isUnsigned, Reg a, Reg b);
  Reg identityOf(pho::ReduceKind kind, bool isUnsigned, mlir::Type elem);
  Reg shuffleXor(Reg value, int64_t laneMask);

  // EmitDot.cpp, EmitWgmma.cpp, EmitCopy.cpp, EmitCombine.cpp
  void emitDot(phog::DotOp op);
  Regs emitFma(phog::DotOp op);
  Regs emitMma(phog::DotOp op);
  Regs emitWgmma(phog::DotOp op);
  void emitBegin(phog::BeginOp op);
  void emitSettle(phog::SettleOp op);
  void emitCopyAsync(phog::CopyAsyncOp op);
  void emitCombineParts(phog::CombinePartsOp op);

  // EmitRoles.cpp
  /// `emitBlocks`: the places in the grid that a block works at.
  void emitProducers(mlir::func::FuncOp func, const std::function<void()> &emitBlocks);
  void emitRoles(phog::RolesOp op);
  void emitAwait(phog::AwaitOp op);
  void emitSignal(phog::SignalOp op);
  void eachSignal(phog::RolesOp op, const std::function<void(Reg address, bool isFull)> &then);
  void makeReady(phog::RolesOp op); ///< its signals
  Reg signalAddress(mlir::Value signals, bool isFull, Reg stage);
  /// All threads that do the kernel's work; where there are no roles, all of the block.
  void barrier();
  Reg barrierOr(Reg condition); ///< a barrier; whether the condition holds for any of them
  void meetAll();               ///< of every role
  void endRound();              ///< of a persistent block

  // values
  Regs &regs(mlir::Value v);
  Reg scalar(mlir::Value v) { return regs(v)[0]; }
  void setRegs(mlir::Value v, Regs r) { values[v] = std::move(r); }
  llvm::Type *typeOf(mlir::Type elem);       ///< as a value
  llvm::Type *memoryTypeOf(mlir::Type elem); ///< bool as a byte
  Reg toMemory(Reg value, mlir::Type elem);
  Reg fromMemory(Reg value, mlir::Type elem);
  /// The base coordinates of the thread, computed once at the kernel's start.
  Coords baseOf(const Layout &layout);
  /// Holds for the one thread, of those with copies of the same elements, that writes them; null if there are
  /// no copies.
  Reg isFirstCopy(const Layout &layout);
  Reg digits(const Modes &modes, Reg number, int axis);
  Reg inside(const Layout &layout, Coords at); ///< not padding; null if there is none
  Reg i32(int64_t v) { return b.getInt32(static_cast<uint32_t>(v)); }
  Reg i64(int64_t v) { return b.getInt64(static_cast<uint64_t>(v)); }
  Reg andOf(Reg a, Reg c) { return !a ? c : !c ? a : b.CreateAnd(a, c); }
  Reg plus(Reg a, int64_t c) {
    return c == 0 ? a : b.CreateAdd(a, llvm::ConstantInt::get(a->getType(), static_cast<uint64_t>(c), true));
  }
  Reg nvvm(llvm::Intrinsic::ID id, llvm::ArrayRef<Reg> args, llvm::ArrayRef<llvm::Type *> types = {}) {
    return b.CreateIntrinsic(id, types, args);
  }
  int64_t scratchOf(mlir::Operation *op);
  bool fail(mlir::Operation *op, const std::string &what);

  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> b;
  Target target;
  target::ScalarTarget scalarTarget;
  llvm::DIBuilder *debug;
  llvm::DIFile *file;
  llvm::DISubprogram *subprogram = nullptr;
  llvm::Function *function = nullptr;
  llvm::GlobalVariable *shared = nullptr;
  llvm::Instruction *entryEnd = nullptr; ///< what is computed once goes before it
  int64_t helpers = 0;                   ///< threads of other roles, numbered after the workers
  bool isProducing = false;
  Reg thread = nullptr, lane = nullptr, warp = nullptr;
  Reg blockIds[3] = {}, gridDims[3] = {};
  Reg blockNumber = nullptr;                  ///< x fastest, as the grid has them
  Reg partOfK = nullptr, workspace = nullptr; ///< of a kernel in parts
  llvm::BasicBlock *returnTo = nullptr;       ///< where a persistent block goes for its next round
  llvm::DenseMap<mlir::Value, Regs> values;
  llvm::DenseMap<mlir::Value, TensorView> views;
  std::map<std::string, Coords> bases;
  std::map<std::string, Reg> firstCopies;
  std::string error;
};

} // namespace phobos::nvptx
