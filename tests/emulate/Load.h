// Kernels of the GPU target as code of this process.
#pragma once
#include "compiler/target/nvptx/Nvptx.h"
#include "tests/emulate/Rewrite.h"
#include "llvm/Support/Error.h"

namespace llvm {
class LLVMContext;
}

namespace phobos::emulate {

class Loaded {
public:
  virtual ~Loaded() = default;
  virtual llvm::Expected<Machine::Kernel> kernel(const std::string &symbol) = 0;
};

/// Compiles a rewritten module for the host. `program` must live as long as the code.
llvm::Expected<std::unique_ptr<Loaded>> load(std::unique_ptr<llvm::Module> module,
                                             std::unique_ptr<llvm::LLVMContext> context);

} // namespace phobos::emulate
