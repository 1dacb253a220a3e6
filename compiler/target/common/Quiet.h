// What LLVM's passes say to standard error of their own is not for users: a transformation that a loop's mark
// asked for and that could not be made, say.
#pragma once
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include <memory>

namespace phobos::target {

/// Warnings and remarks of `context` are dropped from here on; errors stay as they are.
inline void silenceWarnings(llvm::LLVMContext &context) {
  struct Quiet : llvm::DiagnosticHandler {
    bool handleDiagnostics(const llvm::DiagnosticInfo &d) override {
      return d.getSeverity() != llvm::DS_Error;
    }
  };
  context.setDiagnosticHandler(std::make_unique<Quiet>());
}

} // namespace phobos::target
