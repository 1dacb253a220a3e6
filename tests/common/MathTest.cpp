// Accuracy of the f32 functions on the host (spec/math.md). All inputs: common-math-sweep; here a subset and
// special neighbourhoods. PHOBOS_MATH_STRIDE=n in the environment tries every n-th input; 1, all of
// them, is an hour of one core (`--gtest_filter=*EveryThousandthInput/*`).
#include "tests/common/MathCheck.h"
#include <bit>
#include <cmath>
#include <cstdlib>
#include <gmock/gmock.h>

using namespace phobos;
using namespace phobos::testing;

namespace {

uint64_t strideOr(uint64_t usual) {
  const char *given = std::getenv("PHOBOS_MATH_STRIDE");
  uint64_t stride = given ? std::strtoull(given, nullptr, 10) : 0;
  return stride > 0 ? stride : usual;
}

class MathF32 : public ::testing::TestWithParam<MathCase> {
protected:
  HostJit jit;
};

TEST_P(MathF32, EveryThousandthInput) {
  const MathCase &m = GetParam();
  Worst w = compareF32(m, compileMath(jit, m.fn, ScalarType::F32, 16), 0, uint64_t(1) << 32, strideOr(1009));
  EXPECT_LE(w.ulps, m.boundF32) << m.name << "(" << std::hexfloat << w.at << ") = " << w.got;
  RecordProperty("worst_ulps", std::to_string(w.ulps));
}

TEST_P(MathF32, WithoutAvx512) {
  const MathCase &m = GetParam();
  HostJit older("haswell");
  Worst w = compareF32(m, compileMath(older, m.fn, ScalarType::F32, 8), 0, uint64_t(1) << 32, 10007);
  EXPECT_LE(w.ulps, m.boundF32) << m.name << "(" << std::hexfloat << w.at << ") = " << w.got;
}

TEST_P(MathF32, AroundSpecialValues) {
  const MathCase &m = GetParam();
  Kernel f = compileMath(jit, m.fn, ScalarType::F32, 16);
  const float centres[] = {0,
                           0x1p-149f,
                           0x1p-126f,
                           0x1p-24f,
                           0x1p-12f,
                           0.34657359f,
                           0.5f,
                           2.f / 3,
                           0.70710678f,
                           0.78539816f,
                           1,
                           4.f / 3,
                           1.414f,
                           1.5707963f,
                           2,
                           3,
                           4,
                           6.2831853f,
                           9.0f,
                           10,
                           16,
                           20,
                           87.33655f,
                           88.72284f,
                           89,
                           103.2789f,
                           103.9721f,
                           104.5f,
                           126,
                           127,
                           128,
                           149,
                           150,
                           151,
                           1e5f,
                           0x1p22f,
                           0x1p23f,
                           0x1p24f,
                           0x1p31f,
                           0x1p63f,
                           0x1p64f,
                           16367173.0f * 0x1p72f,
                           0x1.fffffep127f,
                           INFINITY,
                           NAN};
  for (float c : centres)
    for (uint32_t sign : {0u, 0x80000000u}) {
      uint64_t bits = std::bit_cast<uint32_t>(c);
      uint64_t first = (bits > 2000 ? bits - 2000 : 0) | sign,
               end = std::min<uint64_t>((bits | sign) + 2000, sign + 0x80000000ull);
      Worst w = compareF32(m, f, first, end, 1);
      EXPECT_LE(w.ulps, m.boundF32) << m.name << "(" << std::hexfloat << w.at << ") = " << w.got;
    }
}

TEST_P(MathF32, ScalarsAndOddWidthsAgreeWithVectors) {
  const MathCase &m = GetParam();
  std::vector<float> x;
  for (uint64_t i = 0; i < 4800; ++i)
    x.push_back(std::bit_cast<float>(uint32_t(i * 894784)));
  auto bitsOf = [](const std::vector<float> &v) {
    std::vector<uint32_t> r;
    for (float f : v)
      r.push_back(std::isnan(f) ? 0x7FC00000u : std::bit_cast<uint32_t>(f));
    return r;
  };
  auto expected = bitsOf(apply<float, float>(compileMath(jit, m.fn, ScalarType::F32, 16), x));
  for (unsigned width : {1, 3})
    EXPECT_EQ(bitsOf(apply<float, float>(compileMath(jit, m.fn, ScalarType::F32, width), x)), expected)
        << m.name << ", width " << width;
}

INSTANTIATE_TEST_SUITE_P(Functions, MathF32, ::testing::ValuesIn(mathCases().begin(), mathCases().end()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
