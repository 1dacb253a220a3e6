// What this processor can do at most, measured with all its threads: f32 and f64 multiply-adds in registers,
// and bytes that a copy moves.
#include "kbench/target/Host.h"
#include <algorithm>
#include <cstring>
#include <sched.h>
#include <thread>
#include <vector>

namespace phobos::kbench {
namespace {

constexpr int accumulators = 12, steps = 400'000, repeats = 5;

// Twelve chains of multiply-adds hide the latency of two units; the sum keeps them from being left out.
#define PHOBOS_FMA_LOOP(NAME, TARGET, ELEMENT, BYTES)                                                        \
  __attribute__((target(TARGET), noinline)) double NAME() {                                                  \
    typedef ELEMENT Vector __attribute__((vector_size(BYTES)));                                              \
    Vector a[accumulators] = {}, factor = {}, term = {};                                                     \
    factor += ELEMENT(0.5), term += ELEMENT(0.25);                                                           \
    for (int i = 0; i < steps; ++i) {                                                                        \
      for (int k = 0; k < accumulators; ++k)                                                                 \
        a[k] = a[k] * factor + term;                                                                         \
      asm volatile("" : "+v"(term));                                                                         \
    }                                                                                                        \
    double sum = 0;                                                                                          \
    for (int k = 0; k < accumulators; ++k)                                                                   \
      sum += static_cast<double>(a[k][0]);                                                                   \
    return sum;                                                                                              \
  }

PHOBOS_FMA_LOOP(fma512F32, "avx512f", float, 64)
PHOBOS_FMA_LOOP(fma512F64, "avx512f", double, 64)
PHOBOS_FMA_LOOP(fma256F32, "avx2,fma", float, 32)
PHOBOS_FMA_LOOP(fma256F64, "avx2,fma", double, 32)
#undef PHOBOS_FMA_LOOP

template <typename F> double bestNs(unsigned threads, F work) {
  double best = 0;
  for (int r = 0; r < repeats; ++r) {
    const double since = nowNanoseconds();
    std::vector<std::thread> pool;
    for (unsigned t = 1; t < threads; ++t)
      pool.emplace_back(work, t);
    work(0u);
    for (std::thread &t : pool)
      t.join();
    const double ns = nowNanoseconds() - since;
    best = r == 0 ? ns : std::min(best, ns);
  }
  return best;
}

} // namespace

bool measureHostRoof(Roof &roof, std::string &error) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const unsigned threads =
      sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
  const size_t chunk = (size_t(128) << 20) / threads / 64 * 64;
  std::vector<char> from(chunk * threads, 1), to(chunk * threads, 2);
  const double copyNs = bestNs(
      threads, [&](unsigned t) { std::memcpy(to.data() + t * chunk, from.data() + t * chunk, chunk); });
  roof.bytesPerNs = 2.0 * static_cast<double>(chunk * threads) / copyNs;
  const bool has512 = __builtin_cpu_supports("avx512f");
  if (!has512 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) {
    error = "this processor has no multiply-add that is measured";
    return true;
  }
  volatile double sink = 0;
  const double lanes = has512 ? 16 : 8, flops = 2.0 * accumulators * steps * threads * lanes;
  const char *how = has512 ? "AVX-512 multiply-adds" : "AVX2 multiply-adds";
  auto add = [&](const char *type, double work, double (*wide)(), double (*narrow)()) {
    const double ns = bestNs(threads, [&](unsigned) { sink = has512 ? wide() : narrow(); });
    roof.products.push_back({type, work / ns, how});
  };
  add("f32", flops, fma512F32, fma256F32);
  add("f64", flops / 2, fma512F64, fma256F64);
  return true;
}

} // namespace phobos::kbench
