// The CUDA driver for the programs of this folder, opened at run time: what an application would get from
// CUDA's own headers.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

namespace cuda {

using Handle = void *;

/// The driver's functions; each fails the program where it fails. Made once, by `open`.
struct Api {
#define FUNCTIONS(F)                                                                                         \
  F(init, cuInit, (unsigned))                                                                                \
  F(deviceCount, cuDeviceGetCount, (int *))                                                                  \
  F(deviceGet, cuDeviceGet, (int *, int))                                                                    \
  F(deviceAttribute, cuDeviceGetAttribute, (int *, int, int))                                                \
  F(primaryRetain, cuDevicePrimaryCtxRetain, (Handle *, int))                                                \
  F(primaryRelease, cuDevicePrimaryCtxRelease_v2, (int))                                                     \
  F(contextCreate, cuCtxCreate_v2, (Handle *, unsigned, int))                                                \
  F(contextDestroy, cuCtxDestroy_v2, (Handle))                                                               \
  F(contextSet, cuCtxSetCurrent, (Handle))                                                                   \
  F(contextGet, cuCtxGetCurrent, (Handle *))                                                                 \
  F(canAccessPeer, cuDeviceCanAccessPeer, (int *, int, int))                                                 \
  F(enablePeer, cuCtxEnablePeerAccess, (Handle, unsigned))                                                   \
  F(disablePeer, cuCtxDisablePeerAccess, (Handle))                                                           \
  F(pointerAttribute, cuPointerGetAttribute, (void *, int, uint64_t))                                        \
  F(synchronize, cuCtxSynchronize, ())                                                                       \
  F(allocate, cuMemAlloc_v2, (uint64_t *, size_t))                                                           \
  F(release, cuMemFree_v2, (uint64_t))                                                                       \
  F(allocateHost, cuMemAllocHost_v2, (void **, size_t))                                                      \
  F(releaseHost, cuMemFreeHost, (void *))                                                                    \
  F(upload, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                                               \
  F(download, cuMemcpyDtoH_v2, (void *, uint64_t, size_t))                                                   \
  F(streamCreate, cuStreamCreate, (Handle *, unsigned))                                                      \
  F(streamDestroy, cuStreamDestroy_v2, (Handle))                                                             \
  F(streamSynchronize, cuStreamSynchronize, (Handle))                                                        \
  F(beginCapture, cuStreamBeginCapture_v2, (Handle, int))                                                    \
  F(endCapture, cuStreamEndCapture, (Handle, Handle *))                                                      \
  F(instantiate, cuGraphInstantiateWithFlags, (Handle *, Handle, unsigned long long))                        \
  F(launchGraph, cuGraphLaunch, (Handle, Handle))                                                            \
  F(destroyGraphExec, cuGraphExecDestroy, (Handle))                                                          \
  F(destroyGraph, cuGraphDestroy, (Handle))                                                                  \
  F(moduleLoad, cuModuleLoadData, (Handle *, const void *))                                                  \
  F(moduleUnload, cuModuleUnload, (Handle))                                                                  \
  F(moduleFunction, cuModuleGetFunction, (Handle *, Handle, const char *))                                   \
  F(functionSet, cuFuncSetAttribute, (Handle, int, int))                                                     \
  F(launch, cuLaunchKernel,                                                                                  \
    (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **,          \
     void **))
#define F(NAME, SYMBOL, PARAMETERS) int(*NAME) PARAMETERS = nullptr;
  FUNCTIONS(F)
#undef F
  int devices = 0;
};

inline void check(int status, const char *what) {
  if (status == 0)
    return;
  std::printf("FAULT %s: CUDA error %d\n", what, status);
  std::exit(1);
}

/// Ends the program with 77 (CTest: skipped) where there is no driver or no device.
inline const Api &open() {
  static const Api api = [] {
    Api a;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool complete = library != nullptr;
#define F(NAME, SYMBOL, PARAMETERS)                                                                          \
  if (library)                                                                                               \
    a.NAME = reinterpret_cast<int(*) PARAMETERS>(dlsym(library, #SYMBOL)), complete &= a.NAME != nullptr;
    FUNCTIONS(F)
#undef F
    if (!complete || a.init(0) != 0 || a.deviceCount(&a.devices) != 0 || a.devices == 0) {
      std::puts("skipped: no CUDA driver with a device on this machine");
      std::exit(77);
    }
    return a;
  }();
  return api;
}
#undef FUNCTIONS

/// Memory of the current context's device, filled from a vector.
template <typename T> class Array {
public:
  explicit Array(const std::vector<T> &values) : size_(values.size()) {
    check(open().allocate(&address_, size_ * sizeof(T) + 64), "allocating");
    if (size_)
      check(open().upload(address_, values.data(), size_ * sizeof(T)), "uploading");
  }
  ~Array() { open().release(address_); }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  T *data() const { return reinterpret_cast<T *>(address_); }
  /// Waits for the whole context first.
  std::vector<T> values() const {
    std::vector<T> out(size_);
    check(open().synchronize(), "running");
    if (size_)
      check(open().download(out.data(), address_, size_ * sizeof(T)), "downloading");
    return out;
  }

private:
  uint64_t address_ = 0;
  size_t size_ = 0;
};

struct Stream {
  Handle handle = nullptr;
  Stream() { check(open().streamCreate(&handle, 1), "making a stream"); } // 1: beside the default stream
  ~Stream() { open().streamDestroy(handle); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
};

} // namespace cuda
