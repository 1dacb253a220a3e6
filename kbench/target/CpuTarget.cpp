// This machine's processor: compiled to an object in a compile worker, loaded without a linker in the device
// worker.
#include "compiler/driver/Lower.h"
#include "compiler/ir/Build.h"
#include "compiler/target/cpu/Cpu.h"
#include "kbench/target/Host.h"
#include "kbench/target/OpenBlas.h"
#include "kbench/target/Targets.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/cpu/ObjectLoader.h"
#include "runtime/cpu/Run.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace phobos::kbench {
namespace {

class CpuCompiler : public Compiler {
public:
  Verdict compile(const sema::TypedKernel &kernel, const SourceManager &sources, Code &code) override {
    return emit(kernel, sources, [&](llvm::Module &module, const cpu::EntryInfo &info) -> llvm::Error {
      cpu::optimize(module, {});
      auto object = cpu::emitObject(module, {});
      if (!object)
        return object.takeError();
      code.bytes = std::move(*object);
      code.entry = info.symbol;
      code.scratchBytes = info.scratchBytes;
      code.resources = {{"scratch_bytes", static_cast<double>(info.scratchBytes)},
                        {"code_bytes", static_cast<double>(code.bytes.size())}};
      return llvm::Error::success();
    });
  }

  Verdict judge(const sema::TypedKernel &kernel, const SourceManager &sources) override {
    return emit(kernel, sources,
                [](llvm::Module &, const cpu::EntryInfo &) { return llvm::Error::success(); });
  }

private:
  /// As far as LLVM IR, where every rule has been asked, and `then` on it.
  template <typename Then>
  Verdict emit(const sema::TypedKernel &kernel, const SourceManager &sources, Then then) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    ir::loadDialects(context);
    Diagnostics diags;
    auto module = driver::lower(kernel, sources, "cpu", context, diags);
    if (!module)
      return verdictOf(diags, sources);
    driver::FirstError failure(context);
    llvm::LLVMContext llvmContext;
    cpu::EntryInfo info;
    auto llvmModule = cpu::emitLLVM(*module, llvmContext, {}, info);
    llvm::Error error = llvmModule ? then(**llvmModule, info) : llvmModule.takeError();
    if (!error)
      return {};
    driver::reportTargetError(std::move(error), failure, kernel, "cpu", diags);
    return verdictOf(diags, sources);
  }
};

class CpuKernel : public HostKernel {
public:
  CpuKernel(std::unique_ptr<LoadedObject> object, CpuEntry entry, uint64_t scratchBytes)
      : object_(std::move(object)), entry_(entry), scratchBytes_(scratchBytes) {}

  bool run(const LaunchRequest &launch, std::string &error) override {
    size_t n = launch.args.size();
    std::vector<CpuTensor> tensors(n);
    std::vector<const void *> params(n);
    for (size_t p = 0; p < n; ++p) {
      const LaunchArgument &a = launch.args[p];
      tensors[p].data = reinterpret_cast<void *>(a.data);
      for (size_t axis = 0; axis < a.strides.size(); ++axis)
        tensors[p].strides[axis] = a.strides[axis];
      params[p] = a.data ? static_cast<const void *>(&tensors[p]) : &a.scalar;
    }
    CpuLaunch l{params.data(), launch.dims.data(), {launch.grid[0], launch.grid[1], launch.grid[2]}};
    if (runOnCpu(entry_, scratchBytes_, l))
      return true;
    error = "there is no memory for the " + std::to_string(scratchBytes_) +
            " bytes of scratch that a thread needs";
    return false;
  }

private:
  std::unique_ptr<LoadedObject> object_;
  CpuEntry entry_;
  uint64_t scratchBytes_;
};

class CpuDevice : public HostMemory {
public:
  std::unique_ptr<DeviceKernel> load(const Code &code, const sema::TypedKernel &, const Contract &,
                                     std::string &error) override {
    auto object = LoadedObject::load(code.bytes, error);
    void *entry = object ? object->symbol(code.entry) : nullptr;
    if (!entry) {
      error = error.empty() ? "the object has no symbol '" + code.entry + "'" : error;
      return nullptr;
    }
    return std::make_unique<CpuKernel>(std::move(object), reinterpret_cast<CpuEntry>(entry),
                                       code.scratchBytes);
  }
  bool measureRoof(Roof &roof, std::string &error) override { return measureHostRoof(roof, error); }
  Reference reference(const std::string &library, const PlainGemm &gemm, std::string &error) override {
    return library == "openblas" ? openBlas(gemm, error) : Device::reference(library, gemm, error);
  }
};

} // namespace

Target cpuTarget() {
  Target t;
  t.name = "cpu";
  // The tile's shape decides everything here: warps, stages and clusters are a GPU's.
  t.runsInLockStep = true;
  t.sharesProcessor = true;
  t.devices = 1;
  t.resources = {"scratch_bytes", "code_bytes"};
  t.makeCompiler = [](int, const std::string &) { return std::unique_ptr<Compiler>(new CpuCompiler); };
  t.makeDevice = [](int, std::string &) { return std::unique_ptr<Device>(new CpuDevice); };
  t.isPresent = alwaysPresent;
  t.describe = describeProcessor;
  return t;
}

} // namespace phobos::kbench
