// Integer.h against exact arithmetic in 128 bits, at the numbers where 64 bits end.
#include "runtime/contract/Integer.h"
#include <gtest/gtest.h>
#include <limits>

namespace phobos {
namespace {

using Wide = __int128;
constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
constexpr int64_t edges[] = {least, least + 1, -(int64_t(1) << 32), -7,       -2,  -1, 0, 1, 2, 7, 62,
                             63,    64,        int64_t(1) << 32,    most - 1, most};

/// The low 64 bits, as a signed number.
int64_t low(Wide x) { return static_cast<int64_t>(static_cast<uint64_t>(x)); }

TEST(Integer, SumsAndProductsWrap) {
  for (int64_t a : edges)
    for (int64_t b : edges) {
      EXPECT_EQ(integer::add(a, b), low(Wide(a) + b)) << a << " + " << b;
      EXPECT_EQ(integer::sub(a, b), low(Wide(a) - b)) << a << " - " << b;
      EXPECT_EQ(integer::mul(a, b), low(Wide(a) * b)) << a << " * " << b;
      EXPECT_EQ(integer::neg(a), low(-Wide(a))) << a;
    }
  EXPECT_EQ(integer::add(most, 1), least);
  EXPECT_EQ(integer::neg(least), least);
  EXPECT_EQ(integer::mul(least, -1), least);
}

TEST(Integer, DivisionIsTotal) {
  for (int64_t a : edges) {
    EXPECT_EQ(integer::div(a, 0), 0) << a;
    EXPECT_EQ(integer::rem(a, 0), a);
    EXPECT_EQ(integer::ceilDiv(a, 0), 0) << a;
    for (int64_t b : edges) {
      if (b == 0)
        continue;
      const Wide q = Wide(a) / b, r = Wide(a) % b;
      EXPECT_EQ(integer::div(a, b), low(q)) << a << " / " << b;
      EXPECT_EQ(integer::rem(a, b), low(r)) << a << " % " << b;
      // The least integer that is not below the quotient: the remainder and the divisor have one sign.
      EXPECT_EQ(integer::ceilDiv(a, b), low(q + (r != 0 && (r < 0) == (b < 0)))) << a << " cdiv " << b;
    }
  }
  EXPECT_EQ(integer::div(least, -1), least);
  EXPECT_EQ(integer::rem(least, -1), 0);
  EXPECT_EQ(integer::ceilDiv(least, -1), least);
  EXPECT_EQ(integer::ceilDiv(7, 2), 4);
  EXPECT_EQ(integer::ceilDiv(-7, 2), -3);
  EXPECT_EQ(integer::ceilDiv(7, -2), -3);
  EXPECT_EQ(integer::ceilDiv(-7, -2), 4);
  EXPECT_EQ(integer::ceilDiv(most, 2), int64_t(1) << 62);
}

TEST(Integer, ShiftsPastTheWidthShiftEverythingOut) {
  for (int64_t a : edges) {
    for (int64_t n : {int64_t(64), int64_t(65), most, int64_t(-1), least}) {
      EXPECT_EQ(integer::shl(a, n), 0) << a << " << " << n;
      EXPECT_EQ(integer::shr(a, n), a < 0 ? -1 : 0) << a << " >> " << n;
    }
    for (int n : {0, 1, 31, 32, 62, 63}) {
      EXPECT_EQ(integer::shl(a, n), low(static_cast<Wide>(static_cast<unsigned __int128>(a) << n)));
      EXPECT_EQ(integer::shr(a, n), low(Wide(a) >> n)) << a << " >> " << n;
    }
  }
  EXPECT_EQ(integer::shl(1, 63), least);
  EXPECT_EQ(integer::shl(3, 63), least);
  EXPECT_EQ(integer::shr(least, 63), -1);
  EXPECT_EQ(integer::shr(most, 63), 0);
  // Of a narrower type: the width is its own.
  EXPECT_EQ(integer::shl(1, 31, 32), int64_t(1) << 31);
  EXPECT_EQ(integer::shl(1, 32, 32), 0);
  EXPECT_EQ(integer::shr(-5, 8, 8), -1);
  EXPECT_EQ(integer::shr(200, 8, 8), 0);
}

} // namespace
} // namespace phobos
