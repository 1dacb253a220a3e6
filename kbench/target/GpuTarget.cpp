// An NVIDIA GPU: compiled to a cubin (or PTX, where nothing here assembles) in a compile worker, loaded by
// the driver in the device worker. The parent never opens the driver.
#include "compiler/driver/Compile.h"
#include "compiler/driver/EmitGpu.h"
#include "compiler/driver/Lower.h"
#include "compiler/ir/Build.h"
#include "compiler/target/nvptx/Nvptx.h"
#include "compiler/target/nvptx/PtxVersion.h"
#include "kbench/target/Cublas.h"
#include "kbench/target/GpuCode.h"
#include "kbench/target/GpuRoof.h"
#include "kbench/target/Targets.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/Device.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include <algorithm>
#include <unistd.h>

namespace phobos::kbench {
namespace {

/// Asks the driver what the device is; makes no context on it.
class GpuCompiler : public Compiler {
public:
  GpuCompiler(int index, const std::string &known) {
    // Opening the driver takes each worker a moment.
    if (!decodeFacts(known, info_, target_, ptx_) && cuda::Device::describe(index, info_, error_))
      chooseCode(info_, target_, ptx_, error_);
  }

  Verdict compile(const sema::TypedKernel &kernel, const SourceManager &sources, Code &code) override {
    if (!error_.empty())
      return {Status::CompileError, "", error_};
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    ir::loadDialects(context);
    Diagnostics diags;
    auto module = driver::lower(kernel, sources, target_, context, diags);
    if (!module)
      return verdictOf(diags, sources);
    driver::FirstError failure(context);
    auto ptx = nvptx::emitPtx(*module, options());
    if (!ptx) {
      driver::reportTargetError(ptx.takeError(), failure, kernel, target_, diags);
      return verdictOf(diags, sources);
    }
    const GpuEntry &first = ptx->info.entries.front();
    code.entry = encodeEntries(ptx->info);
    cuda::AssembleOptions assemble;
    // An assembler may know a processor that is newer than the compiler; the driver does.
    const bool isCarried = target_ != info_.target();
    assemble.target = info_.target();
    const std::vector<std::string> tools = cuda::assemblersFor(ptx->text);
    if (!tools.empty())
      doing(tools.front() + " assembled it");
    cuda::Assembled cubin = cuda::assemble(ptx->text, assemble);
    if (!cubin.ok() && !tools.empty() && !isCarried)
      return {Status::CompileError, "", cubin.error};
    code.bytes = cubin.ok() ? std::move(cubin.cubin) : std::move(ptx->text);
    // Of the entry point that is timed: the other one serves what this one does not. What the driver compiles
    // it describes itself, when it has loaded it.
    const cuda::Assembled::Usage uses = cubin.usageOf(first.symbol);
    code.resources = uses.registers < 0
                         ? sizesOf(first)
                         : resourcesOf(info_, first, uses.registers, std::max(0, uses.spillBytes));
    return {};
  }

  Verdict judge(const sema::TypedKernel &kernel, const SourceManager &sources) override {
    if (!error_.empty())
      return {Status::CompileError, "", error_};
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    ir::loadDialects(context);
    Diagnostics diags;
    auto module = driver::lower(kernel, sources, target_, context, diags);
    if (!module)
      return verdictOf(diags, sources);
    driver::FirstError failure(context);
    llvm::LLVMContext llvmContext;
    nvptx::EntryInfo info;
    if (auto made = nvptx::emitLLVM(*module, llvmContext, options(), info); !made) {
      driver::reportTargetError(made.takeError(), failure, kernel, target_, diags);
      return verdictOf(diags, sources);
    }
    return {};
  }

private:
  nvptx::Options options() const {
    nvptx::Options options;
    nvptx::parseProcessor(target_, options);
    options.sharedLimit = info_.sharedPerBlock;
    options.ptxVersion = ptx_;
    return options;
  }

  std::string error_;
  cuda::DeviceInfo info_;
  std::string target_; ///< what is compiled for it
  unsigned ptx_ = 0;   ///< version of PTX that the driver and the assembler take
};

/// Work on the default stream, run and timed the same way whatever it is.
class TimedOnDevice : public DeviceKernel {
public:
  TimedOnDevice(const cuda::Device &device, const cuda::Buffer &flush)
      : device_(device), timer_(device), flush_(flush) {}

  bool run(const LaunchRequest &launch, std::string &error) override {
    return start(launch, error) && device_.synchronize(error);
  }

  bool time(const LaunchRequest &launch, bool cold, double &nanoseconds, std::string &error) override {
    float ms = 0;
    // Writing twice the cache's size leaves nothing of the inputs in it.
    if (cold && !device_.fill(flush_.address(), 0, flush_.bytes(), nullptr, error))
      return false;
    if (!timer_.start(nullptr, error) || !start(launch, error) || !timer_.stop(nullptr, error) ||
        !timer_.elapsedMs(ms, error))
      return false;
    nanoseconds = double(ms) * 1e6;
    return true;
  }

protected:
  virtual bool start(const LaunchRequest &launch, std::string &error) = 0;
  const cuda::Device &device_;

private:
  cuda::Device::Timer timer_;
  const cuda::Buffer &flush_; ///< the device's
};

class CublasKernel : public TimedOnDevice {
public:
  CublasKernel(const cuda::Device &device, const cuda::Buffer &flush, Cublas &cublas, PlainGemm gemm)
      : TimedOnDevice(device, flush), cublas_(cublas), gemm_(gemm) {}

private:
  bool start(const LaunchRequest &launch, std::string &error) override {
    bool ok = false;
    device_.inContext([&] { ok = cublas_.start(gemm_, launch, error); });
    return ok;
  }

  Cublas &cublas_;
  PlainGemm gemm_;
};

class GpuKernelOnDevice : public TimedOnDevice {
public:
  GpuKernelOnDevice(const cuda::Device &device, const cuda::Buffer &flush, const sema::TypedKernel &kernel,
                    GpuKernel code)
      : TimedOnDevice(device, flush), typed_(kernel), code_(std::move(code)) {}

  bool load(const std::string &image, std::string &error) {
    if (!device_.load(image, module_, error))
      return false;
    for (const GpuEntry &e : code_.entries) {
      cuda::Function f;
      if (!device_.function(module_, e.symbol.c_str(), f, error) ||
          !device_.allowShared(f, e.sharedBytes, error))
        return false;
      functions_.push_back(f);
    }
    return isCubin(image) || describe(error);
  }

  Resources resources() const override { return resources_; }

private:
  /// The kernels have no stack, so what the driver keeps in local memory is spilled.
  bool describe(std::string &error) {
    cuda::FunctionInfo info;
    if (!device_.describe(functions_.front(), info, error))
      return false;
    resources_ = resourcesOf(device_.info(), code_.entries.front(), info.registers, info.localBytes);
    return true;
  }

  bool start(const LaunchRequest &launch, std::string &error) override {
    const size_t n = launch.args.size();
    std::vector<TensorShape> shapes(n);
    std::vector<const TensorShape *> tensors(n, nullptr);
    std::vector<uint64_t> addresses(n, 0);
    std::vector<const void *> scalars(n, nullptr);
    for (size_t p = 0; p < n; ++p) {
      const LaunchArgument &a = launch.args[p];
      scalars[p] = &a.scalar;
      if (!typed_.params[p].isTensor)
        continue;
      addresses[p] = a.data;
      shapes[p].elem = typed_.params[p].elem;
      shapes[p].strides = a.strides;
      tensors[p] = &shapes[p];
    }
    BoundLaunch bound;
    bound.dims = launch.dims;
    bound.grid = launch.grid;
    if (bound.isEmpty())
      return true;
    const GpuEntry &entry = chooseEntry(code_, tensors, addresses, launch.grid);
    const cuda::Function &function = functions_[static_cast<size_t>(&entry - code_.entries.data())];
    int resident = 1;
    if (code_.persistent && !device_.residentBlocks(function, static_cast<int>(entry.threads),
                                                    entry.sharedBytes, resident, error))
      return false;
    if (!prepareWorkspace(entry, launch.grid, error))
      return false;
    GpuArguments packed(code_, tensors, addresses, scalars, bound, workspace_.address());
    const auto grid =
        hardwareGrid(code_, entry, launch.grid, int64_t(resident) * device_.info().multiprocessors);
    return device_.launch(function, grid.data(), entry.threads, entry.sharedBytes, nullptr, packed.pointers(),
                          error);
  }

  /// Kept from launch to launch, which come one after the other: each leaves the counters at 0. Another shape
  /// has its counters at other places, so what is left of the one before is cleared.
  bool prepareWorkspace(const GpuEntry &entry, const std::array<int64_t, 3> &grid, std::string &error) {
    const auto needs = workspaceOf(entry, grid);
    if (!needs) {
      error = "the parts of k (SPLIT_K) need a workspace larger than an address space";
      return false;
    }
    if (needs->bytes == 0 || (needs->bytes == needs_.bytes && needs->counterBytes == needs_.counterBytes))
      return true;
    if (needs->bytes > workspace_.bytes()) {
      workspace_ = {};
      if (!device_.allocate(needs->bytes, workspace_, error)) {
        error = "the workspace of the parts of k (SPLIT_K): " + error;
        return false;
      }
    }
    needs_ = *needs;
    return device_.fill(workspace_.address(), 0, needs->counterBytes, nullptr, error);
  }

  const sema::TypedKernel &typed_;
  GpuKernel code_;
  cuda::Module module_;
  std::vector<cuda::Function> functions_;
  Resources resources_; ///< of code that the driver compiled
  cuda::Buffer workspace_;
  GpuWorkspace needs_; ///< of the launch before
};

class GpuDevice : public Device {
public:
  explicit GpuDevice(std::unique_ptr<cuda::Device> device) : device_(std::move(device)) {}

  Address allocate(size_t bytes, std::string &error) override {
    cuda::Buffer b;
    if (!device_->allocate(std::max<size_t>(bytes, 64), b, error))
      return 0;
    buffers_.push_back(std::move(b));
    return buffers_.back().address();
  }
  void release(Address address) override {
    std::erase_if(buffers_, [&](const cuda::Buffer &b) { return b.address() == address; });
  }
  bool write(Address to, const void *from, size_t bytes, std::string &error) override {
    return device_->upload(to, from, bytes, error);
  }
  bool read(void *to, Address from, size_t bytes, std::string &error) override {
    return device_->download(to, from, bytes, error);
  }
  bool copy(Address to, Address from, size_t bytes, std::string &error) override {
    return device_->copy(to, from, bytes, nullptr, error);
  }

  std::unique_ptr<DeviceKernel> load(const Code &code, const sema::TypedKernel &kernel,
                                     const Contract &contract, std::string &error) override {
    GpuKernel gpu;
    if (!decodeEntries(code.entry, contract, gpu)) {
      error = "the compiled code names no entry point";
      return nullptr;
    }
    if (!allocateFlush(error))
      return nullptr;
    auto loaded = std::make_unique<GpuKernelOnDevice>(*device_, flush_, kernel, std::move(gpu));
    return loaded->load(code.bytes, error) ? std::move(loaded) : nullptr;
  }

  bool measureRoof(Roof &roof, std::string &error) override { return measureGpuCopy(*device_, roof, error); }
  bool measureProducts(const std::string &type, Roof &roof, std::string &error) override {
    return measureGpuProducts(*device_, type, roof, error);
  }

  Reference reference(const std::string &library, const PlainGemm &gemm, std::string &error) override {
    if (library != "cublas")
      return Device::reference(library, gemm, error);
    if (!allocateFlush(error))
      return {};
    if (!cublas_)
      device_->inContext([&] { cublas_ = Cublas::open(error); });
    if (!cublas_)
      return {};
    return {std::make_unique<CublasKernel>(*device_, flush_, *cublas_, gemm), cublas_->name()};
  }

  ~GpuDevice() override {
    device_->inContext([&] { cublas_.reset(); });
  }

private:
  bool allocateFlush(std::string &error) {
    const size_t bytes = static_cast<size_t>(2 * std::max<int64_t>(device_->info().l2Bytes, 1 << 20));
    return flush_.address() != 0 || device_->allocate(bytes, flush_, error);
  }

  std::unique_ptr<cuda::Device> device_;
  std::vector<cuda::Buffer> buffers_;
  cuda::Buffer flush_;
  std::unique_ptr<Cublas> cublas_;
};

std::string factsOfProcessor(const std::string &processor) {
  nvptx::Options options;
  nvptx::parseProcessor(processor, options);
  cuda::DeviceInfo info;
  info.sm = options.sm;
  return encodeFacts(info, processor, nvptx::usualPtxVersion(options));
}

/// Looks for the device's file, so that the parent opens no driver.
bool isGpuPresent() { return access("/dev/nvidia0", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; }

DeviceInfo describeGpu(int index) {
  std::string error;
  auto device = cuda::Device::open(index, error);
  if (!device)
    return {error, "", "", "", ""};
  const int v = device->info().driverVersion;
  const std::string processor = device->info().target();
  std::string target;
  unsigned ptx = 0; // 0: the compilers find out, and say, what is wrong
  chooseCode(device->info(), target, ptx, error);
  const bool isCarried = !target.empty() && target != processor;
  return {device->info().name + ", " + processor + (isCarried ? ", by PTX for " + target : ""),
          "CUDA " + std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10), processor,
          encodeFacts(device->info(), target, ptx), assemblerOf(isCarried)};
}

} // namespace

Target gpuTarget() {
  Target t;
  t.name = "gpu";
  t.defaultExtent = 4096;
  t.resources = {"registers", "spill_bytes", "shared_bytes",
                 "threads",   "occupancy",   std::string(limiterResource)};
  t.roundsProducts = true;
  t.isKind = [](const std::string &text) { return driver::isGpuTarget(text); };
  t.factsOf = factsOfProcessor;
  t.makeCompiler = [](int index, const std::string &known) {
    return std::unique_ptr<Compiler>(new GpuCompiler(index, known));
  };
  t.makeDevice = [](int index, std::string &error) {
    auto device = cuda::Device::open(index, error);
    return device ? std::unique_ptr<Device>(new GpuDevice(std::move(device))) : nullptr;
  };
  t.isPresent = isGpuPresent;
  t.describe = describeGpu;
  return t;
}

} // namespace phobos::kbench
