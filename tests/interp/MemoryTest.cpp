// Loads, stores and atomics (spec/memory.md).
#include "tests/interp/Tree.h"

using namespace phobos;
using namespace phobos::interp;
using sema::AtomicOp;

namespace {

TEST(Slices, OffEitherEndReadZeroOrTheFill) {
  Tree t;
  auto x = t.input(S::F32, {5}, Floats{1, 2, 3, 4, 5});
  auto a = t.tensor(S::F32, {4}), b = t.tensor(S::F32, {4}), c = t.tensor(S::F32, {4}),
       d = t.tensor(S::F32, {4});
  auto copy = [&](sema::ParamId to, int64_t from, ExprP fill) {
    t.add(t.store(to, {{t.integer(0), 4}}, t.load(x, {{t.integer(from), 4}}, fill)));
  };
  copy(a, -2, nullptr);
  copy(b, 3, t.real(9));
  copy(c, std::numeric_limits<int64_t>::max(), t.real(7));
  copy(d, std::numeric_limits<int64_t>::min(), nullptr);
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.floats(a), (Floats{0, 0, 1, 2}));
  EXPECT_EQ(t.floats(b), (Floats{4, 5, 9, 9}));
  EXPECT_EQ(t.floats(c), (Floats{7, 7, 7, 7}));
  EXPECT_EQ(t.floats(d), (Floats{0, 0, 0, 0}));
}

TEST(Slices, OfTwoAxesAndPointsBetween) {
  Tree t;
  Floats values;
  for (int i = 0; i < 24; ++i)
    values.push_back(i);
  auto x = t.input(S::F32, {2, 3, 4}, values);
  auto rows = t.tensor(S::F32, {2, 2}), column = t.tensor(S::F32, {3}), planes = t.tensor(S::F32, {2, 2}),
       outside = t.tensor(S::F32, {2});
  t.add(t.store(rows, {{t.integer(0), 2}, {t.integer(0), 2}},
                t.load(x, {t.integer(1), {t.integer(1), 2}, {t.integer(3), 2}})));
  t.add(t.store(column, {{t.integer(0), 3}}, t.load(x, {t.integer(1), {t.integer(0), 3}, t.integer(2)})));
  t.add(t.store(planes, {{t.integer(0), 2}, {t.integer(0), 2}},
                t.load(x, {{t.integer(0), 2}, t.integer(2), {t.integer(-1), 2}})));
  t.add(t.store(outside, {{t.integer(0), 2}},
                t.load(x, {t.integer(2), t.integer(0), {t.integer(0), 2}}, t.real(5))));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.floats(rows), (Floats{19, 0, 23, 0}));
  EXPECT_EQ(t.floats(column), (Floats{14, 18, 22}));
  EXPECT_EQ(t.floats(planes), (Floats{0, 8, 0, 20}));
  EXPECT_EQ(t.floats(outside), (Floats{5, 5}));
}

TEST(Slices, AStoreWritesOnlyWhatIsInsideAndWhatTheMaskTakes) {
  Tree t;
  auto a = t.tensor(S::I32, {3, 3}), b = t.tensor(S::I32, {4});
  ExprP ones = &t.node(Op::Broadcast, Type::tile(S::I32, {4, 4}), {t.integer(1, S::I32)});
  t.add(t.store(a, {{t.integer(-2), 4}, {t.integer(1), 4}}, ones));
  ExprP i = &t.node(Op::Iota, Type::tile(S::I32, {4}));
  ExprP two = &t.node(Op::Broadcast, Type::tile(S::I32, {4}), {t.integer(2, S::I32)});
  t.add(t.store(b, {{t.integer(0), 4}}, two, t.op(Op::Ge, i, two)));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.ints(a), (Ints{0, 1, 1, 0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(t.ints(b), (Ints{0, 0, 2, 2}));
}

TEST(Slices, EveryTypeSurvivesALoadAndAStore) {
  for (S s : {S::Bool, S::I8, S::U8, S::I32, S::U32, S::I64, S::Index, S::F8E4M3, S::F8E5M2, S::F16, S::BF16,
              S::F32, S::F64}) {
    Tree t;
    auto x = t.input(s, {4}, Ints{0, 1, -1, 1000});
    auto y = t.tensor(s, {4});
    t.add(t.store(y, {{t.integer(0), 4}}, t.load(x, {{t.integer(0), 4}})));
    ASSERT_TRUE(t.run());
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_EQ(t.arrays[y].getBits(i), t.arrays[x].getBits(i)) << name(s);
  }
}

TEST(Slices, AnyByteOfABoolIsTrueAndAnInfiniteF8Stays) {
  Tree t;
  auto x = t.input(S::Bool, {2}, Ints{0, 1}), y = t.tensor(S::Bool, {2});
  auto f = t.input(S::F8E5M2, {2}, Floats{0, 0}), g = t.tensor(S::F8E5M2, {2});
  t.arrays[x].setBits(1, 0x80);
  t.arrays[f].setBits(0, 0x7c), t.arrays[f].setBits(1, 0xfc);
  t.add(t.store(y, {{t.integer(0), 2}}, t.load(x, {{t.integer(0), 2}})));
  t.add(t.store(g, {{t.integer(0), 2}}, t.load(f, {{t.integer(0), 2}})));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.arrays[y].getBits(1), 1u);
  expectSame(t.floats(g), {kInf, -kInf});
}

TEST(Points, OutsideReadZeroOrTheFillAndStoreNothing) {
  Tree t;
  auto x = t.input(S::F32, {2}, Floats{1, 2});
  auto y = t.tensor(S::F32, {3});
  t.add(t.store(y, {t.integer(0)}, t.load(x, {t.integer(-1)})));
  t.add(t.store(y, {t.integer(1)}, t.load(x, {t.integer(2)}, t.real(8))));
  t.add(t.store(y, {t.integer(3)}, t.real(5)));
  t.add(t.store(y, {t.integer(-1)}, t.real(5)));
  t.add(t.store(y, {t.integer(2)}, t.load(x, {t.integer(1)})));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.floats(y), (Floats{0, 8, 2}));
}

TEST(PerThread, EachThreadLoadsAndStoresItsElement) {
  Tree t;
  t.k.threads = 64;
  auto x = t.input(S::I32, {70}, Ints(70, 3)), y = t.tensor(S::I32, {80});
  ExprP shifted = t.op(Op::Add, t.thread(), t.integer(10)); // threads 60.. load past the end
  t.add(t.store(y, {shifted}, t.op(Op::Add, t.load(x, {shifted}), t.integer(1, S::I32))));
  ASSERT_TRUE(t.run());
  Ints expected(80, 0);
  for (size_t i = 10; i < 74; ++i)
    expected[i] = i < 70 ? 4 : 1;
  EXPECT_EQ(t.ints(y), expected);
}

TEST(Atomics, OncePerBlockOrOncePerThread) {
  Tree t;
  t.k.threads = 32;
  auto h = t.tensor(S::I32, {4}, true, true), old = t.tensor(S::I32, {32});
  t.add(t.effect(t.atomic(AtomicOp::Add, h, {t.integer(0)}, {t.integer(5, S::I32)}, true)));
  t.add(t.store(old, {t.thread()}, t.atomic(AtomicOp::Add, h, {t.integer(1)}, {t.integer(2, S::I32)})));
  t.add(t.effect(t.atomic(AtomicOp::Max, h, {t.integer(2)},
                          {&t.node(Op::Convert, Type::scalar(S::I32), {t.thread()})})));
  t.add(t.effect(t.atomic(AtomicOp::Add, h, {t.integer(4)}, {t.integer(1, S::I32)})));
  ASSERT_TRUE(t.run({3, 1, 1}));
  EXPECT_EQ(t.ints(h), (Ints{15, 192, 31, 0}));
  EXPECT_EQ(t.ints(old)[31], 2 * 95);
}

TEST(Atomics, ReturnTheOldValueAndZeroOutside) {
  Tree t;
  auto h = t.input(S::F32, {2}, Floats{1.5, 7});
  t.k.params[h].isWritten = true;
  auto out = t.tensor(S::F32, {5});
  t.add(t.store(out, {t.integer(0)}, t.atomic(AtomicOp::Add, h, {t.integer(0)}, {t.real(2)}, true)));
  t.add(t.store(out, {t.integer(1)}, t.atomic(AtomicOp::Min, h, {t.integer(0)}, {t.real(1)}, true)));
  t.add(
      t.store(out, {t.integer(2)}, t.atomic(AtomicOp::Cas, h, {t.integer(1)}, {t.real(7), t.real(9)}, true)));
  t.add(t.store(out, {t.integer(3)},
                t.atomic(AtomicOp::Cas, h, {t.integer(1)}, {t.real(7), t.real(11)}, true)));
  t.add(t.store(out, {t.integer(4)}, t.atomic(AtomicOp::Add, h, {t.integer(-1)}, {t.real(1)}, true)));
  ASSERT_TRUE(t.run());
  EXPECT_EQ(t.floats(out), (Floats{1.5, 3.5, 7, 9, 0}));
  EXPECT_EQ(t.floats(h), (Floats{1, 9}));
}

} // namespace
