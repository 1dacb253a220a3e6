// Loads and stores: whole tiles and ragged edges, masks, fills, strides.
#include "tests/cpu/CpuTest.h"

using namespace phobos::cpu::test;

const char *const kSaxpy = R"(
func.func @kernel(%X: !pho.view<1, f32>, %Y: !pho.view<1, f32>, %a: f32, %N: index {pho.dim}) attributes {pho.kernel} {
  %c = arith.constant 100 : index
  %b = pho.block_id 0
  %i = arith.muli %b, %c : index
  %x = pho.load %X[%i] of [%N] sizes [100] points [false] inbounds [false] : !pho.view<1, f32> -> tensor<100xf32>
  %y = pho.load %Y[%i] of [%N] sizes [100] points [false] inbounds [false] : !pho.view<1, f32> -> tensor<100xf32>
  %at = pho.broadcast %a : f32 to tensor<100xf32>
  %ax = arith.mulf %at, %x : tensor<100xf32>
  %s = arith.addf %ax, %y : tensor<100xf32>
  pho.store %s, %Y[%i] of [%N] sizes [100] points [false] inbounds [false] : tensor<100xf32>, !pho.view<1, f32>
  return
})";

TEST(CpuMemory, SaxpyOverARaggedTensor) {
  for (int64_t n : {0, 1, 99, 100, 101, 1000, 1037}) {
    std::vector<float> x = randomFloats(n), y = randomFloats(n, 2), want = y;
    y.resize(n + 64, 77.0f); // past the end stays as it was
    for (int64_t i = 0; i < n; ++i)
      want[i] = std::fma(2.5f, x[i], want[i]);
    float a = 2.5f;
    run(kSaxpy, {{tensor(x, {n}), tensor(y, {n}), scalar(a)}, {n}, {(n + 99) / 100, 1, 1}});
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(y[i], want[i]) << i << " of " << n;
    for (int64_t i = n; i < n + 64; ++i)
      ASSERT_EQ(y[i], 77.0f) << i;
  }
}
