#include "compiler/driver/Emit.h"
#include "compiler/ir/Build.h"
#include "compiler/passes/Pipeline.h"
#include "compiler/target/cpu/Cpu.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::driver {

bool isKnownTarget(const std::string &target, std::string &error) {
  if (target == "cpu")
    return true;
  error = "target '" + target + "' is not known; this build compiles for cpu";
  return false;
}

static std::string toText(const llvm::Module &m) {
  std::string s;
  llvm::raw_string_ostream(s) << m;
  return s;
}

static Emitted failed(std::string why) {
  Emitted e;
  e.error = std::move(why);
  return e;
}

static Emitted emitCpu(mlir::ModuleOp module, EmitKind kind) {
  llvm::LLVMContext context;
  cpu::EntryInfo info;
  cpu::Options options;
  auto llvmModule = cpu::emitLLVM(module, context, options, info);
  if (!llvmModule)
    return failed(llvm::toString(llvmModule.takeError()));
  if (kind == EmitKind::Llvm)
    return {toText(**llvmModule), {}, {}};
  cpu::optimize(**llvmModule, options);
  auto bytes = kind == EmitKind::Asm ? cpu::emitAssembly(**llvmModule, options) : cpu::emitObject(**llvmModule, options);
  if (!bytes)
    return failed(llvm::toString(bytes.takeError()));
  EntryPoint entry;
  entry.symbol = info.symbol;
  entry.scratchBytes = static_cast<int64_t>(info.scratchBytes);
  return {std::move(*bytes), {entry}, {}};
}

Emitted emit(const sema::TypedKernel &kernel, const SourceManager &sources, const EmitOptions &options) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  std::string failure;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() == mlir::DiagnosticSeverity::Error && failure.empty())
      failure = d.str();
    return mlir::success();
  });
  auto module = ir::build(kernel, context, sources);
  bool ok = static_cast<bool>(module);
  if (ok) {
    passes::PrintOptions print;
    print.afterAll = options.printAfterAll;
    print.after = options.printAfter;
    ok = passes::runTilePipeline(*module, print);
  }
  if (!ok)
    return failed(failure.empty() ? "the tile pipeline failed" : failure);
  if (options.kind == EmitKind::Ir) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, mlir::OpPrintingFlags().enableDebugInfo(false));
    return {text + "\n", {}, {}};
  }
  Emitted out = emitCpu(*module, options.kind);
  if (!out.ok() && !failure.empty())
    out.error = failure;
  return out;
}

} // namespace phobos::driver
