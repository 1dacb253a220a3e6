// Elementwise operations: spec/arithmetic.md, spec/types.md.
#include "tests/interp/Tree.h"

using namespace phobos;
using namespace phobos::interp;

namespace {

Ints ints(Op op, S t, const std::vector<Ints> &in) { return apply<Ints>(op, t, in, t); }
Floats floats(Op op, S t, const std::vector<Floats> &in) { return apply<Floats>(op, t, in, t); }
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast32 = std::numeric_limits<int32_t>::min(),
                  kMost32 = std::numeric_limits<int32_t>::max();

TEST(Integers, Wrap) {
  EXPECT_EQ(ints(Op::Add, S::I32, {{kMost32, -5}, {1, 3}}), (Ints{kLeast32, -2}));
  EXPECT_EQ(ints(Op::Sub, S::I32, {{kLeast32}, {1}}), (Ints{kMost32}));
  EXPECT_EQ(ints(Op::Mul, S::I32, {{65536, 3}, {65536, -7}}), (Ints{0, -21}));
  EXPECT_EQ(ints(Op::Add, S::I8, {{127}, {1}}), (Ints{-128}));
  EXPECT_EQ(ints(Op::Sub, S::U8, {{0}, {1}}), (Ints{255}));
  EXPECT_EQ(ints(Op::Sub, S::U32, {{0}, {1}}), (Ints{4294967295}));
  EXPECT_EQ(ints(Op::Add, S::I64, {{kMost}, {1}}), (Ints{kLeast}));
  EXPECT_EQ(ints(Op::Mul, S::I64, {{kMost}, {3}}), (Ints{kMost - 2}));
  EXPECT_EQ(ints(Op::Neg, S::I32, {{kLeast32, 4}}), (Ints{kLeast32, -4}));
  EXPECT_EQ(ints(Op::Neg, S::U8, {{1}}), (Ints{255}));
  EXPECT_EQ(ints(Op::Abs, S::I8, {{-128, -3, 3}}), (Ints{-128, 3, 3}));
  EXPECT_EQ(ints(Op::BitNot, S::U32, {{0}}), (Ints{4294967295}));
}

TEST(Integers, DivisionTruncatesAndIsTotal) {
  EXPECT_EQ(ints(Op::Div, S::I32, {{7, -7, 7, -7, 5, kLeast32}, {2, 2, -2, -2, 0, -1}}),
            (Ints{3, -3, -3, 3, 0, kLeast32}));
  EXPECT_EQ(ints(Op::Rem, S::I32, {{7, -7, 7, -7, 5, kLeast32}, {2, 2, -2, -2, 0, -1}}),
            (Ints{1, -1, 1, -1, 5, 0}));
  EXPECT_EQ(ints(Op::Div, S::I64, {{kLeast, kLeast}, {-1, 0}}), (Ints{kLeast, 0}));
  EXPECT_EQ(ints(Op::Rem, S::I64, {{kLeast, kLeast}, {-1, 0}}), (Ints{0, kLeast}));
  EXPECT_EQ(ints(Op::Div, S::I8, {{-128}, {-1}}), (Ints{-128}));
  EXPECT_EQ(ints(Op::Div, S::U32, {{4294967295}, {2}}), (Ints{2147483647}));
}

TEST(Integers, CdivRoundsUp) {
  EXPECT_EQ(ints(Op::CDiv, S::I32, {{7, -7, 7, -7, 6, 5, 0}, {2, 2, -2, -2, 2, 0, 3}}),
            (Ints{4, -3, -3, 4, 3, 0, 0}));
  EXPECT_EQ(ints(Op::CDiv, S::Index, {{1000}, {256}}), (Ints{4}));
}

TEST(Integers, ShiftsPastTheWidthGiveZeroOrTheSign) {
  EXPECT_EQ(ints(Op::Shl, S::I32, {{1, 1, 1, 1, 3}, {31, 32, -1, 100, 2}}), (Ints{kLeast32, 0, 0, 0, 12}));
  EXPECT_EQ(ints(Op::Shr, S::I32, {{-8, -8, -8, 8, 8}, {1, 32, -1, 32, 2}}), (Ints{-4, -1, -1, 0, 2}));
  EXPECT_EQ(ints(Op::Shr, S::U32, {{4294967295, 4294967295}, {31, 32}}), (Ints{1, 0}));
  EXPECT_EQ(ints(Op::Shl, S::I64, {{1, 1}, {63, 64}}), (Ints{kLeast, 0}));
  EXPECT_EQ(ints(Op::Shl, S::U8, {{255}, {4}}), (Ints{240}));
}

TEST(Integers, BitsAndOrder) {
  EXPECT_EQ(ints(Op::And, S::I32, {{12}, {10}}), (Ints{8}));
  EXPECT_EQ(ints(Op::Or, S::I32, {{12}, {10}}), (Ints{14}));
  EXPECT_EQ(ints(Op::Xor, S::I32, {{12}, {-1}}), (Ints{-13}));
  EXPECT_EQ(ints(Op::Max, S::I32, {{-3, 5}, {2, 2}}), (Ints{2, 5}));
  EXPECT_EQ(ints(Op::Min, S::U32, {{4294967295}, {1}}), (Ints{1}));
}

TEST(Floats, AreRoundedAfterEveryOperation) {
  EXPECT_EQ(floats(Op::Add, S::F32, {{16777216}, {1}}), (Floats{16777216}));
  EXPECT_EQ(floats(Op::Add, S::F64, {{16777216}, {1}}), (Floats{16777217}));
  EXPECT_EQ(floats(Op::Div, S::F32, {{1}, {3}}), (Floats{1.0f / 3.0f}));
  EXPECT_EQ(floats(Op::Add, S::BF16, {{256}, {1}}), (Floats{256}));
  EXPECT_EQ(floats(Op::Mul, S::F16, {{60000}, {2}}), (Floats{kInf}));
  EXPECT_EQ(floats(Op::Mul, S::F8E4M3, {{448}, {2}}), (Floats{448}));
  EXPECT_EQ(floats(Op::Mul, S::F32, {{0x1p-100}, {0x1p-49}}), (Floats{0x1p-149})); // denormals are kept
  expectSame(floats(Op::Div, S::F32, {{1, -1, 0}, {0, 0, 0}}), {kInf, -kInf, kNaN});
  expectSame(floats(Op::Neg, S::F32, {{0.0, -0.0, kInf}}), {-0.0, 0.0, -kInf});
}

TEST(Floats, MaxAndMinReturnNaNIfEitherIs) {
  expectSame(floats(Op::Max, S::F32, {{1, kNaN, 2, -0.0, 0.0}, {2, 1, kNaN, 0.0, -0.0}}),
             {2, kNaN, kNaN, 0.0, 0.0});
  expectSame(floats(Op::Min, S::F32, {{1, kNaN, 2, -0.0, 0.0}, {2, 1, kNaN, 0.0, -0.0}}),
             {1, kNaN, kNaN, -0.0, -0.0});
}

TEST(Floats, RoundTiesToEven) {
  expectSame(floats(Op::Round, S::F32, {{0.5, 1.5, 2.5, -0.5, -1.5, 2.4}}), {0, 2, 2, -0.0, -2, 2});
  expectSame(floats(Op::Floor, S::F32, {{0.5, -0.5}}), {0, -1});
  expectSame(floats(Op::Ceil, S::F32, {{0.5, -0.5}}), {1, -0.0});
}

TEST(Floats, ComparisonsWithNaN) {
  auto compared = [](Op op) { return apply<Ints, Floats>(op, S::F32, {{1, kNaN, 2}, {2, 1, 2}}, S::Bool); };
  EXPECT_EQ(compared(Op::Lt), (Ints{1, 0, 0}));
  EXPECT_EQ(compared(Op::Le), (Ints{1, 0, 1}));
  EXPECT_EQ(compared(Op::Gt), (Ints{0, 0, 0}));
  EXPECT_EQ(compared(Op::Ge), (Ints{0, 0, 1}));
  EXPECT_EQ(compared(Op::Eq), (Ints{0, 0, 1}));
  EXPECT_EQ(compared(Op::Ne), (Ints{1, 1, 0}));
}

// In double, then rounded, some of these would be rounded twice.
TEST(Floats, FmaRoundsOnce) {
  uint64_t state = 9;
  Floats a, b, c;
  auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int exponent = static_cast<int>(state >> 32 & 63) - 32;
    return static_cast<double>(static_cast<float>(
        std::ldexp(static_cast<double>(static_cast<int64_t>(state >> 40) - (1 << 23)), exponent - 20)));
  };
  for (int i = 0; i < 20000; ++i) {
    a.push_back(next()), b.push_back(next());
    // Every other addend is near half a unit of the product's last place: where double rounding would show.
    double product = a.back() * b.back();
    c.push_back(i % 2 || product == 0
                    ? next()
                    : static_cast<double>(static_cast<float>(std::ldexp(product, -24 - i % 31))));
  }
  Floats got = floats(Op::Fma, S::F32, {a, b, c});
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], std::fma(static_cast<float>(a[i]), static_cast<float>(b[i]), static_cast<float>(c[i])))
        << a[i] << " " << b[i] << " " << c[i];
  EXPECT_EQ(floats(Op::Fma, S::F32, {{1 + 0x1p-12}, {1 + 0x1p-12}, {0x1p-60}}),
            (Floats{1 + 0x1p-11 + 0x1p-23}));
  EXPECT_EQ(floats(Op::Fma, S::F64, {{1 + 0x1p-52}, {1 + 0x1p-52}, {-1 - 0x1p-51}}), (Floats{0x1p-104}));
}

TEST(Floats, FunctionsAreWithinTheirTypesRounding) {
  for (S t : {S::F32, S::F64}) {
    double eps = t == S::F32 ? 0x1p-23 : 0x1p-52;
    auto check = [&](Op op, double (*f)(double), const Floats &xs) {
      Floats in = xs;
      for (double &x : in)
        x = t == S::F32 ? static_cast<float>(x) : x;
      Floats got = floats(op, t, {in});
      for (size_t i = 0; i < xs.size(); ++i)
        EXPECT_NEAR(got[i], f(in[i]), eps * std::abs(f(in[i]))) << static_cast<int>(op) << " of " << in[i];
    };
    Floats all{-3.7, -1, -0.1, 0.3, 1, 2.5, 10}, positive{0.01, 0.3, 1, 2.5, 1000};
    check(Op::Exp, [](double x) { return std::exp(x); }, all);
    check(Op::Exp2, [](double x) { return std::exp2(x); }, all);
    check(Op::Log, [](double x) { return std::log(x); }, positive);
    check(Op::Log2, [](double x) { return std::log2(x); }, positive);
    check(Op::Sqrt, [](double x) { return std::sqrt(x); }, positive);
    check(Op::Rsqrt, [](double x) { return 1 / std::sqrt(x); }, positive);
    check(Op::Tanh, [](double x) { return std::tanh(x); }, all);
    check(Op::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, all);
    check(Op::Erf, [](double x) { return std::erf(x); }, all);
    check(Op::Sin, [](double x) { return std::sin(x); }, all);
    check(Op::Cos, [](double x) { return std::cos(x); }, all);
    check(Op::Abs, [](double x) { return std::abs(x); }, all);
  }
  EXPECT_NEAR(floats(Op::Pow, S::F32, {{2}, {0.5}})[0], std::sqrt(2.0), 1e-7);
  expectSame(floats(Op::Exp, S::F32, {{-kInf, kInf, kNaN, 1000}}), {0, kInf, kNaN, kInf});
  expectSame(floats(Op::Log, S::F32, {{0, -1, kInf}}), {-kInf, kNaN, kInf});
}

TEST(Conversions, BetweenAllKinds) {
  auto toInt = [](S to, const Floats &x) { return apply<Ints, Floats>(Op::Convert, S::F32, {x}, to); };
  EXPECT_EQ(toInt(S::I8, {127.9, 300, -300, kNaN, -1.9}), (Ints{127, 127, -128, 0, -1}));
  EXPECT_EQ(toInt(S::U8, {-3, 256}), (Ints{0, 255}));
  EXPECT_EQ(toInt(S::I64, {kInf, -kInf}), (Ints{kMost, kLeast}));
  EXPECT_EQ((apply<Floats, Ints>(Op::Convert, S::I64,
                                 {{16777217, (int64_t(1) << 62) + (int64_t(1) << 38) + 1}}, S::F32)),
            (Floats{16777216, 0x1.000002p62}));
  EXPECT_EQ((apply<Ints>(Op::Convert, S::I32, {{300, -1}}, S::I8)), (Ints{44, -1}));
  EXPECT_EQ((apply<Ints>(Op::Convert, S::I32, {{-1}}, S::U32)), (Ints{4294967295}));
  EXPECT_EQ((apply<Ints>(Op::Convert, S::Bool, {{0, 1}}, S::I32)), (Ints{0, 1}));
  EXPECT_EQ((apply<Floats>(Op::Convert, S::F32, {{1.00390625, 1e39, 500}}, S::BF16)), (Floats{1, kInf, 500}));
  EXPECT_EQ((apply<Floats>(Op::Convert, S::F32, {{500, -1e9}}, S::F8E4M3)), (Floats{448, -448}));
}

TEST(Conversions, BitcastKeepsTheBits) {
  EXPECT_EQ((apply<Ints, Floats>(Op::Bitcast, S::F32, {{1, -0.0}}, S::I32)), (Ints{0x3f800000, kLeast32}));
  EXPECT_EQ((apply<Ints, Floats>(Op::Bitcast, S::F32, {{-0.0}}, S::U32)), (Ints{0x80000000}));
  EXPECT_EQ((apply<Floats, Ints>(Op::Bitcast, S::I32, {{0x40490fdb}}, S::F32)), (Floats{0x1.921fb6p1}));
  EXPECT_EQ((apply<Floats, Ints>(Op::Bitcast, S::I8, {{-2}}, S::F8E4M3)), (Floats{-448}));
  EXPECT_EQ((apply<Ints, Floats>(Op::Bitcast, S::F64, {{-1}}, S::I64)),
            (Ints{static_cast<int64_t>(0xbff0000000000000)}));
  EXPECT_EQ((apply<Ints>(Op::Bitcast, S::U8, {{200}}, S::I8)), (Ints{-56}));
}

TEST(Bools, Logic) {
  EXPECT_EQ(ints(Op::LogicalAnd, S::Bool, {{0, 0, 1, 1}, {0, 1, 0, 1}}), (Ints{0, 0, 0, 1}));
  EXPECT_EQ(ints(Op::LogicalOr, S::Bool, {{0, 0, 1, 1}, {0, 1, 0, 1}}), (Ints{0, 1, 1, 1}));
  EXPECT_EQ(ints(Op::Not, S::Bool, {{0, 1}}), (Ints{1, 0}));
  EXPECT_EQ(ints(Op::Xor, S::Bool, {{0, 0, 1, 1}, {0, 1, 0, 1}}), (Ints{0, 1, 1, 0}));
}

// The words of Random123's known-answer test for philox4x32-10 with key and counter zero begin 6627e8d5.
TEST(Rand, IsPhilox) {
  EXPECT_EQ((apply<Floats, Ints>(Op::Rand, S::I64, {{0, 1234}, {0, 7}}, S::F32))[0],
            (0x6627e8d5u >> 8) * 0x1p-24);
}

} // namespace
