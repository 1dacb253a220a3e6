// Conversions, exhaustively where the type has 8 or 16 bits (spec/types.md).
#include "runtime/contract/Numeric.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace phobos;
using namespace phobos::numeric;
using S = ScalarType;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();

class NarrowFloat : public testing::TestWithParam<S> {
protected:
  uint64_t patterns() const { return uint64_t(1) << bitWidth(GetParam()); }
};

TEST_P(NarrowFloat, EveryPatternSurvivesDecodeAndEncode) {
  S t = GetParam();
  for (uint64_t bits = 0; bits < patterns(); ++bits) {
    double x = decodeFloat(t, bits);
    if (std::isnan(x)) {
      EXPECT_TRUE(std::isnan(roundTo(t, x))) << bits;
    } else if (std::isinf(x) && bitWidth(t) == 8) {
      EXPECT_EQ(roundTo(t, x),
                std::copysign(57344.0, x)); // f8e5m2 has an infinity, and a conversion never makes it
    } else {
      EXPECT_EQ(encodeFloat(t, x), bits);
    }
  }
}

// Between two neighbours: below the midpoint the lower, above it the upper, on it the one with the even
// mantissa.
TEST_P(NarrowFloat, MidpointsTieToEven) {
  S t = GetParam();
  for (uint64_t bits = 0; bits + 1 < patterns() / 2; ++bits) {
    double low = decodeFloat(t, bits), high = decodeFloat(t, bits + 1);
    if (!std::isfinite(low) || !std::isfinite(high))
      continue;
    double middle = (low + high) / 2; // exact: one more bit than the type has
    for (double sign : {1.0, -1.0}) {
      EXPECT_EQ(roundTo(t, sign * middle), sign * (bits % 2 == 0 ? low : high)) << bits;
      EXPECT_EQ(roundTo(t, sign * std::nextafter(middle, 0)), sign * low) << bits;
      EXPECT_EQ(roundTo(t, sign * std::nextafter(middle, kInf)), sign * high) << bits;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Types, NarrowFloat, testing::Values(S::F16, S::BF16, S::F8E4M3, S::F8E5M2),
                         [](const auto &param) { return std::string(name(param.param)); });

TEST(Numeric, OverflowToInfinityOrSaturation) {
  EXPECT_EQ(roundTo(S::F16, 65519.999), 65504);
  EXPECT_EQ(roundTo(S::F16, 65520), kInf);
  EXPECT_EQ(roundTo(S::F16, -1e300), -kInf);
  EXPECT_EQ(roundTo(S::BF16, 3.3895313892515355e38), 3.3895313892515355e38);
  EXPECT_EQ(roundTo(S::BF16, 3.4e38), kInf);
  EXPECT_EQ(roundTo(S::F32, 1e39), kInf);
  EXPECT_EQ(roundTo(S::F8E4M3, 464.1), 448);
  EXPECT_EQ(roundTo(S::F8E4M3, 1e9), 448);
  EXPECT_EQ(roundTo(S::F8E4M3, -kInf), -448);
  EXPECT_EQ(roundTo(S::F8E5M2, 61440), 57344);
  EXPECT_EQ(roundTo(S::F8E5M2, kInf), 57344);
  EXPECT_TRUE(std::isnan(roundTo(S::F8E4M3, std::nan(""))));
}

TEST(Numeric, F32AgreesWithTheHardware) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double x =
        decodeFloat(S::F64, (state & 0x800fffffffffffffu) | ((state >> 20 & 0xff) + 0x3ffu - 150) << 52);
    uint32_t expected = __builtin_bit_cast(uint32_t, static_cast<float>(x));
    ASSERT_EQ(encodeFloat(S::F32, x), expected) << x;
  }
  EXPECT_EQ(roundTo(S::F32, 0x1p-149 * 0.5), 0); // a tie below the smallest subnormal goes to zero
  EXPECT_EQ(roundTo(S::F32, 0x1.8p-149 * 0.5), 0x1p-149);
}

TEST(Numeric, FloatToIntTruncatesAndSaturates) {
  EXPECT_EQ(floatToInt(S::I8, 127.9), 127);
  EXPECT_EQ(floatToInt(S::I8, 1000), 127);
  EXPECT_EQ(floatToInt(S::I8, -128.9), -128);
  EXPECT_EQ(floatToInt(S::I8, -1000), -128);
  EXPECT_EQ(floatToInt(S::U8, -0.5), 0);
  EXPECT_EQ(floatToInt(S::U8, -5), 0);
  EXPECT_EQ(floatToInt(S::U8, 256), 255);
  EXPECT_EQ(floatToInt(S::I32, 2147483647.5), 2147483647);
  EXPECT_EQ(floatToInt(S::I32, -kInf), -2147483648LL);
  EXPECT_EQ(floatToInt(S::U32, kInf), 4294967295LL);
  EXPECT_EQ(floatToInt(S::I64, kInf), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(floatToInt(S::I64, -1e300), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(floatToInt(S::Index, 0x1p62), int64_t(1) << 62);
  EXPECT_EQ(floatToInt(S::I32, std::nan("")), 0);
  EXPECT_EQ(floatToInt(S::I32, -1.99), -1);
}

TEST(Numeric, IntegersWrap) {
  EXPECT_EQ(wrapTo(S::I8, 128), -128);
  EXPECT_EQ(wrapTo(S::U8, -1), 255);
  EXPECT_EQ(wrapTo(S::I32, int64_t(1) << 31), -(int64_t(1) << 31));
  EXPECT_EQ(wrapTo(S::U32, -1), 4294967295LL);
  EXPECT_EQ(wrapTo(S::Bool, 256), 1);
}

TEST(Numeric, IntToFloatRoundsOnce) {
  int64_t tie = (int64_t(1) << 62) + (int64_t(1) << 54) +
                1; // just above a tie of bf16; through a double it would be the tie
  EXPECT_EQ(intToFloat(S::BF16, tie), 0x1.02p62);
  EXPECT_EQ(intToFloat(S::BF16, tie - 1), 0x1p62);
  EXPECT_EQ(intToFloat(S::BF16, -tie), -0x1.02p62);
  EXPECT_EQ(intToFloat(S::F32, (int64_t(1) << 62) + (int64_t(1) << 38) + 1), 0x1.000002p62);
  EXPECT_EQ(intToFloat(S::F16, 65519), 65504);
  EXPECT_EQ(intToFloat(S::F16, 65520), kInf);
  EXPECT_EQ(intToFloat(S::F64, std::numeric_limits<int64_t>::min()), -0x1p63);
  EXPECT_EQ(intToFloat(S::F8E4M3, 1000), 448);
}
} // namespace
