// Loads a bundle and launches its kernel, from C++: on the GPU where there is one and the bundle has code for
// it, else on the CPU.
//
//   phobos-compile saxpy.pho --target sm_90a --target cpu -o saxpy.phx && ./embed_cpp saxpy.phx
//   [auto|cuda|cpu]
#include "../embed_common/memory.h"
#include <cmath>
#include <cstdio>
#include <phobos/phobos.hpp>
#include <vector>

static int fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  auto module =
      phobos::Module::load(argc > 1 ? argv[1] : "saxpy.phx", {.target = argc > 2 ? argv[2] : "auto"});
  if (!module)
    return fail(module.error().message);
  auto saxpy = module->kernel("saxpy");
  if (!saxpy)
    return fail(saxpy.error().message);
  if (!memory_open(!module->isCpu()))
    return fail("the driver does not answer");

  const int64_t n = 100003;
  std::vector<float> x(n), y(n, 1.0f);
  for (int64_t i = 0; i < n; ++i)
    x[i] = float(i % 17);
  auto *dx = static_cast<float *>(memory_from(x.data(), n * sizeof(float)));
  auto *dy = static_cast<float *>(memory_from(y.data(), n * sizeof(float)));
  phobos::TensorView X(dx, {n}), Y(dy, {n});

  // Every check of the contract, then the launch; on a GPU the null stream is the default one.
  if (auto status = saxpy->launch(nullptr, X, Y, 2.0f); !status)
    return fail(status.message);

  // A mistake names itself and launches nothing.
  auto wrong = saxpy->launch(nullptr, X, phobos::TensorView(dy, {n - 1}), 2.0f);
  if (wrong)
    return fail("unequal extents were accepted");
  std::printf("refused as it should be: %s\n", wrong.message.c_str());

  // Checks once, launches often.
  auto prepared = saxpy->prepare({}, X, Y, 0.5f);
  if (!prepared)
    return fail(prepared.error().message);
  for (int i = 0; i < 10; ++i)
    if (auto status = prepared->launch(); !status)
      return fail(status.message);

  if (!memory_to(y.data(), dy, n * sizeof(float)))
    return fail("running failed");
  for (int64_t i = 0; i < n; ++i)
    if (y[i] != 7.0f * x[i] + 1.0f)
      return fail("wrong at " + std::to_string(i));
  std::printf("saxpy on %s at %s: right\n", module->deviceName().c_str(), prepared->point().c_str());
  memory_free(dx);
  memory_free(dy);
  return 0;
}
