// A typed kernel made ready to run on arrays of this process, whatever the target.
#pragma once
#include "compiler/host/HostArray.h"
#include "compiler/interp/Interp.h"
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include "runtime/contract/Contract.h"
#include <memory>
#include <string>
#include <vector>

namespace phobos::driver {

/// The arguments of one launch: an entry a parameter in each list, arrays of tensors and values of scalars.
struct HostArguments {
  std::vector<HostArray> arrays;
  std::vector<interp::ScalarArgument> scalars;
};

class Executable {
public:
  virtual ~Executable() = default;
  /// Runs the grid; tensors are read and written in place. False if it was stopped or (checking) found an
  /// error, with diagnostics.
  virtual bool run(HostArguments &arguments, const BoundLaunch &launch, Diagnostics &diags) = 0;
};

/// Targets that `prepare` knows, as a message lists them.
std::string executableTargets();
bool isExecutableTarget(const std::string &target);

/// The kernel for `target`; it may refer to `kernel` for as long as it lives. `options` are of the
/// interpreter (the CPU target looks at `cancel` and `blocksDone`), `ptx` the version of PTX for a GPU (0:
/// the usual one). Null with a diagnostic where the target cannot take the kernel.
std::unique_ptr<Executable> prepare(const std::string &target, const sema::TypedKernel &kernel,
                                    const SourceManager &sources, const interp::Options &options,
                                    Diagnostics &diags, unsigned ptx = 0);

/// The one for this machine's processor, or of what an older one that LLVM calls `processor` has; in a file
/// of its own because of what it includes.
std::unique_ptr<Executable> prepareForCpu(const sema::TypedKernel &kernel, const SourceManager &sources,
                                          const interp::Options &options, Diagnostics &diags,
                                          const std::string &processor = "");

/// The one for the GPU of this machine, compiled for `target` (sm_.., or gpu for what it is). Fails where
/// there is none.
std::unique_ptr<Executable> prepareForGpu(const std::string &target, const sema::TypedKernel &kernel,
                                          const SourceManager &sources, Diagnostics &diags, unsigned ptx);

} // namespace phobos::driver
