#include "compiler/driver/Compile.h"
#include "compiler/driver/EmitGpu.h"
#include "compiler/driver/Execute.h"
#include "compiler/driver/Lower.h"
#include "compiler/target/nvptx/PtxVersion.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/Device.h"

namespace phobos::driver {

namespace {

/// Copies the arrays to the device, launches, copies back what the kernel writes.
class OnGpu : public Executable {
public:
  OnGpu(const sema::TypedKernel &kernel, GpuKernel code) : kernel_(kernel), code_(std::move(code)) {}

  bool open(const std::string &ptx, const std::string &target, std::string &error) {
    device_ = cuda::Device::open(0, error);
    if (!device_)
      return false;
    cuda::AssembleOptions assemble;
    // Code for an older processor is assembled for the one that is here, as its driver would.
    nvptx::Options written;
    const bool isOlder =
        nvptx::parseProcessor(target, written) && !written.archSpecific && written.sm < device_->info().sm;
    assemble.target = isOlder ? device_->info().target() : target;
    cuda::Assembled cubin = cuda::assemble(ptx, assemble);
    return device_->load(cubin.ok() ? cubin.cubin : ptx, module_, error);
  }

  bool run(HostArguments &arguments, const BoundLaunch &launch, Diagnostics &diags) override {
    if (launch.isEmpty()) // which the driver takes for a mistake
      return true;
    std::string error;
    if (launchOn(arguments, launch, error))
      return true;
    diags.report(diag::DeviceFailed, kernel_.range, kernel_.name, error);
    return false;
  }

private:
  bool launchOn(HostArguments &arguments, const BoundLaunch &launch, std::string &error) {
    const size_t n = kernel_.params.size();
    std::vector<cuda::Buffer> buffers(n);
    std::vector<TensorShape> shapes(n);
    std::vector<const TensorShape *> tensors(n, nullptr);
    std::vector<uint64_t> addresses(n, 0), bits(n, 0);
    std::vector<const void *> scalars(n, nullptr);
    for (size_t i = 0; i < n; ++i) {
      const sema::Param &p = kernel_.params[i];
      if (!p.isTensor) {
        HostArray one(p.elem, {1});
        isFloat(p.elem) ? one.setFloat(0, arguments.scalars[i].f) : one.setInt(0, arguments.scalars[i].i);
        bits[i] = one.getBits(0);
        scalars[i] = &bits[i];
        continue;
      }
      HostArray &array = arguments.arrays[i];
      const size_t bytes = static_cast<size_t>(array.size()) * byteSize(p.elem);
      if (!device_->allocate(std::max<size_t>(bytes, 16), buffers[i], error) ||
          (bytes && !device_->upload(buffers[i].address(), array.data(), bytes, error)))
        return false;
      addresses[i] = buffers[i].address();
      shapes[i].elem = p.elem;
      shapes[i].extents = array.extents();
      shapes[i].strides.resize(array.extents().size());
      int64_t stride = 1;
      for (size_t axis = array.extents().size(); axis-- > 0; stride *= array.extents()[axis])
        shapes[i].strides[axis] = stride;
      tensors[i] = &shapes[i];
    }
    const GpuEntry &entry = chooseEntry(code_, tensors, addresses, launch.grid);
    cuda::Function function;
    if (!device_->function(module_, entry.symbol.c_str(), function, error) ||
        !device_->allowShared(function, entry.sharedBytes, error))
      return false;
    int resident = 1;
    if (code_.persistent && !device_->residentBlocks(function, static_cast<int>(entry.threads),
                                                     entry.sharedBytes, resident, error))
      return false;
    const auto needs = workspaceOf(entry, launch.grid);
    cuda::Buffer workspace;
    if (!needs) {
      error = "the parts of k (SPLIT_K) need a workspace larger than an address space";
      return false;
    }
    if (needs->bytes && (!device_->allocate(needs->bytes, workspace, error) ||
                         !device_->fill(workspace.address(), 0, needs->counterBytes, nullptr, error)))
      return false;
    GpuArguments packed(code_, tensors, addresses, scalars, launch, workspace.address());
    const auto grid =
        hardwareGrid(code_, entry, launch.grid, int64_t(resident) * device_->info().multiprocessors);
    if (!device_->launch(function, grid.data(), entry.threads, entry.sharedBytes, nullptr, packed.pointers(),
                         error) ||
        !device_->synchronize(error))
      return false;
    for (size_t i = 0; i < n; ++i)
      if (kernel_.params[i].isTensor && kernel_.params[i].isWritten && arguments.arrays[i].size())
        if (!device_->download(
                arguments.arrays[i].data(), addresses[i],
                static_cast<size_t>(arguments.arrays[i].size()) * byteSize(kernel_.params[i].elem), error))
          return false;
    return true;
  }

  const sema::TypedKernel &kernel_;
  GpuKernel code_;
  std::unique_ptr<cuda::Device> device_;
  cuda::Module module_;
};

} // namespace

std::unique_ptr<Executable> prepareForGpu(const std::string &given, const sema::TypedKernel &kernel,
                                          const SourceManager &sources, Diagnostics &diags,
                                          unsigned ptxVersion) {
  std::string target = given, error;
  if (given == "gpu") {
    cuda::DeviceInfo info;
    if (!cuda::Device::describe(0, info, error)) {
      diags.report(diag::DeviceFailed, {}, kernel.name, error); // nothing in the source is at fault
      return nullptr;
    }
    target = compiledFor(info.target(), info.ptxVersion);
    if (target.empty()) {
      diags.report(diag::DeviceFailed, {}, kernel.name,
                   "nothing is compiled for its " + info.target() + ", which is older than sm_75");
      return nullptr;
    }
    if (const std::string note = carriedForward(info.target(), target); !note.empty())
      diags.report(diag::NewerDevice, {}, note);
  }
  if (!choosePtx(target, ptxVersion ? nvptx::ptxVersionText(ptxVersion) : "", true, ptxVersion, error)) {
    diags.report(diag::PtxVersion, {}, error);
    return nullptr;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = lower(kernel, sources, target, context, diags);
  if (!module)
    return nullptr;
  FirstError first(context);
  nvptx::Options options;
  nvptx::parseProcessor(target, options);
  options.ptxVersion = ptxVersion;
  auto ptx = nvptx::emitPtx(*module, options);
  if (!ptx) {
    reportTargetError(ptx.takeError(), first, kernel, target, diags);
    return nullptr;
  }
  auto executable =
      std::make_unique<OnGpu>(kernel, gpuKernel(contractOf(kernel), ptx->info.entries, ptx->info.persistent));
  if (executable->open(ptx->text, target, error))
    return executable;
  diags.report(diag::DeviceFailed, {}, kernel.name, error);
  return nullptr;
}

} // namespace phobos::driver
