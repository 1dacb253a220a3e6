// The interpreter as a target: for trying the tool where nothing else is, and for its tests.
#include "compiler/interp/Interp.h"
#include "kbench/target/Host.h"
#include "kbench/target/Targets.h"
#include <cstring>

namespace phobos::kbench {
namespace {

class NoCompiler : public Compiler {
public:
  Verdict compile(const sema::TypedKernel &, const SourceManager &, Code &) override { return {}; }
};

class InterpretedKernel : public DeviceKernel {
public:
  InterpretedKernel(const sema::TypedKernel &kernel, const Contract &contract)
      : kernel_(kernel), contract_(contract) {}

  bool run(const LaunchRequest &launch, std::string &error) override {
    std::vector<HostArray> arrays;
    arrays.reserve(contract_.params.size());
    std::vector<interp::Argument> args;
    for (size_t p = 0; p < contract_.params.size(); ++p) {
      const ContractParam &param = contract_.params[p];
      if (param.isTensor) {
        std::vector<int64_t> extents;
        for (const ContractExtent &e : param.extents)
          extents.push_back(e.fixed ? e.value : launch.dims[static_cast<size_t>(e.value)]);
        HostArray &a = arrays.emplace_back(param.elem, extents);
        std::memcpy(a.data(), reinterpret_cast<void *>(launch.args[p].data), a.bytes());
        args.emplace_back(&a);
        continue;
      }
      HostArray scalar(param.elem, {1});
      scalar.setBits(0, launch.args[p].scalar);
      interp::ScalarArgument value;
      if (isFloat(param.elem))
        value.f = scalar.getFloat(0);
      else
        value.i = scalar.getInt(0);
      args.emplace_back(value);
    }
    Diagnostics diags;
    if (!interp::run(kernel_, args, launch.dims, launch.grid, {}, diags)) {
      error = diags.all().empty() ? "the interpreter stopped" : diags.all().front().message;
      return false;
    }
    size_t next = 0;
    for (size_t p = 0; p < contract_.params.size(); ++p)
      if (contract_.params[p].isTensor) {
        HostArray &a = arrays[next++];
        if (contract_.params[p].isWritten)
          std::memcpy(reinterpret_cast<void *>(launch.args[p].data), a.data(), a.bytes());
      }
    return true;
  }

  bool time(const LaunchRequest &launch, bool, double &nanoseconds, std::string &error) override {
    double since = nowNanoseconds();
    bool ok = run(launch, error);
    nanoseconds = nowNanoseconds() - since;
    return ok;
  }

private:
  const sema::TypedKernel &kernel_;
  Contract contract_;
};

class InterpDevice : public HostMemory {
public:
  std::unique_ptr<DeviceKernel> load(const Code &, const sema::TypedKernel &kernel, const Contract &contract,
                                     std::string &) override {
    return std::make_unique<InterpretedKernel>(kernel, contract);
  }
};

} // namespace

Target interpTarget() {
  Target t;
  t.name = "interp";
  t.runsInLockStep = true;
  t.sharesProcessor = true;
  t.defaultExtent = 64;
  t.devices = 1;
  t.makeCompiler = [](int, const std::string &) { return std::unique_ptr<Compiler>(new NoCompiler); };
  t.makeDevice = [](int, std::string &) { return std::unique_ptr<Device>(new InterpDevice); };
  t.isPresent = alwaysPresent;
  t.describe = describeProcessor;
  return t;
}

} // namespace phobos::kbench
