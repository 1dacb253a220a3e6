// This machine's processor: compiled to an object in a compile worker, loaded without a linker in the device
// worker.
#include "compiler/driver/Lower.h"
#include "compiler/ir/Build.h"
#include "compiler/sema/Space.h"
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
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    ir::loadDialects(context);
    Diagnostics diags;
    auto module = driver::lower(kernel, sources, "cpu", context, diags);
    if (!module)
      return verdictOf(diags, sources);
    driver::FirstError failure(context);
    auto refuse = [&](llvm::Error error) {
      driver::reportTargetError(std::move(error), failure, kernel, "cpu", diags);
      return verdictOf(diags, sources);
    };
    llvm::LLVMContext llvmContext;
    cpu::EntryInfo info;
    auto llvmModule = cpu::emitLLVM(*module, llvmContext, {}, info);
    if (!llvmModule)
      return refuse(llvmModule.takeError());
    cpu::optimize(**llvmModule, {});
    auto object = cpu::emitObject(**llvmModule, {});
    if (!object)
      return refuse(object.takeError());
    code.bytes = std::move(*object);
    code.entry = info.symbol;
    code.scratchBytes = info.scratchBytes;
    code.resources = {{"scratch_bytes", static_cast<double>(info.scratchBytes)},
                      {"code_bytes", static_cast<double>(code.bytes.size())}};
    return {};
  }

  Verdict judge(const sema::TypedKernel &kernel, const SourceManager &sources) override {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    ir::loadDialects(context);
    Diagnostics diags;
    auto module = driver::lower(kernel, sources, "cpu", context, diags);
    if (!module)
      return verdictOf(diags, sources);
    driver::FirstError failure(context);
    llvm::LLVMContext llvmContext;
    cpu::EntryInfo info;
    if (auto llvmModule = cpu::emitLLVM(*module, llvmContext, {}, info); !llvmModule) {
      driver::reportTargetError(llvmModule.takeError(), failure, kernel, "cpu", diags);
      return verdictOf(diags, sources);
    }
    return {};
  }
};

class CpuKernel : public DeviceKernel {
public:
  CpuKernel(std::unique_ptr<LoadedObject> object, CpuEntry entry, uint64_t scratchBytes)
      : object_(std::move(object)), entry_(entry), scratchBytes_(scratchBytes) {}

  bool run(const LaunchRequest &launch, std::string &) override {
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
    runOnCpu(entry_, scratchBytes_, l);
    return true;
  }

  bool time(const LaunchRequest &launch, bool cold, double &nanoseconds, std::string &error) override {
    if (cold)
      flushCaches();
    double since = nowNanoseconds();
    bool ok = run(launch, error);
    nanoseconds = nowNanoseconds() - since;
    return ok;
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
  t.ignoredNames = sema::gemmNames();
  std::erase_if(t.ignoredNames,
                [](const std::string &n) { return n == "TILE_M" || n == "TILE_N" || n == "TILE_K"; });
  t.sharesProcessor = true;
  t.devices = 1;
  t.makeCompiler = [](int) { return std::unique_ptr<Compiler>(new CpuCompiler); };
  t.makeDevice = [](int, std::string &) { return std::unique_ptr<Device>(new CpuDevice); };
  t.isPresent = alwaysPresent;
  t.describe = describeProcessor;
  return t;
}

} // namespace phobos::kbench
