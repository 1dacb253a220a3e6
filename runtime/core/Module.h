// A loaded bundle on one device, its kernels, and launches of them. The C and C++ interfaces are thin layers
// over this.
#pragma once
#include "runtime/bundle/Bundle.h"
#include "runtime/contract/GpuAbi.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/CpuAbi.h"
#include "runtime/cpu/ObjectLoader.h"
#include "runtime/cuda/Device.h"
#include <memory>
#include <mutex>
#include <optional>

namespace phobos::runtime {
class Module;
}

/// A kernel of a loaded module; the C interface's opaque handle is this very value.
struct phobos_kernel {
  phobos::runtime::Module *module = nullptr;
  std::string name;
  std::vector<size_t>
      variants; ///< indices of the module's, in the bundle's order, those that this device can run
  const phobos::Contract &contract() const; ///< of the first variant: parameters are the same in all
};

namespace phobos::runtime {

using Kernel = ::phobos_kernel;

/// One variant with its code in place. Loaded on first use, under the module's lock.
struct LoadedVariant {
  const Variant *variant = nullptr;
  std::unique_ptr<LoadedObject> object;  ///< CPU
  cuda::Module cudaModule;               ///< GPU
  std::vector<cuda::Function> functions; ///< GPU: one an entry
  std::vector<CpuEntry> entries;         ///< CPU: one an entry
};

/// One argument as the checks and the packing want it.
struct Argument {
  bool isTensor = false;
  TensorShape shape;
  int32_t device = PHOBOS_DEVICE_UNKNOWN;
  ScalarType type = ScalarType::F32;
  double f = 0;
  int64_t i = 0;
};

/// Everything of a launch that does not change between repeats.
class Prepared {
public:
  Status launch(void *stream);
  Status setPointer(size_t param, void *data);
  Status setFloat(size_t param, double value);
  Status setInt(size_t param, int64_t value);
  const std::string &point() const { return point_; }
  const std::string &target() const { return loaded_->variant->target; }

private:
  friend class Module;
  Status launchGpu(void *stream);
  Status launchWithWorkspace(void *stream);
  int start(void *stream, void **pointers) const;
  const Kernel *kernel_ = nullptr;
  LoadedVariant *loaded_ = nullptr;
  const EntryPoint *entry_ = nullptr;
  size_t entryIndex_ = 0;
  BoundLaunch bound_;
  std::vector<Argument> args_;
  std::string point_;
  unsigned threads_ = 0;
  bool needsAligned16_ = false;
  std::vector<CpuTensor> cpuTensors_;
  std::vector<uint64_t> words_;     ///< scalars' bytes; on the GPU all parameters
  std::vector<void *> pointers_;    ///< one a parameter: at a CpuTensor or into words_
  std::vector<size_t> wordOfParam_; ///< the word that holds each parameter's pointer or scalar
  // GPU: all that the driver's launch takes.
  const cuda::Driver *driver_ = nullptr;
  void *context_ = nullptr, *function_ = nullptr;
  uint32_t grid_[3] = {1, 1, 1};
  void *pool_ = nullptr; ///< where the workspace of each launch comes from
  GpuWorkspace workspace_;
};

class Module {
public:
  static Status load(std::string_view bytes, const phobos_module_options *options,
                     std::unique_ptr<Module> &out);

  bool isCpu() const { return !device_; }
  const std::string &deviceName() const { return deviceName_; }
  const std::vector<std::unique_ptr<Kernel>> &kernels() const { return kernels_; }
  Status kernel(const char *name, Kernel *&out);
  const Variant &variantOf(size_t index) const { return bundle_.variants[index]; }
  Status prepare(const Kernel &kernel, std::vector<Argument> args, const phobos_launch_options *options,
                 Prepared &out);

private:
  friend class Prepared;
  Status choosePlace(const phobos_module_options *options);
  Status collectKernels();
  bool canRun(const Variant &v, std::string &why) const;
  Status ensureLoaded(size_t variant, LoadedVariant *&out);
  Status loadCpu(LoadedVariant &v);
  Status loadGpu(LoadedVariant &v);
  Status packCpu(Prepared &p);
  Status packGpu(Prepared &p);
  Status ensurePool();

  Bundle bundle_;
  std::unique_ptr<cuda::Device> device_; ///< null on the CPU
  cuda::Pool pool_;                      ///< of workspaces; made when the first kernel needs one
  std::string deviceName_ = "cpu";
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::vector<LoadedVariant> loaded_; ///< one a variant of the bundle
  std::mutex mutex_;                  ///< guards loaded_ and pool_
};

} // namespace phobos::runtime
