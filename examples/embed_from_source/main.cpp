// Compiles a kernel from its text while the program runs, then launches it. A second run finds the result in
// the cache.
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

  auto module = phobos::Module::load(c.bundle.data(), c.bundle.size(), {.target = "cpu"});
  if (!module) {
    std::fprintf(stderr, "%s\n", module.error().message.c_str());
    return 1;
  }
  const int64_t n = 1000;
  std::vector<float> x(n, 3.0f), y(n);
  auto status = module->kernel("scale").value().launch(nullptr, phobos::TensorView(x.data(), {n}),
                                                       phobos::TensorView(y.data(), {n}), 0.5f);
  if (!status) {
    std::fprintf(stderr, "%s\n", status.message.c_str());
    return 1;
  }
  for (float v : y)
    if (v != 1.5f)
      return 1;
  std::printf("scale, %s: right\n", c.fromCache ? "from the cache" : "compiled now");
  return 0;
}
