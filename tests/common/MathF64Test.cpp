// Accuracy of the f64 functions on the host against long double.
#include "tests/common/MathCheck.h"
#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <random>

using namespace phobos;
using namespace phobos::testing;

namespace {

std::vector<double> inputs() {
  std::vector<double> x;
  std::mt19937_64 random(4);
  auto uniform = [&](double lo, double hi) { return lo + (hi - lo) * double(random() >> 11) * 0x1p-53; };
  for (int i = 0; i < 100000; ++i)
    x.push_back(std::bit_cast<double>(random()));
  for (double range : {1.0, 8.0, 40.0, 760.0, 1100.0, 1e5, 1e9})
    for (int i = 0; i < 50000; ++i)
      x.push_back(uniform(-range, range));
  for (int i = 0; i < 50000; ++i)
    x.push_back(1 + uniform(-0.01, 0.01)), x.push_back(std::ldexp(uniform(-1, 1), -int(random() % 60)));
  for (int i = 1; i < 50000; ++i) // close to multiples of pi/2
    x.push_back(i * 0x1.921fb54442d18p+0);
  for (double c : {0.0,
                   0x1p-1074,
                   0x1p-1022,
                   0x1p-54,
                   0.5,
                   0.70710678118654752,
                   1.0,
                   1.5707963267948966,
                   2.0,
                   6.0,
                   20.0,
                   709.78271289338397,
                   710.0,
                   745.13321910194122,
                   746.0,
                   1024.0,
                   1074.0,
                   1075.0,
                   0x1p50,
                   0x1p52,
                   0x1.fffffffffffffp1023,
                   double(INFINITY)})
    for (int64_t d = -50; d <= 50; ++d) {
      double v = std::bit_cast<double>(std::bit_cast<int64_t>(c) + (c == 0 && d < 0 ? -d : d));
      x.push_back(v), x.push_back(-v);
    }
  x.push_back(NAN);
  padTo(x, 24);
  return x;
}

class MathF64 : public ::testing::TestWithParam<MathCase> {};

TEST_P(MathF64, WithinItsBound) {
  const MathCase &m = GetParam();
  HostJit jit;
  std::vector<double> x = inputs();
  bool isTrig = m.fn == target::MathFunction::Sin || m.fn == target::MathFunction::Cos;
  for (unsigned width : {8, 1, 3}) {
    auto r = apply<double, double>(compileMath(jit, m.fn, ScalarType::F64, width), x);
    double worst = 0, at = 0, got = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (isTrig && std::isfinite(x[i]) && std::fabs(x[i]) > 0x1p46) {
        ASSERT_LE(std::fabs(r[i]), 1.0) << m.name << "(" << x[i] << ")"; // a number, but not an accurate one
        continue;
      }
      double e = ulpsF64(r[i], m.longReference(x[i]));
      if (e > worst)
        worst = e, at = x[i], got = r[i];
    }
    EXPECT_LE(worst, m.boundF64) << m.name << "(" << std::hexfloat << at << ") = " << got << ", width "
                                 << width;
    RecordProperty("worst_ulps", std::to_string(worst));
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, MathF64, ::testing::ValuesIn(mathCases().begin(), mathCases().end()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
