// Division, shifts, max and min, Philox on the host: against their definition in plain C++, at several vector
// widths.
#include "compiler/target/common/Scalar.h"
#include "tests/common/HostJit.h"
#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>
#include <random>

using namespace phobos;
using namespace phobos::testing;

namespace {

HostJit &jit() {
  static HostJit j;
  return j;
}

template <typename T> constexpr ScalarType typeOf() {
  if constexpr (std::is_same_v<T, int8_t>)
    return ScalarType::I8;
  if constexpr (std::is_same_v<T, uint8_t>)
    return ScalarType::U8;
  if constexpr (std::is_same_v<T, int32_t>)
    return ScalarType::I32;
  if constexpr (std::is_same_v<T, uint32_t>)
    return ScalarType::U32;
  if constexpr (std::is_same_v<T, int64_t>)
    return ScalarType::I64;
  if constexpr (std::is_same_v<T, float>)
    return ScalarType::F32;
  if constexpr (std::is_same_v<T, double>)
    return ScalarType::F64;
}

/// Every pair of interesting values, then random ones of all magnitudes.
template <typename T> void operands(std::vector<T> &x, std::vector<T> &y) {
  std::vector<T> s{0,
                   1,
                   2,
                   3,
                   7,
                   8,
                   31,
                   32,
                   33,
                   63,
                   64,
                   65,
                   100,
                   T(-1),
                   T(-2),
                   T(-7),
                   T(-33),
                   std::numeric_limits<T>::max(),
                   std::numeric_limits<T>::min(),
                   T(std::numeric_limits<T>::max() - 1),
                   T(std::numeric_limits<T>::min() + 1)};
  for (T a : s)
    for (T b : s)
      x.push_back(a), y.push_back(b);
  std::mt19937_64 random(1);
  for (int i = 0; i < 50000; ++i) {
    x.push_back(T(T(random()) >> (random() % (8 * sizeof(T)))));
    y.push_back(T(T(random()) >> (random() % (8 * sizeof(T)))));
  }
  padTo(x, 48), padTo(y, 48);
}

template <typename T> T divide(T x, T y) {
  return y == 0 ? 0 : std::is_signed_v<T> && y == T(-1) ? T(0 - uint64_t(x)) : T(x / y);
}
template <typename T> T remain(T x, T y) {
  return y == 0 ? x : std::is_signed_v<T> && y == T(-1) ? 0 : T(x % y);
}
template <typename T> T shiftLeft(T x, T n) {
  return n < 0 || uint64_t(n) >= 8 * sizeof(T) ? 0 : T(uint64_t(x) << n);
}
template <typename T> T shiftRight(T x, T n) {
  return n < 0 || uint64_t(n) >= 8 * sizeof(T) ? T(x < 0 ? -1 : 0) : T(x >> n);
}

template <typename T> class IntegerOps : public ::testing::Test {};
using Integers = ::testing::Types<int8_t, uint8_t, int32_t, uint32_t, int64_t>;
TYPED_TEST_SUITE(IntegerOps, Integers);

template <typename T> void check(Emit emit, T (*reference)(T, T)) {
  std::vector<T> x, y;
  operands(x, y);
  for (unsigned width : {1, 3, 16}) {
    auto r = apply<T, T, T>(jit().compile({typeOf<T>(), typeOf<T>()}, typeOf<T>(), width, emit), x, y);
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(r[i], reference(x[i], y[i]))
          << "x = " << int64_t(x[i]) << ", y = " << int64_t(y[i]) << ", width " << width;
  }
}

TYPED_TEST(IntegerOps, DivisionIsTotal) {
  constexpr bool isSigned = std::is_signed_v<TypeParam>;
  check<TypeParam>([](auto &b, auto a) { return target::emitDiv(b, a[0], a[1], isSigned); },
                   divide<TypeParam>);
}
TYPED_TEST(IntegerOps, RemainderIsTotal) {
  constexpr bool isSigned = std::is_signed_v<TypeParam>;
  check<TypeParam>([](auto &b, auto a) { return target::emitRem(b, a[0], a[1], isSigned); },
                   remain<TypeParam>);
}
TYPED_TEST(IntegerOps, ShiftLeftIsTotal) {
  constexpr bool isSigned = std::is_signed_v<TypeParam>;
  check<TypeParam>([](auto &b, auto a) { return target::emitShl(b, a[0], a[1], isSigned); },
                   shiftLeft<TypeParam>);
}
TYPED_TEST(IntegerOps, ShiftRightIsTotal) {
  constexpr bool isSigned = std::is_signed_v<TypeParam>;
  check<TypeParam>([](auto &b, auto a) { return target::emitShr(b, a[0], a[1], isSigned, isSigned); },
                   shiftRight<TypeParam>);
}

TEST(Shift, CountOfAnotherWidth) {
  std::vector<int64_t> x{1, 1, -8, -8, 5}, n{-1, 63, 3, int64_t(1) << 40, 64};
  auto shl = jit().compile({ScalarType::I8, ScalarType::I64}, ScalarType::I8, 1,
                           [](auto &b, auto a) { return target::emitShl(b, a[0], a[1], true); });
  std::vector<int8_t> small{1, 1, -8, -8, 5};
  EXPECT_EQ((apply<int8_t, int64_t, int8_t>(shl, small, n)), (std::vector<int8_t>{0, 0, -64, 0, 0}));
  auto shr = jit().compile({ScalarType::I64, ScalarType::I8}, ScalarType::I64, 1,
                           [](auto &b, auto a) { return target::emitShr(b, a[0], a[1], true, true); });
  std::vector<int8_t> count{-1, 63, 3, -128, 64};
  EXPECT_EQ((apply<int64_t, int8_t, int64_t>(shr, x, count)), (std::vector<int64_t>{0, 0, -1, -1, 0}));
}

TEST(Division, ByAConstant) {
  std::vector<int32_t> x, y;
  operands(x, y);
  for (int64_t d : {0, 1, -1, 7, -10}) {
    auto f = jit().compile({ScalarType::I32}, ScalarType::I32, 16, [&](auto &b, auto a) {
      return target::emitDiv(b, a[0], llvm::ConstantInt::getSigned(a[0]->getType(), d), true);
    });
    auto r = apply<int32_t, int32_t>(f, x);
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(r[i], divide(x[i], int32_t(d)));
  }
}

template <typename T> void checkMaxMin() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> s{0,
                   T(-0.0),
                   1,
                   -1,
                   inf,
                   -inf,
                   nan,
                   -nan,
                   std::numeric_limits<T>::denorm_min(),
                   3,
                   std::numeric_limits<T>::max()},
      x, y;
  for (T a : s)
    for (T b : s)
      x.push_back(a), y.push_back(b);
  padTo(x, 48), padTo(y, 48);
  for (unsigned width : {1, 3, 16})
    for (bool isMax : {true, false}) {
      auto f = jit().compile({typeOf<T>(), typeOf<T>()}, typeOf<T>(), width, [&](auto &b, auto a) {
        return isMax ? target::emitMaxF(b, a[0], a[1], {}) : target::emitMinF(b, a[0], a[1], {});
      });
      auto r = apply<T, T, T>(f, x, y);
      for (size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i]) || std::isnan(y[i])) {
          ASSERT_TRUE(std::isnan(r[i])) << x[i] << ", " << y[i];
          continue;
        }
        bool first = x[i] == y[i] ? std::signbit(x[i]) != isMax : (x[i] > y[i]) == isMax;
        T expected = first ? x[i] : y[i];
        ASSERT_EQ(r[i], expected);
        ASSERT_EQ(std::signbit(r[i]), std::signbit(expected)) << x[i] << ", " << y[i] << ", width " << width;
      }
    }
}

TEST(MaxMin, NaNOfEitherOperandF32) { checkMaxMin<float>(); }
TEST(MaxMin, NaNOfEitherOperandF64) { checkMaxMin<double>(); }

TEST(MaxMin, SixteenBitTypesAllPairsOfBytes) {
  for (ScalarType t : {ScalarType::F16, ScalarType::BF16}) {
    std::vector<uint16_t> x, y;
    for (int a = 0; a < 256; ++a)
      for (int b = 0; b < 256; ++b)
        x.push_back(uint16_t(a << 8 | 0x55)), y.push_back(uint16_t(b << 8 | (b % 3 ? 0 : 0x55)));
    auto f = jit().compile({t, t}, t, 16, [&](auto &b, auto a) {
      auto wide = [&](llvm::Value *v) { return target::emitConvert(b, v, t, ScalarType::F32, {}); };
      return target::emitConvert(b, target::emitMaxF(b, wide(a[0]), wide(a[1]), {}), ScalarType::F32, t, {});
    });
    auto r = apply<uint16_t, uint16_t, uint16_t>(f, x, y);
    uint16_t inf = t == ScalarType::F16 ? 0x7C00 : 0x7F80;
    auto isNaN = [&](uint16_t v) { return (v & 0x7FFF) > inf; };
    auto key = [](uint16_t v) { return v & 0x8000 ? -int(v & 0x7FFF) - 1 : int(v); };
    for (size_t i = 0; i < x.size(); ++i) {
      if (isNaN(x[i]) || isNaN(y[i]))
        ASSERT_TRUE(isNaN(r[i]));
      else
        ASSERT_EQ(r[i], key(x[i]) > key(y[i]) ? x[i] : y[i]) << std::hex << x[i] << " " << y[i];
    }
  }
}

/// Philox 4x32-10 by its paper, one at a time.
float philox(uint64_t seed, uint64_t offset) {
  uint32_t c[4] = {uint32_t(offset), uint32_t(offset >> 32), 0, 0},
           k[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int i = 0; i < 10; ++i) {
    uint64_t p0 = uint64_t(0xD2511F53) * c[0], p1 = uint64_t(0xCD9E8D57) * c[2];
    uint32_t n[4] = {uint32_t(p1 >> 32) ^ c[1] ^ k[0], uint32_t(p1), uint32_t(p0 >> 32) ^ c[3] ^ k[1],
                     uint32_t(p0)};
    for (int j = 0; j < 4; ++j)
      c[j] = n[j];
    k[0] += 0x9E3779B9, k[1] += 0xBB67AE85;
  }
  return float(c[0] >> 8) * 0x1p-24f;
}

TEST(Rand, IsPhilox) {
  // The paper's known answer for counter and key 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8.
  EXPECT_EQ(philox(0, 0), float(0x6627e8) * 0x1p-24f);
  std::mt19937_64 random(2);
  std::vector<int64_t> seed, offset;
  for (int i = 0; i < 4800; ++i)
    seed.push_back(int64_t(random())), offset.push_back(int64_t(random() >> (random() % 64)));
  for (unsigned width : {1, 3, 16}) {
    auto f = jit().compile({ScalarType::I64, ScalarType::I64}, ScalarType::F32, width,
                           [](auto &b, auto a) { return target::emitRand(b, a[0], a[1]); });
    auto r = apply<int64_t, int64_t, float>(f, seed, offset);
    for (size_t i = 0; i < r.size(); ++i)
      ASSERT_EQ(r[i], philox(uint64_t(seed[i]), uint64_t(offset[i])));
  }
}

} // namespace
