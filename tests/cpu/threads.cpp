// Per-thread code: threads that take different ways, loops of different lengths, stores, atomics.
#include "tests/cpu/CpuTest.h"

using namespace phobos::cpu::test;

namespace {
constexpr const char *kPerThread = "attributes {pho.kernel, pho.per_thread, pho.threads = 96 : i64}";
}

TEST(CpuThreads, LoopsOfDifferentLengthsAndBranches) {
  const std::string text = std::string(R"(
func.func @kernel(%X: !pho.view<1, f32>, %O: !pho.view<1, f32>, %N: index {pho.dim}) )") +
                           kPerThread + R"( {
  %t = pho.thread_id
  %step = arith.constant 96 : index
  %threads = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3 : index
  %none = arith.constant 0 : index
  %sum = scf.for %i = %t to %N step %step iter_args(%acc = %zero) -> f32 {
    %x = pho.load %X[%i] of [%N] sizes [1] points [true] inbounds [false] : !pho.view<1, f32> -> f32
    %next = arith.addf %acc, %x : f32
    scf.yield %next : f32
  }
  %r = pho.total rem %t, %three : index
  %is = arith.cmpi eq, %r, %none : index
  %y = scf.if %is -> f32 {
    %n = arith.negf %sum : f32
    scf.yield %n : f32
  } else {
    scf.yield %sum : f32
  }
  pho.barrier
  pho.store %y, %O[%t] of [%threads] sizes [1] points [true] inbounds [false] : f32, !pho.view<1, f32>
  return
})";
  for (int64_t n : {0, 1, 50, 96, 1000}) {
    std::vector<float> x = randomFloats(size_t(n) + 1), o(96, 9);
    run(text, {{tensor(x, {n}), tensor(o, {96})}, {n}});
    for (int64_t t = 0; t < 96; ++t) {
      float want = 0;
      for (int64_t i = t; i < n; i += 96)
        want += x[size_t(i)];
      ASSERT_EQ(o[size_t(t)], t % 3 == 0 ? -want : want) << t << " of " << n;
    }
  }
}

TEST(CpuThreads, CollatzRunsWhileAnyThreadDoes) {
  const std::string text = std::string("func.func @kernel(%O: !pho.view<1, i32>) ") + kPerThread + R"( {
  %t = pho.thread_id
  %threads = arith.constant 96 : index
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %t32 = pho.convert %t : index to i32
  %start = arith.addi %t32, %one : i32
  %end:2 = scf.while (%v = %start, %n = %zero) : (i32, i32) -> (i32, i32) {
    %go = arith.cmpi ne, %v, %one : i32
    scf.condition(%go) %v, %n : i32, i32
  } do {
  ^bb0(%v: i32, %n: i32):
    %half = pho.total div %v, %two : i32
    %rem = pho.total rem %v, %two : i32
    %even = arith.cmpi eq, %rem, %zero : i32
    %big = arith.muli %v, %three : i32
    %odd = arith.addi %big, %one : i32
    %next = arith.select %even, %half, %odd : i32
    %count = arith.addi %n, %one : i32
    scf.yield %next, %count : i32, i32
  }
  pho.store %end#1, %O[%t] of [%threads] sizes [1] points [true] inbounds [false] : i32, !pho.view<1, i32>
  return
})";
  std::vector<int32_t> o(96, -1);
  run(text, {{tensor(o, {96})}, {}});
  for (int32_t t = 0; t < 96; ++t) {
    int32_t n = 0;
    for (int32_t v = t + 1; v != 1; ++n)
      v = v % 2 ? 3 * v + 1 : v / 2;
    ASSERT_EQ(o[size_t(t)], n) << t;
  }
}

TEST(CpuThreads, AtomicsOfParallelBlocksLoseNothing) {
  for (const char *elem : {"f32", "f16", "bf16", "i32", "i64"}) {
    const std::string e = elem, value = e[0] == 'i' ? "1" : "1.0";
    const std::string text = "func.func @kernel(%O: !pho.view<1, " + e + ">) " + kPerThread + R"( {
  %t = pho.thread_id
  %two = arith.constant 2 : index
  %i = pho.total rem %t, %two : index
  %v = arith.constant )" + value +
                             " : " + e + R"(
  %old = pho.atomic add %O[%i] of [%two] , %v : !pho.view<1, )" +
                             e + ">, " + e + " -> " + e + "\n  return\n}";
    std::vector<uint64_t> o(2, 0);
    run(text, {{tensor(o, {2})}, {}, {2, 1, 1}});
    double sums[2];
    for (int k = 0; k < 2; ++k) {
      const char *base = reinterpret_cast<const char *>(o.data());
      if (e == "f32") {
        float f;
        memcpy(&f, base + 4 * k, 4);
        sums[k] = f;
      } else if (e == "i32") {
        int32_t f;
        memcpy(&f, base + 4 * k, 4);
        sums[k] = f;
      } else if (e == "i64") {
        sums[k] = double(o[size_t(k)]);
      } else {
        uint16_t f;
        memcpy(&f, base + 2 * k, 2);
        sums[k] = e == "f16" ? (f == 0x5600 ? 96 : -1) : (f == 0x42c0 ? 96 : -1);
      }
      ASSERT_EQ(sums[k], 96) << elem;
    }
  }
}
