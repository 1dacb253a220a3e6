#include "runtime/cuda/Device.h"
#include <algorithm>
#include <utility>

namespace phobos::cuda {

/// Pushing and popping leaves the caller's own context as it was.
class Device::Current {
public:
  explicit Current(const Device &d) : d_(d) { pushed_ = d_.driver_->contextPush(d_.context_) == 0; }
  ~Current() {
    void *ignored = nullptr;
    if (pushed_)
      d_.driver_->contextPop(&ignored);
  }

private:
  const Device &d_;
  bool pushed_ = false;
};

std::string DeviceInfo::target() const { return "sm_" + std::to_string(sm) + (sm >= 90 ? "a" : ""); }

bool Device::check(int status, const char *what, std::string &error) const {
  if (status == 0)
    return true;
  error = std::string(what) + ": " + errorText(*driver_, status);
  return false;
}

/// The device's number for the driver and what it is; makes no context.
static bool query(const Driver &driver, int ordinal, int &device, DeviceInfo &i, std::string &error) {
  int count = 0;
  driver.deviceGetCount(&count);
  if (ordinal < 0 || ordinal >= count) {
    error = "there is no device " + std::to_string(ordinal) + "; the machine has " + std::to_string(count);
    return false;
  }
  if (int status = driver.deviceGet(&device, ordinal)) {
    error = "opening the device: " + errorText(driver, status);
    return false;
  }
  i.ordinal = ordinal;
  char name[256] = {};
  driver.deviceGetName(name, sizeof name, device);
  i.name = name;
  size_t bytes = 0;
  driver.deviceTotalMem(&bytes, device);
  i.memoryBytes = static_cast<int64_t>(bytes);
  auto get = [&](int attribute) {
    int v = 0;
    driver.deviceGetAttribute(&v, attribute, device);
    return v;
  };
  i.sm = static_cast<unsigned>(get(attribute::ccMajor) * 10 + get(attribute::ccMinor));
  i.multiprocessors = get(attribute::multiprocessors);
  i.l2Bytes = get(attribute::l2Bytes);
  i.sharedPerBlock = get(attribute::maxSharedPerBlockOptin);
  i.sharedPerMultiprocessor = get(attribute::sharedPerMultiprocessor);
  i.registersPerMultiprocessor = get(attribute::registersPerMultiprocessor);
  i.threadsPerMultiprocessor = get(attribute::threadsPerMultiprocessor);
  i.blocksPerMultiprocessor = get(attribute::blocksPerMultiprocessor);
  i.reservedSharedPerBlock = get(attribute::reservedSharedPerBlock);
  i.driverVersion = driver.version;
  i.ptxVersion = ptxVersionOf(driver.version);
  return true;
}

bool Device::describe(int ordinal, DeviceInfo &info, std::string &error) {
  const Driver *driver = Driver::get(error);
  int device = 0;
  return driver && query(*driver, ordinal, device, info, error);
}

std::unique_ptr<Device> Device::open(int ordinal, std::string &error) {
  const Driver *driver = Driver::get(error);
  if (!driver)
    return nullptr;
  std::unique_ptr<Device> d(new Device);
  d->driver_ = driver;
  if (!query(*driver, ordinal, d->device_, d->info_, error) ||
      !d->check(driver->primaryContextRetain(&d->context_, d->device_), "making the device's context", error))
    return nullptr;
  d->ownsContext_ = true;
  return d;
}

std::unique_ptr<Device> Device::openBeside(int ordinal, std::string &error) {
  const Driver *driver = Driver::get(error);
  if (!driver)
    return nullptr;
  void *current = nullptr;
  int device = 0, wanted = 0, count = 0;
  if (driver->contextGetCurrent(&current) != 0 || !current || driver->contextGetDevice(&device) != 0)
    return open(std::max(ordinal, 0), error);
  driver->deviceGetCount(&count);
  for (int i = 0; i < count; ++i)
    if (driver->deviceGet(&wanted, i) == 0 && wanted == device && ordinal < 0)
      ordinal = i;
  if (driver->deviceGet(&wanted, ordinal) != 0 || wanted != device)
    return open(ordinal, error);
  unsigned flags = 0;
  int active = 0;
  if (driver->primaryContextGetState(device, &flags, &active) == 0 && active) {
    auto primary = open(ordinal, error);
    if (!primary || primary->context_ == current)
      return primary;
  }
  std::unique_ptr<Device> d(new Device);
  d->driver_ = driver;
  d->context_ = current;
  return query(*driver, ordinal, d->device_, d->info_, error) ? std::move(d) : nullptr;
}

Device::~Device() {
  if (ownsContext_)
    driver_->primaryContextRelease(device_);
}

Device::Place Device::locate(uint64_t address, int &ordinal) const {
  namespace pointer = attribute::pointer;
  unsigned type = 0, managed = 0, access = 0;
  auto get = [&](void *value, int which) { return driver_->pointerGetAttribute(value, which, address) == 0; };
  ordinal = -1;
  if (!get(&type, pointer::memoryType))
    return Place::Unknown;
  if (type == pointer::typeHost || (get(&managed, pointer::isManaged) && managed))
    return Place::Here;
  if (!get(&ordinal, pointer::deviceOrdinal))
    return Place::Unknown;
  if (ordinal == info_.ordinal)
    return Place::Here;
  // Whether the current context reaches it, by peer access (cuCtxEnablePeerAccess) or by the access that a
  // pool or a mapping was given: only then the driver names an address that it could use. (The access flags
  // alone do not tell: driver 580 gives those of the memory's own device.) The flags say whether it may
  // write.
  Current current(*this);
  uint64_t usable = 0;
  if (!get(&usable, pointer::devicePointer) || usable != address)
    return Place::Foreign;
  const bool tells = get(&access, pointer::accessFlags);
  return !tells || (access & pointer::mayReadAndWrite) == pointer::mayReadAndWrite ? Place::Peer
                                                                                   : Place::PeerRead;
}

Device::DuringCapture::DuringCapture(const Device &device) : device_(device) {
  changed_ = device_.driver_->exchangeCaptureMode(&mode_) == 0;
}

Device::DuringCapture::~DuringCapture() {
  if (changed_)
    device_.driver_->exchangeCaptureMode(&mode_);
}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(device_, other.device_);
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Buffer::~Buffer() {
  if (address_) {
    Device::Current current(*device_);
    device_->driver_->memFree(address_);
  }
}

Pool &Pool::operator=(Pool &&other) noexcept {
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  return *this;
}

Pool::~Pool() {
  if (handle_) {
    Device::Current current(*device_);
    device_->driver_->memPoolDestroy(handle_);
  }
}

Module &Module::operator=(Module &&other) noexcept {
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  return *this;
}

Module::~Module() {
  if (handle_) {
    Device::Current current(*device_);
    device_->driver_->moduleUnload(handle_);
  }
}

void Device::inContext(const std::function<void()> &work) const {
  Current current(*this);
  work();
}

bool Device::allocate(size_t bytes, Buffer &out, std::string &error) const {
  Current current(*this);
  Buffer b;
  b.device_ = this;
  // An empty tensor still has an address.
  if (!check(driver_->memAlloc(&b.address_, bytes ? bytes : 1),
             ("allocating " + std::to_string(bytes) + " bytes").c_str(), error))
    return false;
  b.bytes_ = bytes;
  out = std::move(b);
  return true;
}

bool Device::upload(uint64_t to, const void *from, size_t bytes, std::string &error) const {
  Current current(*this);
  return bytes == 0 || check(driver_->memcpyHtoD(to, from, bytes), "copying to the device", error);
}

bool Device::download(void *to, uint64_t from, size_t bytes, std::string &error) const {
  Current current(*this);
  return bytes == 0 || check(driver_->memcpyDtoH(to, from, bytes), "copying from the device", error);
}

bool Device::copy(uint64_t to, uint64_t from, size_t bytes, void *stream, std::string &error) const {
  Current current(*this);
  return bytes == 0 ||
         check(driver_->memcpyDtoDAsync(to, from, bytes, stream), "copying on the device", error);
}

bool Device::fill(uint64_t to, unsigned char value, size_t bytes, void *stream, std::string &error) const {
  Current current(*this);
  return bytes == 0 || check(driver_->memsetD8Async(to, value, bytes, stream), "filling memory", error);
}

namespace {
/// CUmemPoolProps: pinned memory of one device, not shared with other processes.
struct PoolProperties {
  int allocationType = 1, handleTypes = 0;
  int placeType = 1, place = 0;
  void *security = nullptr;
  unsigned char rest[64] = {};
};
static_assert(sizeof(PoolProperties) == 88);
} // namespace

bool Device::makePool(Pool &out, std::string &error) const {
  Current current(*this);
  if (!driver_->memPoolCreate || !driver_->memPoolDestroy || !driver_->memPoolSetAttribute ||
      !driver_->memAllocFromPoolAsync || !driver_->memFreeAsync) {
    error = "the driver has no pools of memory; they begin with CUDA 11.2, it supports " +
            std::to_string(driver_->version / 1000) + "." + std::to_string(driver_->version % 1000 / 10);
    return false;
  }
  PoolProperties properties;
  properties.place = device_;
  Pool p;
  p.device_ = this;
  uint64_t all = UINT64_MAX; // never back to the system, so that repeated launches find it there
  if (!check(driver_->memPoolCreate(&p.handle_, &properties), "making a pool of memory", error) ||
      !check(driver_->memPoolSetAttribute(p.handle_, attribute::pool::releaseThreshold, &all),
             "setting up a pool of memory", error))
    return false;
  out = std::move(p);
  return true;
}

bool Device::load(std::string_view image, Module &out, std::string &error) const {
  Current current(*this);
  // Options 5 and 6 are the error log and its size; 12 asks for the lines of PTX that the driver compiles.
  std::string text(image), log(8192, '\0');
  int options[] = {5, 6, 12};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size()), reinterpret_cast<void *>(1)};
  Module m;
  m.device_ = this;
  int status = driver_->moduleLoadDataEx(&m.handle_, text.c_str(), 3, options, values);
  if (!check(status, "loading the module", error)) {
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
    if (!log.empty())
      error += "\n" + log;
    return false;
  }
  out = std::move(m);
  return true;
}

bool Device::function(const Module &module, const char *symbol, Function &out, std::string &error) const {
  Current current(*this);
  return check(driver_->moduleGetFunction(&out.handle, module.handle_, symbol),
               (std::string("finding '") + symbol + "'").c_str(), error);
}

bool Device::allowShared(const Function &function, int64_t bytes, std::string &error) const {
  Current current(*this);
  return bytes <= 49152 ||
         check(driver_->funcSetAttribute(function.handle, attribute::function::maxDynamicShared,
                                         static_cast<int>(bytes)),
               ("allowing " + std::to_string(bytes) + " bytes of shared memory").c_str(), error);
}

bool Device::describe(const Function &function, FunctionInfo &out, std::string &error) const {
  Current current(*this);
  auto get = [&](int which, int &value) {
    return check(driver_->funcGetAttribute(&value, which, function.handle), "describing a function", error);
  };
  namespace a = attribute::function;
  return get(a::registers, out.registers) && get(a::localBytes, out.localBytes) &&
         get(a::sharedBytes, out.staticSharedBytes) && get(a::maxThreads, out.maxThreads);
}

bool Device::residentBlocks(const Function &function, int threads, int64_t sharedBytes, int &out,
                            std::string &error) const {
  Current current(*this);
  return check(driver_->occupancyBlocks(&out, function.handle, threads, static_cast<size_t>(sharedBytes)),
               "computing occupancy", error);
}

bool Device::launch(const Function &function, const uint32_t grid[3], uint32_t threads, uint32_t sharedBytes,
                    void *stream, void **params, std::string &error) const {
  Current current(*this);
  return check(driver_->launchKernel(function.handle, grid[0], grid[1], grid[2], threads, 1, 1, sharedBytes,
                                     stream, params, nullptr),
               "launching", error);
}

bool Device::synchronize(std::string &error) const {
  Current current(*this);
  return check(driver_->contextSynchronize(), "running", error);
}

Device::Timer::Timer(const Device &device) : device_(device) {
  Current current(device_);
  device_.driver_->eventCreate(&begin_, 0);
  device_.driver_->eventCreate(&end_, 0);
}

Device::Timer::~Timer() {
  Current current(device_);
  device_.driver_->eventDestroy(begin_);
  device_.driver_->eventDestroy(end_);
}

bool Device::Timer::start(void *stream, std::string &error) {
  Current current(device_);
  return device_.check(device_.driver_->eventRecord(begin_, stream), "timing", error);
}

bool Device::Timer::stop(void *stream, std::string &error) {
  Current current(device_);
  return device_.check(device_.driver_->eventRecord(end_, stream), "timing", error);
}

bool Device::Timer::elapsedMs(float &ms, std::string &error) {
  Current current(device_);
  return device_.check(device_.driver_->eventSynchronize(end_), "running", error) &&
         device_.check(device_.driver_->eventElapsedTime(&ms, begin_, end_), "timing", error);
}

} // namespace phobos::cuda
