// The GPU side of emit(), in a file of its own because of what it includes.
#pragma once
#include "compiler/driver/Emit.h"
#include "llvm/Support/Error.h"

namespace mlir {
class ModuleOp;
}

namespace phobos::driver {

bool isGpuTarget(const std::string &target);
/// What is compiled for a processor as its driver names it: itself where it is known. One newer than all that
/// are gets the newest of them whose PTX the driver takes (`driverPtx`, 0: any), and carries forward: without
/// the `a`, for an architecture's own features stay there. Empty where there is none.
std::string compiledFor(const std::string &processor, unsigned driverPtx);
/// The sentence that says so; empty where `compiled` is the processor itself.
std::string carriedForward(const std::string &processor, const std::string &compiled);
/// Each product's path and the reason for it, for passes::explain.
void tellGpuPaths(mlir::ModuleOp tileModule, const std::string &target);
/// The version of PTX to write for a GPU target, from `--ptx` as it was written (empty: not given) and, where
/// it is to run here, from the driver and the assembler of this machine. False with the reason.
bool choosePtx(const std::string &target, const std::string &asked, bool runsHere, unsigned &version,
               std::string &error);

/// `tileModule` has been through the tile pipeline. Kinds: TargetIr, Llvm, Asm (PTX), Obj (a cubin, where
/// nvJitLink or ptxas is found).
llvm::Expected<Emitted> emitGpu(mlir::ModuleOp tileModule, const EmitOptions &options);

} // namespace phobos::driver
