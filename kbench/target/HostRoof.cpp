// What this processor can do at most, measured with all its threads: f32 and f64 multiply-adds in registers,
// and bytes that a copy moves.
#include "kbench/stats/Agreement.h"
#include "kbench/target/Host.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <sched.h>
#include <thread>
#include <vector>

namespace phobos::kbench {
namespace {

constexpr int accumulators = 12, steps = 400'000;
// Long past the time slice of whoever has one of the cores, and for which two threads may share one.
constexpr double leastNs = 100e6;
constexpr int leastRounds = 5;

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

std::vector<int> processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> list;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int c = 0; c < CPU_SETSIZE; ++c)
      if (CPU_ISSET(c, &set))
        list.push_back(c);
  return list.empty() ? std::vector{-1} : list;
}

void pinTo(int cpu) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (cpu < 0)
    return;
  CPU_SET(cpu, &own);
  sched_setaffinity(0, sizeof own, &own);
}

/// `work(t)` by a thread on each processor (left to themselves, short-lived ones often share one), to the end
/// of all.
template <typename F> void onEach(const std::vector<int> &cpus, F work) {
  std::vector<std::thread> pool;
  for (unsigned t = 0; t < cpus.size(); ++t)
    pool.emplace_back([&, t] {
      pinTo(cpus[t]);
      work(t);
    });
  for (std::thread &t : pool)
    t.join();
}

/// The time of the fastest round, of enough rounds.
template <typename F> double fastestNs(F round) {
  double best = 0;
  const double begin = nowNanoseconds();
  for (int r = 0; r < leastRounds || nowNanoseconds() - begin < leastNs; ++r) {
    const double since = nowNanoseconds();
    round();
    const double ns = nowNanoseconds() - since;
    best = r == 0 ? ns : std::min(best, ns);
  }
  return best;
}

/// What the threads make together when nobody holds one of them up: they share nothing, so each one's fastest
/// round counts. `work` is a thread's of a round.
template <typename F> double rateAlone(const std::vector<int> &cpus, double work, F round) {
  std::vector<double> best(cpus.size());
  onEach(cpus, [&](unsigned t) { best[t] = fastestNs(round); });
  double rate = 0;
  for (double ns : best)
    rate += work / ns;
  return rate;
}

} // namespace

bool measureHostRoof(Roof &roof, std::string &error) {
  const std::vector<int> cpus = processors();
  const size_t threads = cpus.size();
  const size_t chunk = (size_t(128) << 20) / threads / 64 * 64;
  std::vector<char> from(chunk * threads, 1), to(chunk * threads, 2);
  // The threads share the memory: a round is begun together and ended by the last.
  auto copy = [&]() -> std::optional<double> {
    const double ns = fastestNs([&] {
      onEach(cpus, [&](unsigned t) { std::memcpy(to.data() + t * chunk, from.data() + t * chunk, chunk); });
    });
    return 2.0 * static_cast<double>(chunk * threads) / ns;
  };
  const bool has512 = __builtin_cpu_supports("avx512f"),
             hasAny = has512 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  volatile double sink = 0;
  const double lanes = has512 ? 16 : 8, flops = 2.0 * accumulators * steps * lanes;
  auto products = [&](double work, double (*wide)(), double (*narrow)()) {
    return rateAlone(cpus, work, [&, wide, narrow] { sink = has512 ? wide() : narrow(); });
  };
  std::vector<Measure> measures{copy};
  if (hasAny) {
    measures.emplace_back([&] { return products(flops, fma512F32, fma256F32); });
    measures.emplace_back([&] { return products(flops / 2, fma512F64, fma256F64); });
  }
  // Each takes long enough that the others are pause enough between the first two.
  const std::vector<LargestOf> rates = *measureUntilTheyAgree(measures, {});
  roof.bytesPerNs = rates[0].largest();
  roof.isSteady = agree(rates);
  if (!hasAny) {
    error = "this processor has no multiply-add that is measured";
    return true;
  }
  const char *how = has512 ? "AVX-512 multiply-adds" : "AVX2 multiply-adds";
  roof.products = {{"f32", rates[1].largest(), how}, {"f64", rates[2].largest(), how}};
  return true;
}

} // namespace phobos::kbench
