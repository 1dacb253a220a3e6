// The GPU target: tile IR to PTX.
#pragma once
#include "runtime/contract/GpuAbi.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}
namespace llvm {
class Module;
class LLVMContext;
} // namespace llvm

namespace phobos::nvptx {

struct Options {
  unsigned sm = 80;          ///< 75, 80, 86, 89, 90, ..
  bool archSpecific = false; ///< sm_90a
  unsigned ptxVersion = 0;   ///< 10 * major + minor; 0: the usual one (PtxVersion.h)
  int64_t sharedLimit = 0;   ///< bytes a block may have; 0: what the processor's kind has
  unsigned optLevel = 3;
};

/// Reads `sm_80`, `sm_90a`; false for what is not one.
bool parseProcessor(const std::string &text, Options &options);
/// `sm_90a`
std::string processorName(const Options &options);
int64_t sharedLimitOf(const Options &options);

/// What the launcher needs beside the contract. The parameters' list is the contract's (gpuParams).
struct EntryInfo {
  std::vector<GpuEntry> entries;
  bool persistent = false;
  std::vector<int64_t> tileRegisters; ///< of each entry: registers that its tiles take in a thread
};

/// A module with one function for each entry point, unoptimised. `tileModule` has been through the tile
/// pipeline; it is left as it is.
llvm::Expected<std::unique_ptr<llvm::Module>> emitLLVM(mlir::ModuleOp tileModule, llvm::LLVMContext &context,
                                                       const Options &options, EntryInfo &info);
/// Says on each product of `tileModule`, which has been through the tile pipeline, the path that it takes
/// here and why not a faster one, as passes/Explain.h reads it.
void tellPaths(mlir::ModuleOp tileModule, const Options &options);
/// The target IR of each entry point, as text, after all target passes.
llvm::Expected<std::string> printTargetIR(mlir::ModuleOp tileModule, const Options &options);
void optimize(llvm::Module &module, const Options &options);
llvm::Expected<std::string> emitPtx(llvm::Module &module, const Options &options);

struct Ptx {
  std::string text;
  EntryInfo info;
};
/// All of it.
llvm::Expected<Ptx> emitPtx(mlir::ModuleOp tileModule, const Options &options);

} // namespace phobos::nvptx
