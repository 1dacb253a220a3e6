#include "compiler/driver/Execute.h"
#include "compiler/driver/Lower.h"
#include "compiler/target/cpu/Cpu.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/cpu/Run.h"

namespace phobos::driver {

namespace {
class OnCpu : public Executable {
public:
  OnCpu(const sema::TypedKernel &kernel, std::unique_ptr<cpu::JitKernel> code, const interp::Options &options)
      : kernel_(kernel), code_(std::move(code)), options_(options) {}

  bool run(HostArguments &arguments, const BoundLaunch &launch, Diagnostics &diags) override {
    size_t n = kernel_.params.size();
    std::vector<CpuTensor> tensors(n);
    std::vector<uint64_t> scalars(n);
    std::vector<const void *> params(n);
    for (size_t i = 0; i < n; ++i) {
      const sema::Param &p = kernel_.params[i];
      if (p.isTensor)
        tensors[i] = tensorOf(arguments.arrays[i]);
      else
        scalars[i] = bitsOf(p.elem, arguments.scalars[i]);
      params[i] = p.isTensor ? static_cast<const void *>(&tensors[i]) : &scalars[i];
    }
    CpuLaunch l{params.data(), launch.dims.data(), {launch.grid[0], launch.grid[1], launch.grid[2]}};
    GridWatch watch;
    watch.cancel = options_.cancel;
    watch.done = options_.blocksDone;
    const bool isRun =
        runOnCpu(code_->entry(), code_->scratchBytes(), l, 0, options_.blocksDone ? &watch : nullptr);
    if (isRun && watch.isCancelled()) {
      diags.report(diag::Cancelled, kernel_.range);
      return false;
    }
    if (isRun)
      return true;
    diags.report(diag::LaunchRefused, kernel_.range,
                 "kernel '" + kernel_.name + "': there is no memory for the " +
                     std::to_string(code_->scratchBytes()) + " bytes of scratch that a thread needs");
    return false;
  }

private:
  static CpuTensor tensorOf(HostArray &array) {
    CpuTensor t{array.data(), {}};
    int64_t stride = 1;
    for (size_t axis = array.extents().size(); axis-- > 0; stride *= array.extents()[axis])
      t.strides[axis] = stride;
    return t;
  }
  /// The scalar's bytes in its own type, first in memory (little-endian).
  static uint64_t bitsOf(ScalarType elem, const interp::ScalarArgument &value) {
    HostArray one(elem, {1});
    isFloat(elem) ? one.setFloat(0, value.f) : one.setInt(0, value.i);
    return one.getBits(0);
  }

  const sema::TypedKernel &kernel_;
  std::unique_ptr<cpu::JitKernel> code_;
  interp::Options options_;
};
} // namespace

std::unique_ptr<Executable> prepareForCpu(const sema::TypedKernel &kernel, const SourceManager &sources,
                                          const interp::Options &options, Diagnostics &diags,
                                          const std::string &processor) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto module = lower(kernel, sources, "cpu", context, diags);
  if (!module)
    return nullptr;
  FirstError first(context);
  auto code = cpu::compileAndLoad(*module, {processor, ""});
  if (code)
    return std::make_unique<OnCpu>(kernel, std::move(*code), options);
  reportTargetError(code.takeError(), first, kernel, "cpu", diags);
  return nullptr;
}

} // namespace phobos::driver
