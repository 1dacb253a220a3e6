#include "compiler/driver/Emit.h"
#include "compiler/driver/EmitGpu.h"
#include "compiler/driver/Lower.h"
#include "compiler/passes/Explain.h"
#include "compiler/sema/TreeWalk.h"
#include "compiler/target/common/ShortPipeline.h"
#include "compiler/target/cpu/Cpu.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::driver {

bool isKnownTarget(const std::string &target, std::string &error) {
  if (target == "cpu" || isGpuTarget(target))
    return true;
  error =
      "target '" + target +
      "' is not known; this build compiles for cpu, and for GPUs as sm_75, sm_80, sm_89, sm_90a and the like";
  return false;
}

namespace {

std::string toText(const llvm::Module &m) {
  std::string s;
  llvm::raw_string_ostream(s) << m;
  return s;
}

std::string toText(mlir::ModuleOp m) {
  std::string s;
  llvm::raw_string_ostream os(s);
  m.print(os, mlir::OpPrintingFlags().enableDebugInfo(false));
  return s + "\n";
}

/// Dots and loops as they were written: what the module no longer holds was folded away.
class Written final : public sema::TreeWalk {
public:
  explicit Written(const SourceManager &sources) : sources_(sources) {}
  std::vector<passes::Explanation> found;

private:
  using Kind = passes::Explanation::Kind;
  void onStatement(const sema::Stmt &s) override {
    if (s.kind == sema::Stmt::Kind::For || s.kind == sema::Stmt::Kind::While)
      add(Kind::Loop, s.range, s.kind == sema::Stmt::Kind::For ? "for" : "while");
  }
  void onExpr(const sema::Expr &e) override {
    if (e.op == sema::Op::Dot)
      add(Kind::Dot, e.range, "dot");
  }
  void add(Kind kind, SourceRange range, const char *what) {
    if (!range.isValid())
      return;
    const SourceFile &file = sources_.file(range.file);
    LineColumn at = file.lineColumn(range.begin);
    passes::Explanation e{kind, {file.name(), at.line, at.column}, what, {}};
    for (const passes::Explanation &o : found)
      if (o.kind == kind && o.place == e.place)
        return;
    found.push_back(std::move(e));
  }
  const SourceManager &sources_;
};

constexpr const char *kNotOptimized = "    larger than any kernel written by hand: compiled by a few quick "
                                      "passes, to slower code that gives the "
                                      "same results (docs/tuning.md, \"Very large kernels\")\n";

std::string explanation(const sema::TypedKernel &kernel, const SourceManager &sources,
                        mlir::ModuleOp module) {
  std::vector<passes::Explanation> list = passes::explain(module);
  Written written(sources);
  written.block(kernel.body);
  for (passes::Explanation &w : written.found) {
    bool kept = false;
    for (const passes::Explanation &e : list)
      kept |= e.kind == w.kind && e.place == w.place;
    if (kept)
      continue;
    w.details.push_back(
        w.kind == passes::Explanation::Kind::Dot
            ? "gone: nothing that is stored depends on it, or it is never reached at this point"
            : "gone: at this point it runs at most once, or does nothing that is stored");
    list.push_back(std::move(w));
  }
  if (list.empty())
    return "    no dot and no loop: each block computes its tiles once, in straight code\n";
  return passes::renderText(list);
}

/// What can fail in a target says why; `emit` makes a diagnostic of it.
llvm::Expected<Emitted> emitCpu(mlir::ModuleOp module, EmitKind kind) {
  if (kind == EmitKind::TargetIr)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the CPU target has no IR of its own between the tile IR and LLVM IR");
  llvm::LLVMContext context;
  cpu::EntryInfo info;
  cpu::Options options;
  auto llvmModule = cpu::emitLLVM(module, context, options, info);
  if (!llvmModule)
    return llvmModule.takeError();
  if (kind == EmitKind::Llvm)
    return Emitted{toText(**llvmModule), {}};
  if (kind == EmitKind::Explanation)
    return Emitted{"", {}, common::isTooLargeToOptimize(**llvmModule, common::kLargestCpu)};
  cpu::optimize(**llvmModule, options);
  auto bytes = kind == EmitKind::Asm ? cpu::emitAssembly(**llvmModule, options)
                                     : cpu::emitObject(**llvmModule, options);
  if (!bytes)
    return bytes.takeError();
  EntryPoint entry;
  entry.symbol = info.symbol;
  entry.scratchBytes = static_cast<int64_t>(info.scratchBytes);
  return Emitted{std::move(*bytes), {entry}};
}

/// As far as each target asks its last rule.
bool judgeLowered(mlir::ModuleOp module, const sema::TypedKernel &kernel, EmitOptions options,
                  const FirstError &first, Diagnostics &diags) {
  options.kind = EmitKind::TargetIr;
  auto judged = isGpuTarget(options.target) ? emitGpu(module, options) : emitCpu(module, EmitKind::Llvm);
  if (judged)
    return true;
  reportTargetError(judged.takeError(), first, kernel, options.target, diags);
  return false;
}

} // namespace

bool judge(const sema::TypedKernel &kernel, const SourceManager &sources, const EmitOptions &options,
           Diagnostics &diags) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = lower(kernel, sources, options.target, context, diags);
  FirstError first(context);
  return module && judgeLowered(*module, kernel, options, first, diags);
}

std::optional<Emitted> emit(const sema::TypedKernel &kernel, const SourceManager &sources,
                            const EmitOptions &options, Diagnostics &diags) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  passes::PrintOptions print;
  print.afterAll = options.printAfterAll;
  print.after = options.printAfter;
  auto module = lower(kernel, sources, options.target, context, diags, print);
  if (!module)
    return std::nullopt;
  if (options.kind == EmitKind::Ir)
    return Emitted{toText(*module), {}};
  FirstError first(context);
  if (options.kind == EmitKind::Explanation) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
    auto judged = isGpuTarget(options.target) ? emitGpu(*copy, options) : emitCpu(*copy, options.kind);
    if (!judged) { // what is refused has no paths to explain
      reportTargetError(judged.takeError(), first, kernel, options.target, diags);
      return std::nullopt;
    }
    if (isGpuTarget(options.target))
      tellGpuPaths(*module, options.target);
    else if (auto error = cpu::tellPaths(*module, {})) {
      reportTargetError(std::move(error), first, kernel, options.target, diags);
      return std::nullopt;
    }
    return Emitted{
        (judged->isTooLargeToOptimize ? kNotOptimized : "") + explanation(kernel, sources, *module), {}};
  }
  llvm::Expected<Emitted> out =
      isGpuTarget(options.target) ? emitGpu(*module, options) : emitCpu(*module, options.kind);
  if (out)
    return std::move(*out);
  reportTargetError(out.takeError(), first, kernel, options.target, diags);
  return std::nullopt;
}

} // namespace phobos::driver
