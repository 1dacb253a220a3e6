// One CUDA device, with values that free themselves. All calls make their context current for their duration
// and leave the caller's as it was; each returns false with a message where the driver refuses. Thread-safe,
// but for one object used from two threads at once.
#pragma once
#include "runtime/cuda/Driver.h"
#include <functional>
#include <memory>
#include <string_view>

namespace phobos::cuda {

struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  unsigned sm = 0; ///< 10 * major + minor: 75, 80, 89, 90
  int multiprocessors = 0;
  int64_t memoryBytes = 0, l2Bytes = 0;
  int64_t sharedPerBlock = 0; ///< with the opt-in
  int64_t sharedPerMultiprocessor = 0, registersPerMultiprocessor = 0, threadsPerMultiprocessor = 0,
          blocksPerMultiprocessor = 0;
  int64_t reservedSharedPerBlock = 0;
  int driverVersion = 0;   ///< CUDA version that the driver supports, 1000 * major + 10 * minor
  unsigned ptxVersion = 0; ///< highest PTX that it takes
  /// `sm_90a` where the processor has an architecture-specific set of its own, else `sm_80`
  std::string target() const;
};

class Device;

/// Device memory.
class Buffer {
public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept { *this = std::move(other); }
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();
  uint64_t address() const { return address_; }
  size_t bytes() const { return bytes_; }

private:
  friend class Device;
  const Device *device_ = nullptr;
  uint64_t address_ = 0;
  size_t bytes_ = 0;
};

/// Device memory that is taken and given back in the order of a stream's work, also on several streams at
/// once and on one that is being captured (then by nodes of the graph). What is given back stays here for the
/// next time.
class Pool {
public:
  Pool() = default;
  Pool(Pool &&other) noexcept { *this = std::move(other); }
  Pool &operator=(Pool &&other) noexcept;
  ~Pool();
  bool isMade() const { return handle_ != nullptr; }
  void *handle() const { return handle_; }

private:
  friend class Device;
  const Device *device_ = nullptr;
  void *handle_ = nullptr;
};

/// What the driver says of a loaded function.
struct FunctionInfo {
  int registers = 0, localBytes = 0, staticSharedBytes = 0, maxThreads = 0;
};

struct Function {
  void *handle = nullptr;
};

/// A loaded module (PTX text or a cubin).
class Module {
public:
  Module() = default;
  Module(Module &&other) noexcept { *this = std::move(other); }
  Module &operator=(Module &&other) noexcept;
  ~Module();
  bool isLoaded() const { return handle_ != nullptr; }

private:
  friend class Device;
  const Device *device_ = nullptr;
  void *handle_ = nullptr;
};

class Device {
public:
  /// What device `ordinal` is, without a context on it.
  static bool describe(int ordinal, DeviceInfo &info, std::string &error);
  /// Opens device `ordinal` with its primary context; null with the reason.
  static std::unique_ptr<Device> open(int ordinal, std::string &error);
  /// Opens the device of the calling thread's current context with that very context, so that streams and
  /// memory that the application made there are at home. `ordinal` -1: any device; another: where the current
  /// context is on a different device, or there is none, as open(). -1 without a context is device 0.
  static std::unique_ptr<Device> openBeside(int ordinal, std::string &error);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const DeviceInfo &info() const { return info_; }
  const Driver &driver() const { return *driver_; }
  void *context() const { return context_; }

  bool allocate(size_t bytes, Buffer &out, std::string &error) const;
  bool upload(uint64_t to, const void *from, size_t bytes, std::string &error) const;
  bool download(void *to, uint64_t from, size_t bytes, std::string &error) const;
  bool copy(uint64_t to, uint64_t from, size_t bytes, void *stream, std::string &error) const;
  bool fill(uint64_t to, unsigned char value, size_t bytes, void *stream, std::string &error) const;

  bool makePool(Pool &out, std::string &error) const;

  /// `image` is PTX text or a cubin. The message carries the driver's log.
  bool load(std::string_view image, Module &out, std::string &error) const;
  bool function(const Module &module, const char *symbol, Function &out, std::string &error) const;
  /// Raises the function's limit of dynamic shared memory.
  bool allowShared(const Function &function, int64_t bytes, std::string &error) const;
  bool describe(const Function &function, FunctionInfo &out, std::string &error) const;
  /// Blocks that fit one multiprocessor.
  bool residentBlocks(const Function &function, int threads, int64_t sharedBytes, int &out,
                      std::string &error) const;
  bool launch(const Function &function, const uint32_t grid[3], uint32_t threads, uint32_t sharedBytes,
              void *stream, void **params, std::string &error) const;
  /// Where an address lies, for who would hand it to a kernel on this device.
  enum class Place : uint8_t {
    Here,     ///< memory of this device, managed memory, or page-locked host memory
    Peer,     ///< memory of another device that our context may read and write
    PeerRead, ///< memory of another device that our context may read alone
    Foreign,  ///< memory of another device that our context has no access to
    Unknown   ///< no memory that the driver knows: pageable host memory, or freed
  };
  /// `ordinal` becomes the device that the memory lies on, -1 for the host's and for what is not known.
  Place locate(uint64_t address, int &ordinal) const;
  /// Lets calls that a stream capture forbids by default (loading code, ..) pass for a scope, on this thread;
  /// the capture itself is not touched by them.
  class DuringCapture {
  public:
    explicit DuringCapture(const Device &device);
    ~DuringCapture();
    DuringCapture(const DuringCapture &) = delete;
    DuringCapture &operator=(const DuringCapture &) = delete;

  private:
    const Device &device_;
    int mode_ = 2; ///< relaxed; the thread's former mode while the scope lasts
    bool changed_ = false;
  };
  /// Calls `work` with the device's context current, for libraries that use what is.
  void inContext(const std::function<void()> &work) const;
  /// Waits for everything on the device; an asynchronous fault shows here.
  bool synchronize(std::string &error) const;

  /// Times work on a stream with device events: start, stop, then milliseconds once the work is done.
  class Timer {
  public:
    explicit Timer(const Device &device);
    ~Timer();
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;
    bool start(void *stream, std::string &error);
    bool stop(void *stream, std::string &error);
    bool elapsedMs(float &ms, std::string &error);

  private:
    const Device &device_;
    void *begin_ = nullptr, *end_ = nullptr;
  };

private:
  Device() = default;
  friend class Buffer;
  friend class Pool;
  friend class Module;
  class Current; ///< the context, current for a scope
  bool check(int status, const char *what, std::string &error) const;

  const Driver *driver_ = nullptr;
  int device_ = 0;
  void *context_ = nullptr;
  bool ownsContext_ = false; ///< a reference to the primary context, else the application's own
  DeviceInfo info_;
};

} // namespace phobos::cuda
