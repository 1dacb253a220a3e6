#include "runtime/cuda/Driver.h"
#include <dlfcn.h>

namespace phobos::cuda {

namespace {

struct Loaded {
  Driver driver;
  std::string error;
};

Loaded loadDriver() {
  Loaded l;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    l.error = "no CUDA driver on this machine (libcuda.so.1 was not found)";
    return l;
  }
#define CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS)                                                              \
  l.driver.NAME = reinterpret_cast<int(*) PARAMETERS>(dlsym(library, SYMBOL));                               \
  if (!l.driver.NAME && l.error.empty())                                                                     \
    l.error = "the CUDA driver is too old: it has no " SYMBOL;
#define CUDA_LATER_FUNCTION(NAME, SYMBOL, PARAMETERS)                                                        \
  l.driver.NAME = reinterpret_cast<int(*) PARAMETERS>(dlsym(library, SYMBOL));
#include "runtime/cuda/Functions.def"
  if (!l.error.empty())
    return l;
  if (int status = l.driver.init(0)) {
    l.error = "the CUDA driver cannot be used: " + errorText(l.driver, status);
    return l;
  }
  l.driver.driverGetVersion(&l.driver.version);
  int count = 0;
  if (l.driver.deviceGetCount(&count) || count == 0)
    l.error = "the CUDA driver finds no device";
  return l;
}

} // namespace

const Driver *Driver::get(std::string &error) {
  static const Loaded loaded = loadDriver(); // once; the driver stays for the life of the process
  error = loaded.error;
  return error.empty() ? &loaded.driver : nullptr;
}

std::string errorText(const Driver &driver, int status) {
  const char *name = nullptr, *text = nullptr;
  if (driver.getErrorName)
    driver.getErrorName(status, &name);
  if (driver.getErrorString)
    driver.getErrorString(status, &text);
  return std::string(name ? name : "CUDA error " + std::to_string(status)) +
         (text ? std::string(": ") + text : "");
}

unsigned ptxVersionOf(int cudaVersion) {
  // From the release notes of the PTX ISA: CUDA 11.0 brought 7.0, .. 12.0 8.0, .. 12.9 8.8, 13.0 9.0.
  int major = cudaVersion / 1000, minor = cudaVersion % 1000 / 10;
  if (major >= 13)
    return 90 + static_cast<unsigned>((major - 13) * 10 + minor);
  if (major == 12)
    return minor >= 9   ? 88
           : minor >= 8 ? 87
           : minor >= 7 ? 86
                        : 80 + static_cast<unsigned>(minor > 5 ? 5 : minor);
  if (major == 11)
    return 70 + static_cast<unsigned>(minor > 8 ? 8 : minor);
  return 64;
}

} // namespace phobos::cuda
