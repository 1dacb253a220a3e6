// A typed kernel to tile IR that has been through the tile pipeline: what every target starts from.
#pragma once
#include "compiler/passes/Pipeline.h"
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace phobos::driver {

/// Null with errors in `diags`: what the pipeline found (E0907, for `target`), or GEMM names that disagree
/// with the loop (E0802).
mlir::OwningOpRef<mlir::ModuleOp> lower(const sema::TypedKernel &kernel, const SourceManager &sources,
                                        const std::string &target, mlir::MLIRContext &context,
                                        Diagnostics &diags, const passes::PrintOptions &print = {});

class FirstError;
/// What a target failed with: E0801 for a point that its rules do not take, else E0907 with what MLIR said
/// first or with the error's own text.
void reportTargetError(llvm::Error error, const FirstError &first, const sema::TypedKernel &kernel,
                       const std::string &target, Diagnostics &diags);

/// Keeps the first error that MLIR reports while it lives, in place of printing it.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext &context);
  ~FirstError();
  const std::string &text() const { return text_; }

private:
  mlir::MLIRContext &context_;
  uint64_t handler_;
  std::string text_;
};

} // namespace phobos::driver
