#include "tests/fuzz/Lowering.h"
#include "compiler/driver/Lower.h"
#include "compiler/target/cpu/Cpu.h"
#include "compiler/target/nvptx/Nvptx.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <chrono>
#include <optional>

namespace phobos::test {

namespace {

int64_t tileElements(const sema::TypedKernel &kernel) {
  int64_t sum = 0;
  for (const sema::Expr &e : kernel.exprs)
    if (e.type.isTile())
      sum += std::min(e.type.elements(), kMaxFuzzedElements + 1);
  return sum;
}

/// Messages by which a phase says that an earlier one of the compiler failed, not the program.
bool blamesCompiler(const std::string &text) {
  for (const char *part : {"invalid LLVM IR", "malformed", "no kernel", "pipeline failed", "' op ", "'pho.",
                           "'phog.", "'scf.", "'arith.", "'func."})
    if (text.find(part) != std::string::npos)
      return true;
  return false;
}

} // namespace

/// Attributes and types stay in a context for good, so it is renewed now and then.
struct Lowering::State {
  std::optional<mlir::MLIRContext> context;
  unsigned used = 0;

  mlir::MLIRContext &get() {
    if (!context || ++used % 64 == 0)
      context.emplace(mlir::MLIRContext::Threading::DISABLED);
    return *context;
  }
};

Lowering::Lowering(unsigned every) : state_(std::make_unique<State>()), every_(every) {}
Lowering::~Lowering() = default;

std::string Lowering::run(const sema::TypedKernel &kernel, const SourceManager &sources) {
  if (tileElements(kernel) > kMaxFuzzedElements) {
    ++counts_.tooLarge;
    return "";
  }
  mlir::MLIRContext &context = state_->get();
  Diagnostics diags;
  auto module = driver::lower(kernel, sources, "cpu", context, diags);
  ++counts_.tileIr;
  if (!module) {
    ++counts_.refused;
    for (const Diagnostic &d : diags.all())
      if (d.id == diag::LoweringFailed)
        return "lowering: " + d.message + "\n";
    return diags.hasErrors() ? "" : "no tile IR and no error\n";
  }
  driver::FirstError first(context);
  auto failed = [&](llvm::Error error, const char *target) -> std::string {
    ++counts_.refused;
    Diagnostics own;
    driver::reportTargetError(std::move(error), first, kernel, target, own);
    for (const Diagnostic &d : own.all())
      counts_.refusals.insert(d.message.substr(d.message.rfind(": ") + 1));
    for (const Diagnostic &d : own.all())
      if (d.id == diag::LoweringFailed && blamesCompiler(d.message))
        return d.message + "\n";
    return own.hasErrors() ? "" : std::string(target) + ": no code and no error\n";
  };
  std::string wrong;
  if (counts_.tileIr % every_ == 0) {
    ++counts_.cpu;
    llvm::LLVMContext llvmContext;
    cpu::Options options;
    options.cpu = "x86-64-v3"; // the same on every machine
    cpu::EntryInfo info;
    auto code = cpu::emitLLVM(*module, llvmContext, options, info);
    if (!code)
      wrong += failed(code.takeError(), "cpu");
  }
  if (counts_.tileIr % every_ == every_ / 2) {
    ++counts_.nvptx;
    llvm::LLVMContext llvmContext;
    nvptx::EntryInfo info;
    auto code = nvptx::emitLLVM(*module, llvmContext, {}, info);
    if (!code)
      wrong += failed(code.takeError(), "sm_80");
  }
  return wrong;
}

} // namespace phobos::test
