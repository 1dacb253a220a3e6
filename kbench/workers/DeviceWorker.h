// The only process that touches the device: loads code, compares its results, times it.
#pragma once
#include "kbench/verify/FullSize.h"
#include "kbench/workers/KernelWorker.h"
#include <list>

namespace phobos::kbench {

/// A point as the device worker keeps it between requests.
struct LoadedPoint {
  std::string folder, library;
  Point point;
  std::unique_ptr<sema::TypedKernel> typed;
  Contract contract;
  PointFiles files;
  std::unique_ptr<DeviceKernel> kernel;
  std::string note; ///< a library's name and version
};

/// Device memory of the arguments of one launch, each tensor between guard bands.
class DeviceArguments {
public:
  DeviceArguments(Device &device, const Contract &contract) : device_(device), contract_(contract) {}
  ~DeviceArguments();
  DeviceArguments(const DeviceArguments &) = delete;
  DeviceArguments &operator=(const DeviceArguments &) = delete;

  bool upload(const std::vector<Input> &inputs, const std::vector<int64_t> &dims,
              const std::array<int64_t, 3> &grid, std::string &error);
  const LaunchRequest &launch() const { return launch_; }
  /// Reads a tensor back: `wrong` if a guard band was written (it is whole again then), `fault` if it cannot
  /// be read.
  Verdict download(size_t param, HostArray &array, bool spoilGuard);
  /// Keeps what the written tensors hold, on the device, so that restore() need not bring it there again.
  /// Where there is no room for it restore() fails.
  void keep();
  bool restore(size_t param, std::string &error);
  /// Puts other values into a tensor.
  bool rewrite(size_t param, const HostArray &array, std::string &error) {
    return device_.write(blocks_[param].address + guardBytes, array.data(), array.bytes(), error);
  }
  /// Wide enough that a store by a whole tile row past either end lands in it; a multiple of every alignment.
  static constexpr size_t guardBytes = 4096;

private:
  struct Block {
    Address address = 0, kept = 0;
    size_t bytes = 0;
  };
  Device &device_;
  const Contract &contract_;
  LaunchRequest launch_;
  std::vector<Block> blocks_; ///< one a parameter
};

/// Another value of the same type at the middle of the array, for tests of the comparison.
void spoilElement(HostArray &array);

class DeviceWorker : public KernelWorker {
public:
  using KernelWorker::KernelWorker;
  ~DeviceWorker() override;
  bool start(std::string &error) override;
  /// With the device's name and driver, as JSON.
  std::string ready() const override;
  Reply answer(const Request &request, const Say &say) override;

private:
  LoadedPoint *load(const Request::Item &item, std::string &error);
  Verdict verify(LoadedPoint &loaded, const Request &request, Reply &reply);
  Verdict verifyCase(LoadedPoint &loaded, size_t index, const Request &request, Reply &reply);
  Verdict time(LoadedPoint &loaded, const Request &request, Reply &reply);
  Reply sample(const Request &request);
  const LaunchRequest *fullSize(LoadedPoint &loaded, uint64_t seed, std::string &error);
  Verdict verifyFull(const Request &request, Reply &reply); // in FullRun.cpp, with what follows
  Verdict verifyStored(LoadedPoint &loaded, const Request &request);
  /// Of the run whose result is in outputs_.
  Verdict findLeftOut(LoadedPoint &loaded);
  Verdict makeReference(LoadedPoint &plain, uint64_t seed);
  Verdict runFull(LoadedPoint &loaded, uint64_t seed, bool all);
  Verdict runOnce(LoadedPoint &loaded);
  Verdict downloadOutputs();

  std::unique_ptr<Device> device_;
  std::list<LoadedPoint> points_; ///< the latest used first
  // Arguments at full size, shared by all points whose tensors have the same extents.
  std::string fullKey_;
  Contract fullContract_;
  std::unique_ptr<DeviceArguments> full_;
  LaunchRequest fullLaunch_;
  std::vector<Input> fullInputs_; ///< what `full_` held before any run; empty where that is too much
  std::string referenceKey_;      ///< whose `reference_` it is
  std::vector<FullOutput> reference_;
  /// Of the latest run at full size, one a parameter; the memory is used again.
  std::vector<HostArray> outputs_;
};

} // namespace phobos::kbench
