// The GPU's passes, in their order: tile IR -> target IR -> target IR ready for the emitter. Each is a
// function over the kernel.
#pragma once
#include "compiler/target/nvptx/Layout.h"
#include <cstdint>
#include <string>

namespace mlir {
class Operation;
class Type;
class Value;
} // namespace mlir

namespace phobos::nvptx {

struct Plans; ///< DotPlan.h

/// What the passes may use.
struct Target {
  unsigned sm = 80;
  int64_t warps = 4;
  int64_t sharedLimit = 48 * 1024; ///< bytes a block may have (the device's opt-in limit)
  bool aligned = false;      ///< this entry point is launched only with 16-byte aligned tensors and strides
  unsigned ptx = 71;         ///< version of PTX, 10 * major + minor
  bool archSpecific = false; ///< what this processor alone has (sm_90a)
  bool roles = true;         ///< warps may be added for roles of their own
  bool packsLoads = false;   ///< narrow elements of loaded tiles share registers

  /// A product's operands come to shared memory through registers, the next iteration's too. Then registers
  /// are dearer than arithmetic.
  bool passesRegisters() const { return sm < 80 || !aligned; }
};

/// Threads a block runs: what the kernel declares, else by its products and tiles.
int64_t chooseThreads(mlir::Operation *func, unsigned sm);

/// Every tile gets a layout. Tiles that elementwise operations, loops and branches join share one: the layout
/// that the strongest among them asks for (a product's accumulator, a reduction's result, what is broadcast
/// along, else what suits memory). Where an operation needs another layout than its operand's class has, a
/// conversion is placed; constants, coordinates and broadcast scalars are copied to each use, so they never
/// need one.
void assignLayouts(mlir::Operation *func, const Plans &plans, const Target &target);

/// Products' operands go to shared memory: those that are slices of tensors by asynchronous copies where the
/// hardware and the alignment allow, other tiles by plain stores; an operand of mma that registers already
/// hold as mma wants it stays there. Products become phog.dot.
void lowerDots(mlir::Operation *func, const Plans &plans, const Target &target);

/// About how many operations the emitter spells out for one thread: each tile's elements that a thread holds,
/// for each operation on it, and the steps of products. Asked after lowerDots, before anything is emitted.
int64_t unrolledSize(mlir::Operation *func, const Target &target);

/// Copies in a loop that its products read run ahead by stages - 1 iterations, in a ring of buffers, with one
/// barrier an iteration. The stages come from pho.stages (whether they fit is for the rule `shared-memory`),
/// else as many up to four as fit.
void pipelineCopies(mlir::Operation *func, const Target &target);

/// Where an operand of a contraction's product goes through registers (no asynchronous copies, or rows that
/// do not start at multiples of 16 bytes), the loads of the next iteration are begun before this one's
/// product. Only where the kernel's tiles then still fit `registers` of a thread; in the entry that assumes
/// nothing with a register for each element, which it reads one by one.
void prefetchLoads(mlir::Operation *func, int64_t registers, const Target &target);

/// Gives each buffer, and each operation that works through shared memory, its bytes; those not alive
/// together share them. Returns the bytes a block needs.
int64_t allocateShared(mlir::Operation *func);

/// 32-bit registers that a thread's tiles take where most of them live at once, with the operands of a
/// product and the pieces of copies: what is left when addresses and temporaries are not counted. `isApart`:
/// each narrow element of a loaded tile has a register of its own, as the assembler does it unless they are
/// packed (Target::packsLoads).
int64_t tileRegisters(mlir::Operation *func, bool isApart = false);
/// The same with what loads beside other tiles take for themselves, as the rule `tile-registers` judges it.
/// `isWish`: and with what narrow elements take that are read one by one, so that more threads are better.
int64_t registersWithLoads(mlir::Operation *func, const Target &target, bool isWish = false);
/// Those of one tile; 0 for what is not one.
int64_t registersOf(mlir::Value v);

/// Bytes of the workspace that a block of the grid needs for its parts of k; 0: none.
int64_t workspaceBytes(mlir::Operation *func);
/// Of it, what one part has for one tile of this layout.
int64_t partBytes(const Layout &layout, mlir::Type elem, int64_t threads);

/// Places a barrier before each access to bytes of shared memory, or to a tensor that the kernel both reads
/// and writes, that another thread's earlier access conflicts with. Buffers of a pipeline have their own.
void insertBarriers(mlir::Operation *func);

} // namespace phobos::nvptx
