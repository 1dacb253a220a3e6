// Loads a bundle and launches its kernel, from C++. On the CPU here; with device pointers and a stream the
// same calls run on a GPU.
//
//   phobos-compile saxpy.pho -o saxpy.phx && ./embed_cpp saxpy.phx
#include <cmath>
#include <cstdio>
#include <phobos/phobos.hpp>
#include <vector>

int main(int argc, char **argv) {
  auto module = phobos::Module::load(argc > 1 ? argv[1] : "saxpy.phx", {.target = "cpu"});
  if (!module) {
    std::fprintf(stderr, "%s\n", module.error().message.c_str());
    return 1;
  }
  phobos::Kernel saxpy = module->kernel("saxpy").value();

  const int64_t n = 100003;
  std::vector<float> x(n), y(n);
  for (int64_t i = 0; i < n; ++i)
    x[i] = float(i % 17), y[i] = 1.0f;

  // Every check of the contract, then the launch.
  auto status =
      saxpy.launch(nullptr, phobos::TensorView(x.data(), {n}), phobos::TensorView(y.data(), {n}), 2.0f);
  if (!status) {
    std::fprintf(stderr, "%s\n", status.message.c_str());
    return 1;
  }
  for (int64_t i = 0; i < n; ++i)
    if (std::fabs(y[i] - (2.0f * x[i] + 1.0f)) > 1e-6f) {
      std::fprintf(stderr, "wrong at %lld\n", static_cast<long long>(i));
      return 1;
    }

  // A mistake names itself and launches nothing.
  auto wrong =
      saxpy.launch(nullptr, phobos::TensorView(x.data(), {n}), phobos::TensorView(y.data(), {n - 1}), 2.0f);
  std::printf("refused as it should be: %s\n", wrong.message.c_str());

  // Checks once, launches often.
  auto prepared =
      saxpy.prepare({}, phobos::TensorView(x.data(), {n}), phobos::TensorView(y.data(), {n}), 0.5f);
  if (!prepared || wrong)
    return 1;
  for (int i = 0; i < 10; ++i)
    if (!prepared->launch())
      return 1;
  std::printf("saxpy on %s at %s: right\n", module->deviceName().c_str(), prepared->point().c_str());
  return 0;
}
