// By hand: every f32 input of a function against its reference, or the functions' speed on this machine.
#include "tests/common/MathCheck.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace phobos;
using namespace phobos::testing;

namespace {

void speed(HostJit &jit, const MathCase &m, ScalarType type) {
  Kernel f = compileMath(jit, m.fn, type, type == ScalarType::F32 ? 16 : 8);
  size_t bytes = 16384;
  std::vector<char> in(bytes), out(bytes);
  int64_t n = int64_t(bytes / byteSize(type));
  for (int64_t i = 0; i < n; ++i) {
    double v = 0.01 + 8.0 * double(i) / double(n);
    float s = float(v);
    std::memcpy(&in[size_t(i) * byteSize(type)], type == ScalarType::F32 ? static_cast<void *>(&s) : &v,
                byteSize(type));
  }
  const void *arrays[] = {in.data()};
  double best = 1e9;
  for (int repeat = 0; repeat < 20; ++repeat) {
    auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 100; ++k)
      f(arrays, out.data(), n);
    best =
        std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 100);
  }
  std::printf("%-8s %s %6.2f Gelem/s\n", m.name, type == ScalarType::F32 ? "f32" : "f64",
              double(n) / best * 1e-9);
}

} // namespace

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "speed";
  uint64_t stride = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  HostJit jit;
  bool failed = false;
  for (const MathCase &m : mathCases()) {
    if (!std::strcmp(what, "speed")) {
      speed(jit, m, ScalarType::F32);
      speed(jit, m, ScalarType::F64);
    } else if (!std::strcmp(what, "all") || !std::strcmp(what, m.name)) {
      Worst w = compareF32(m, compileMath(jit, m.fn, ScalarType::F32, 16), 0, uint64_t(1) << 32, stride);
      std::printf("%-8s %8.4f ulp at %a (%.9g): %a, bound %g\n", m.name, w.ulps, double(w.at), double(w.at),
                  double(w.got), m.boundF32);
      std::fflush(stdout);
      failed |= w.ulps > m.boundF32;
    }
  }
  return failed;
}
