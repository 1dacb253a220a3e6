// Assembles emissions of compiler/target/common for NVIDIA GPUs and looks at what came of them; no GPU is
// needed.
#pragma once
#include "tests/common/HostJit.h"
#include <optional>

namespace phobos::testing {

struct PtxKernel {
  std::string name;
  std::vector<ScalarType> in;
  ScalarType out;
  std::function<llvm::Value *(llvm::IRBuilderBase &, llvm::ArrayRef<llvm::Value *>)> emit;
};

/// PTX for `cpu` ("sm_80") with one kernel each: out[i] = emit(in[0][i], ..).
std::string emitPtx(const std::vector<PtxKernel> &kernels, const std::string &cpu);

/// PTX for `cpu` of what `fill` puts into a module.
std::string ptxOf(const std::string &cpu, llvm::function_ref<void(llvm::Module &)> fill);

/// The path of ptxas, if this machine has one.
std::optional<std::string> findPtxas();

/// What is wrong with it: ptxas' errors, spills, calls. Empty if nothing is.
std::string assemblePtx(const std::string &ptx, const std::string &cpu);

} // namespace phobos::testing
