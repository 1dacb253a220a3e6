// Compiles a kernel from its text while the program runs, for the CPU and for the GPU where there is one,
// then launches it. A second run finds the result in the cache.
#include "../embed_common/memory.h"
#include <cstdio>
#include <phobos/compile.hpp>
#include <phobos/phobos.hpp>
#include <vector>

static const char *const kSource = R"(
@autotune(T in [64, 256])
kernel scale(X: tensor<f32>[N], Y: tensor<f32>[N], s: f32) {
  let i = ctx.block.x * T
  Y[i :+ T] = X[i :+ T] * s
}
)";

int main() {
  phobos::CompileOptions options;
  options.points = {"T=128"};
  if (auto gpu = phobos::deviceTarget())
    options.targets = {gpu.value(), "cpu"};
  phobos::Compilation c = phobos::compile(kSource, "scale.pho", options);
  for (const phobos::CompileDiagnostic &d : c.diagnostics)
    std::fputs(d.rendered.c_str(), stderr);
  if (!c.ok)
    return 1;

  // A faulty source is a value too: nothing is printed or thrown for you.
  phobos::Compilation faulty =
      phobos::compile("kernel k(X: tensor<f32>[N]) {\n  X[0] = Z\n}\n", "faulty.pho");
  if (faulty.ok || faulty.diagnostics.size() != 1 || faulty.diagnostics[0].line != 2)
    return 1;

  phobos::CompileOptions elsewhere;
  elsewhere.targets = {"vax"};
  faulty = phobos::compile(kSource, "scale.pho", elsewhere);
  if (faulty.ok || faulty.diagnostics.size() != 1 || faulty.diagnostics[0].code != "E0919")
    return 1;

  auto module = phobos::Module::load(c.bundle.data(), c.bundle.size());
  if (!module) {
    std::fprintf(stderr, "%s\n", module.error().message.c_str());
    return 1;
  }
  if (!memory_open(!module->isCpu()))
    return 1;
  const int64_t n = 1000;
  std::vector<float> x(n, 3.0f), y(n);
  auto *dx = static_cast<float *>(memory_from(x.data(), n * sizeof(float)));
  auto *dy = static_cast<float *>(memory_from(y.data(), n * sizeof(float)));
  auto status = module->kernel("scale").value().launch(nullptr, phobos::TensorView(dx, {n}),
                                                       phobos::TensorView(dy, {n}), 0.5f);
  if (!status) {
    std::fprintf(stderr, "%s\n", status.message.c_str());
    return 1;
  }
  if (!memory_to(y.data(), dy, n * sizeof(float)))
    return 1;
  memory_free(dx);
  memory_free(dy);
  for (float v : y)
    if (v != 1.5f)
      return 1;
  std::printf("scale on %s, %s: right\n", module->deviceName().c_str(),
              c.fromCache ? "from the cache" : "compiled now");
  return 0;
}
