// Typed tree to tile IR.
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Source.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace phobos::ir {

/// Loads pho, func, scf and arith.
void loadDialects(mlir::MLIRContext &context);

/// A module with one `func.func @kernel` whose arguments are the parameters in order (`!pho.view`, or a
/// scalar), then the runtime dimensions (index). Control flow is structured: early exits became flags. Every
/// operation has a FileLineCol location.
///
/// Attributes of the function: pho.kernel (unit), pho.threads (i64, if set), pho.per_thread (unit, if the
/// kernel has per-thread code), pho.min_blocks, pho.max_registers, pho.stages (i64, if set), pho.tensorcore
/// ("f16", "bf16", "tf32"), pho.pipelined, pho.persistent (unit), pho.point (dictionary name -> i64: every
/// declared name and overridden GEMM name). Of an argument: pho.name; of a dimension argument: pho.dim
/// (unit), pho.multiple (i64, from @aligned); of a view: pho.unsigned (unit), pho.written (unit). An
/// operation inside a loop written `for<unroll U>` sits in an scf.for with pho.unroll = U (i64).
mlir::OwningOpRef<mlir::ModuleOp> build(const sema::TypedKernel &kernel, mlir::MLIRContext &context,
                                        const SourceManager &sources);

} // namespace phobos::ir
