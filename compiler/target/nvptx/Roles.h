// Warp roles: in a contraction loop whose products go by wgmma, warps of their own bring the operands,
// running ahead of the warps that multiply in a ring of stages. The two tell each other by mbarriers: a stage
// is full once the copies into it have landed, and empty once the products that read it are done.
#pragma once
#include "compiler/target/nvptx/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace phobos::nvptx {

/// Loops of a kernel that may have roles: each takes a named barrier of the block's sixteen.
inline constexpr int64_t kMostRoles = 12;

/// How a block of `workers` warps is helped. Of one table, measured.
struct RolePlan {
  int64_t producers = 0; ///< warps
  int64_t stages = 0;    ///< of the ring, which needs two
  /// Registers of a thread of each role where they are shared out anew; 0: all have the same.
  int64_t workerRegisters = 0, producerRegisters = 0;
};
/// As many stages as the kernel sets or fit. `producers` and registers are the same for all loops of a
/// kernel. Asked of the tile IR.
RolePlan planRoles(mlir::scf::ForOp loop, const Target &target);
/// How a tile that is an operand of wgmma lies in a stage.
SharedLayout stagedOperand(mlir::Type tile);
/// Registers that a thread of a worker may have, after assignRoles; 255 where there are no other roles.
int64_t workerRegisters(mlir::Operation *func, int64_t workers);

/// Why the loop cannot be shared out among roles; empty if it can: a statement of the kernel itself, in which
/// there is nothing but products of loaded slices into accumulators that nothing else uses, and whose slices
/// and bounds can be computed twice. Asked of the tile IR.
std::string whyNoRoles(mlir::scf::ForOp loop, const Target &target);

/// Makes phog.roles of each loop whose products go by wgmma, after lowerDots.
void assignRoles(mlir::Operation *func, const Plans &plans, const Target &target);

} // namespace phobos::nvptx
