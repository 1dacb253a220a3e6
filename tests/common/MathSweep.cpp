// By hand: every f32 input of a function against its reference, or the functions' speed on this machine.
//
//   common-math-sweep all              each function, all 2^32 inputs (an hour of one core)
//   common-math-sweep sin [stride]     one function, every stride-th input (1: all of them)
//   common-math-sweep sin 1 3/8        the third of eight parts of them, for as many processes
//   common-math-sweep speed
//
// MathTest.cpp tries every 1009th input, or every n-th with PHOBOS_MATH_STRIDE=n in the environment.
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
  uint64_t part = 1, parts = 1;
  if (argc > 3) {
    char *slash = nullptr;
    part = std::strtoull(argv[3], &slash, 10);
    parts = *slash == '/' ? std::strtoull(slash + 1, nullptr, 10) : 0;
    if (part < 1 || part > parts)
      return 2;
  }
  const uint64_t inputs = uint64_t(1) << 32, first = inputs / parts * (part - 1);
  const uint64_t end = part == parts ? inputs : inputs / parts * part;
  HostJit jit;
  bool failed = false;
  for (const MathCase &m : mathCases()) {
    if (!std::strcmp(what, "speed")) {
      speed(jit, m, ScalarType::F32);
      speed(jit, m, ScalarType::F64);
    } else if (!std::strcmp(what, "all") || !std::strcmp(what, m.name)) {
      Worst w = compareF32(m, compileMath(jit, m.fn, ScalarType::F32, 16), first, end, stride);
      std::printf("%-8s %8.4f ulp at %a (%.9g): %a, bound %g\n", m.name, w.ulps, double(w.at), double(w.at),
                  double(w.got), m.boundF32);
      std::fflush(stdout);
      failed |= w.ulps > m.boundF32;
    }
  }
  return failed;
}
