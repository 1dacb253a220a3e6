// pow in f32 and f64: its special values are those of C, elsewhere 16 ulp.
#include "tests/common/MathCheck.h"
#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <random>

using namespace phobos;
using namespace phobos::testing;

namespace {

template <typename T> struct Wider;
template <> struct Wider<float> {
  using type = double;
};
template <> struct Wider<double> {
  using type = long double;
};

double ulpsOf(float got, double exact) { return ulpsF32(got, exact); }
double ulpsOf(double got, long double exact) { return ulpsF64(got, exact); }

template <typename T> class Pow : public ::testing::Test {
protected:
  static constexpr ScalarType type = std::is_same_v<T, float> ? ScalarType::F32 : ScalarType::F64;
  HostJit jit;

  void check(std::vector<T> x, std::vector<T> y) {
    padTo(x, 48), padTo(y, 48);
    for (unsigned width : {16, 1, 3}) {
      auto r = apply<T, T, T>(compileMath(jit, target::MathFunction::Pow, type, width, 2), x, y);
      double worst = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        typename Wider<T>::type exact =
            std::pow(typename Wider<T>::type(x[i]), typename Wider<T>::type(y[i]));
        // A result below half the least denormal is a zero of the same sign.
        bool isTiny = exact != 0 &&
                      std::fabs(exact) <= std::numeric_limits<T>::denorm_min() / typename Wider<T>::type(2);
        double e = isTiny && r[i] == 0 ? 0 : ulpsOf(r[i], exact);
        worst = std::max(worst, e);
        ASSERT_LE(e, 16) << std::hexfloat << "pow(" << x[i] << ", " << y[i] << ") = " << r[i] << ", exactly "
                         << double(exact);
        if (exact != 0 || r[i] == 0)
          ASSERT_TRUE(std::isnan(exact) || std::signbit(r[i]) == std::signbit(exact)) << x[i] << ", " << y[i];
      }
      this->RecordProperty("worst_ulps", std::to_string(worst));
    }
  }
};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Pow, Floats);

TYPED_TEST(Pow, SpecialValues) {
  using T = TypeParam;
  using L = std::numeric_limits<T>;
  std::vector<T> s, x, y;
  for (T v : {T(0),
              T(1),
              T(0.5),
              T(2),
              T(3),
              T(4),
              T(5),
              T(1.5),
              T(0.25),
              T(1e-20),
              T(1e20),
              L::infinity(),
              L::min(),
              L::denorm_min(),
              L::max(),
              T(1) + L::epsilon(),
              T(1) - L::epsilon() / 2,
              T(16777215),
              T(16777216),
              T(16777217),
              T(9007199254740991),
              T(127),
              T(128),
              T(149),
              T(1023)})
    s.push_back(v), s.push_back(-v);
  s.push_back(L::quiet_NaN());
  for (T a : s)
    for (T b : s)
      x.push_back(a), y.push_back(b);
  this->check(x, y);
}

TYPED_TEST(Pow, RandomOperands) {
  using T = TypeParam;
  std::vector<T> x, y;
  std::mt19937_64 random(5);
  auto uniform = [&](double lo, double hi) { return T(lo + (hi - lo) * double(random() >> 11) * 0x1p-53); };
  for (int i = 0; i < 100000; ++i) {
    x.push_back(uniform(0, 4)), y.push_back(uniform(-20, 20));
    x.push_back(std::ldexp(uniform(0.5, 1), int(random() % 200) - 100)), y.push_back(uniform(-12, 12));
    x.push_back(T(1) + uniform(-1e-3, 1e-3)), y.push_back(uniform(-1e5, 1e5)); // results over the whole range
    x.push_back(-uniform(0, 10)), y.push_back(T(int(random() % 61) - 30));
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    x.push_back(std::bit_cast<T>(Bits(random()))), y.push_back(std::bit_cast<T>(Bits(random())));
  }
  for (int i = 0; i < 50000; ++i) { // products close to the largest exponents
    T base = uniform(0.01, 30);
    x.push_back(base), y.push_back(T((std::is_same_v<T, float> ? 126 : 1020) / std::log2(double(base))) *
                                   uniform(-1.2, 1.2));
  }
  this->check(x, y);
}

} // namespace
