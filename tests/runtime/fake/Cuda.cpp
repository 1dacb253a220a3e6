#include "tests/runtime/fake/Fake.h"
#include <cstdlib>
#include <cstring>

// The interface is the driver's.
namespace {

fake::Driver driver;
thread_local std::vector<fake::Context *> stack;

fake::Context *current() { return stack.empty() ? nullptr : stack.back(); }

int done(const char *call, int status = 0) {
  std::lock_guard lock(driver.mutex);
  driver.calls.emplace_back(call);
  return status;
}

template <typename T> int give(void *out, T value) {
  std::memcpy(out, &value, sizeof value);
  return 0;
}

constexpr int invalidValue = 1, invalidContext = 201;

} // namespace

extern "C" {

void *fakeDriver() { return &driver; }

int cuDriverGetVersion(int *version) { return give(version, 13000); }
int cuDeviceGetCount(int *count) { return give(count, 3); }
int cuDeviceGet(int *device, int ordinal) { return give(device, ordinal); }
int cuDeviceGetName(char *name, int, int device) {
  std::strcpy(name, device == 2 ? "Older" : "Fake");
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) { return give(bytes, size_t(1) << 34); }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  const char *asked = std::getenv("FAKE_SM");
  const int sm = device == 2 ? 86 : asked && device == 0 ? std::atoi(asked) : 90;
  switch (attribute) {
  case 75:
    return give(value, sm / 10);
  case 76:
    return give(value, sm % 10);
  case 16:
    return give(value, 10); // multiprocessors
  default:
    return give(value, 1 << 17);
  }
}
int cuGetErrorName(int error, const char **text) {
  return give(text, error == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR");
}
int cuGetErrorString(int, const char **text) { return give(text, "as the test wants it"); }

int cuDevicePrimaryCtxRetain(void **context, int device) { return give(context, &driver.primary[device]); }
int cuDevicePrimaryCtxGetState(int, unsigned *flags, int *active) {
  *flags = 0, *active = 1;
  return 0;
}
int cuCtxGetCurrent(void **context) { return give(context, current()), done("cuCtxGetCurrent"); }
int cuCtxPushCurrent_v2(void *context) {
  stack.push_back(static_cast<fake::Context *>(context));
  return done("cuCtxPushCurrent_v2");
}
int cuCtxPopCurrent_v2(void **context) {
  give(context, current());
  stack.pop_back();
  return done("cuCtxPopCurrent_v2");
}
int cuCtxGetDevice(int *device) { return current() ? give(device, current()->device) : invalidContext; }

int cuPointerGetAttribute(void *value, int attribute, uint64_t address) {
  done("cuPointerGetAttribute");
  auto found = driver.memory.upper_bound(address);
  if (found == driver.memory.begin() || address - std::prev(found)->first >= std::prev(found)->second.bytes)
    return invalidValue;
  const fake::Memory &m = std::prev(found)->second;
  const bool asksContext = attribute == 3 || attribute == 16;
  if (asksContext && !current())
    return invalidContext;
  unsigned access = 3;
  if (asksContext && m.kind == fake::Kind::Device && !m.managed && m.device != current()->device) {
    auto a = current()->access.find(m.device);
    access = a == current()->access.end() ? 0 : a->second;
  }
  switch (attribute) {
  case 2:
    return give(value, m.kind);
  case 3:
    return access ? give(value, address) : invalidValue;
  case 8:
    return give(value, unsigned(m.managed));
  case 9:
    return give(value, m.device);
  case 16:
    return driver.tellsAccess ? give(value, access ? access : 3u)
                              : invalidValue; // without access: its own device's
  default:
    return invalidValue;
  }
}

int cuModuleLoadDataEx(void **module, const void *, unsigned, int *, void **) {
  return give(module, &driver), done("cuModuleLoadDataEx");
}
int cuModuleGetFunction(void **function, void *, const char *name) {
  static std::set<std::string> names;
  std::lock_guard lock(driver.mutex);
  return give(function, &*names.insert(name).first);
}
int cuMemPoolCreate(void **pool, const void *) {
  return give(pool, &driver.nextTaken), done("cuMemPoolCreate");
}
int cuMemAllocFromPoolAsync(uint64_t *address, size_t bytes, void *pool, void *) {
  done("cuMemAllocFromPoolAsync");
  if (driver.refusePool)
    return driver.refusePool;
  std::lock_guard lock(driver.mutex);
  if (pool != &driver.nextTaken)
    return invalidValue;
  give(address, driver.nextTaken);
  driver.taken[driver.nextTaken] = bytes;
  driver.nextTaken += (bytes + 511) / 512 * 512;
  return 0;
}
int cuMemFreeAsync(uint64_t address, void *) {
  done("cuMemFreeAsync");
  std::lock_guard lock(driver.mutex);
  return driver.taken.erase(address) ? 0 : invalidValue;
}
int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, void *) {
  done("cuMemsetD8Async");
  std::lock_guard lock(driver.mutex);
  driver.zeroed.insert(driver.zeroed.end(), {address, bytes});
  return value == 0 ? 0 : invalidValue;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t) {
  return give(blocks, driver.residentBlocks);
}
int cuEventElapsedTime(float *ms, void *, void *) {
  std::lock_guard lock(driver.mutex);
  return give(ms, driver.elapsedMs ? driver.elapsedMs(driver.timings++) : 0.0f);
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned, unsigned,
                   unsigned sharedBytes, void *stream, void **params, void **) {
  done("cuLaunchKernel");
  if (driver.refuseLaunch)
    return driver.refuseLaunch;
  fake::Launch l{*static_cast<std::string *>(function), {gx, gy, gz}, bx, sharedBytes, stream, current(), {}};
  for (size_t i = 0; i < driver.arguments; ++i)
    give(&l.words.emplace_back(), *static_cast<uint64_t *>(params[i]));
  std::lock_guard lock(driver.mutex);
  driver.launches.push_back(std::move(l));
  return 0;
}

} // extern "C"
