#include "compiler/driver/Lower.h"
#include "compiler/ir/Build.h"
#include "compiler/legality/IllegalPoint.h"
#include "compiler/passes/Explain.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace phobos::driver {

FirstError::FirstError(mlir::MLIRContext &context) : context_(context) {
  handler_ = context.getDiagEngine().registerHandler([this](mlir::Diagnostic &d) {
    if (d.getSeverity() == mlir::DiagnosticSeverity::Error && text_.empty())
      text_ = d.str();
    return mlir::success();
  });
}

FirstError::~FirstError() { context_.getDiagEngine().eraseHandler(handler_); }

void reportTargetError(llvm::Error error, const FirstError &first, const sema::TypedKernel &kernel,
                       const std::string &target, Diagnostics &diags) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const legality::IllegalPoint &illegal) {
        diags.report(diag::IllegalPoint, kernel.range, illegal.rule, illegal.reason);
      },
      [&](const llvm::ErrorInfoBase &other) {
        diags.report(diag::LoweringFailed, kernel.range, kernel.name, target,
                     first.text().empty() ? other.message() : first.text());
      });
}

mlir::OwningOpRef<mlir::ModuleOp> lower(const sema::TypedKernel &kernel, const SourceManager &sources,
                                        const std::string &target, mlir::MLIRContext &context,
                                        Diagnostics &diags, const passes::PrintOptions &print) {
  ir::loadDialects(context);
  FirstError first(context);
  auto module = ir::build(kernel, context, sources);
  if (!module || !passes::runTilePipeline(*module, print)) {
    diags.report(diag::LoweringFailed, kernel.range, kernel.name, target,
                 first.text().empty() ? "the tile pipeline failed" : first.text());
    return {};
  }
  if (!passes::checkGemmNames(*module, sources, diags))
    return {};
  return module;
}

} // namespace phobos::driver
