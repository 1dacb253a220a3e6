// The CPU target: tile IR to vector loops, LLVM IR, machine code.
#pragma once
#include "runtime/cpu/CpuAbi.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace mlir {
class ModuleOp;
}
namespace llvm {
class Module;
class LLVMContext;
} // namespace llvm

namespace phobos::cpu {

/// The host by default; a fixed CPU where output must not vary by machine.
struct Options {
  std::string cpu;      ///< empty: the host's
  std::string features; ///< LLVM form, empty: the host's
  unsigned optLevel = 3;
};

struct EntryInfo {
  std::string symbol;        ///< of type CpuEntry
  uint64_t scratchBytes = 0; ///< a thread
};

/// LLVM IR of the module's kernel, unoptimised. `tileModule` has been through the tile pipeline; this runs
/// the CPU's own passes. A legality::IllegalPoint where the rules of list `cpu` do not take it.
llvm::Expected<std::unique_ptr<llvm::Module>> emitLLVM(mlir::ModuleOp tileModule, llvm::LLVMContext &context,
                                                       const Options &options, EntryInfo &info);
/// Says on each product of `tileModule`, which has been through the tile pipeline, the path that it takes
/// here and why not a faster one, as passes/Explain.h reads it.
llvm::Error tellPaths(mlir::ModuleOp tileModule, const Options &options);
void optimize(llvm::Module &module, const Options &options);
llvm::Expected<std::string> emitAssembly(llvm::Module &module, const Options &options);
llvm::Expected<std::string> emitObject(llvm::Module &module, const Options &options);

/// Machine code in this process. Keep it alive while the entry is used.
class JitKernel {
public:
  virtual ~JitKernel() = default;
  virtual CpuEntry entry() const = 0;
  virtual uint64_t scratchBytes() const = 0;
};
llvm::Expected<std::unique_ptr<JitKernel>> compileAndLoad(mlir::ModuleOp tileModule, const Options &options);

} // namespace phobos::cpu
