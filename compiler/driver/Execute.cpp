#include "compiler/driver/Execute.h"
#include "compiler/driver/EmitGpu.h"

namespace phobos::driver {

namespace {
class Interpreted : public Executable {
public:
  Interpreted(const sema::TypedKernel &kernel, const interp::Options &options)
      : kernel_(kernel), options_(options) {}
  bool run(HostArguments &arguments, const BoundLaunch &launch, Diagnostics &diags) override {
    std::vector<interp::Argument> args;
    for (size_t i = 0; i < kernel_.params.size(); ++i)
      if (kernel_.params[i].isTensor)
        args.emplace_back(&arguments.arrays[i]);
      else
        args.emplace_back(arguments.scalars[i]);
    return interp::run(kernel_, args, launch.dims, launch.grid, options_, diags);
  }

private:
  const sema::TypedKernel &kernel_;
  interp::Options options_;
};
} // namespace

std::string executableTargets() {
  return "cpu, interp, gpu (whatever it is), and GPUs as sm_75, sm_80, sm_89, sm_90a and the like";
}
bool isExecutableTarget(const std::string &target) {
  return target == "cpu" || target == "interp" || target == "gpu" || isGpuTarget(target);
}

std::unique_ptr<Executable> prepare(const std::string &target, const sema::TypedKernel &kernel,
                                    const SourceManager &sources, const interp::Options &options,
                                    Diagnostics &diags, unsigned ptx) {
  if (target == "interp")
    return std::make_unique<Interpreted>(kernel, options);
  if (target == "gpu" || isGpuTarget(target))
    return prepareForGpu(target, kernel, sources, diags, ptx);
  return prepareForCpu(kernel, sources, options, diags);
}

} // namespace phobos::driver
