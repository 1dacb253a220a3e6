// What the files of gpu-runtime-check share: counting, loading, tensors, the device's primary context.
#pragma once
#include "tests/gpu/runtime/Cuda.h"
#include <phobos/phobos.hpp>
#include <string>
#include <vector>

namespace checks {

inline int passed = 0, failed = 0, skipped = 0;
inline const char *bundlePath = nullptr;

inline void expect(bool ok, const char *what, const std::string &detail = {}) {
  ok ? ++passed : ++failed;
  if (!ok)
    std::printf("FAIL %s%s%s\n", what, detail.empty() ? "" : ": ", detail.c_str());
}
inline void expectDone(const phobos::Status &s, const char *what) {
  expect(static_cast<bool>(s), what, s.message);
}
inline void skip(const char *what) {
  ++skipped;
  std::printf("skipped: %s\n", what);
}

inline phobos::Module load(int32_t device = -1, const char *target = "cuda") {
  auto m = phobos::Module::load(bundlePath, {.target = target, .device = device});
  if (m)
    return std::move(m).value();
  std::printf("FAIL loading the bundle: %s\n%d passed, %d failed, %d skipped\n", m.error().message.c_str(),
              passed, failed + 1, skipped);
  std::exit(1);
}

constexpr int64_t n = 1000;
inline std::vector<float> filled(float value, int64_t count = n) {
  return std::vector<float>(static_cast<size_t>(count), value);
}
inline phobos::TensorView view(const cuda::Array<float> &a, int64_t count = n) { return {a.data(), {count}}; }

/// What the driver says that the current context may do at an address.
inline std::string access(const void *address) {
  unsigned flags = 0;
  uint64_t usable = 0;
  const int f = cuda::open().pointerAttribute(&flags, 16, reinterpret_cast<uint64_t>(address)),
            u = cuda::open().pointerAttribute(&usable, 3, reinterpret_cast<uint64_t>(address));
  return "(access flags " + std::to_string(flags) + ", status " + std::to_string(f) + "; device pointer " +
         std::to_string(usable) + ", status " + std::to_string(u) + ")";
}

/// A device's primary context, current for a scope, as the CUDA runtime would have it.
struct Primary {
  explicit Primary(int ordinal) {
    cuda::check(cuda::open().deviceGet(&device, ordinal), "device");
    cuda::check(cuda::open().primaryRetain(&context, device), "context");
    cuda::check(cuda::open().contextSet(context), "context");
  }
  ~Primary() {
    cuda::open().contextSet(nullptr);
    cuda::open().primaryRelease(device);
  }
  int device = 0;
  cuda::Handle context = nullptr;
};

inline cuda::Handle currentContext() {
  cuda::Handle c = nullptr;
  cuda::open().contextGet(&c);
  return c;
}

void workspaces();     ///< Memory.cpp
void farRows();        ///< Memory.cpp
void severalDevices(); ///< Devices.cpp

} // namespace checks
