// Tiles: shapes, slices, reductions, scans, products (spec/builtins.md).
#include "tests/interp/Tree.h"

using namespace phobos;
using namespace phobos::interp;
using sema::Reduction;

namespace {

Floats counting(int64_t n) {
  Floats v;
  for (int64_t i = 0; i < n; ++i)
    v.push_back(static_cast<double>(i));
  return v;
}

/// A kernel with one input tile [R, C] and one output; `make` builds the result from the tile.
template <typename Make>
Floats transform(S elem, std::vector<int64_t> shape, const Floats &values, S outElem,
                 std::vector<int64_t> outShape, Make make) {
  Tree t;
  auto in = t.input(elem, shape, values);
  auto out = t.tensor(outElem, outShape.empty() ? std::vector<int64_t>{1} : outShape);
  auto whole = [&](const std::vector<int64_t> &s) {
    std::vector<At> at;
    for (int64_t n : s)
      at.push_back({t.integer(0), n});
    return at;
  };
  sema::Expr &e = make(t, t.load(in, whole(shape)));
  e.type = outShape.empty() ? Type::scalar(outElem) : Type::tile(outElem, outShape);
  t.add(t.store(out, outShape.empty() ? std::vector<At>{At(t.integer(0))} : whole(outShape), &e));
  EXPECT_TRUE(t.run());
  return t.floats(out);
}

Floats reduced(Op op, S elem, std::vector<int64_t> shape, const Floats &values, Reduction kind, int axis,
               S outElem, std::vector<int64_t> outShape) {
  return transform(elem, shape, values, outElem, outShape, [&](Tree &t, ExprP in) -> sema::Expr & {
    sema::Expr &e = t.node(op, {}, {in});
    e.reduction = kind, e.axis = axis;
    return e;
  });
}

TEST(Reduce, AlongEachAxisAndWhole) {
  Floats x = counting(6); // 0 1 2 / 3 4 5
  EXPECT_EQ(reduced(Op::Reduce, S::F32, {2, 3}, x, Reduction::Sum, 1, S::F32, {2, 1}), (Floats{3, 12}));
  EXPECT_EQ(reduced(Op::Reduce, S::F32, {2, 3}, x, Reduction::Sum, 0, S::F32, {1, 3}), (Floats{3, 5, 7}));
  EXPECT_EQ(reduced(Op::Reduce, S::F32, {2, 3}, x, Reduction::Sum, -1, S::F32, {}), (Floats{15}));
  EXPECT_EQ(reduced(Op::Reduce, S::F32, {2, 3}, x, Reduction::Prod, 1, S::F32, {2, 1}), (Floats{0, 60}));
  EXPECT_EQ(reduced(Op::Reduce, S::I32, {2, 3}, x, Reduction::Max, 1, S::I32, {2, 1}), (Floats{2, 5}));
  EXPECT_EQ(reduced(Op::Reduce, S::I32, {2, 3}, x, Reduction::Min, 0, S::I32, {1, 3}), (Floats{0, 1, 2}));
  EXPECT_EQ(reduced(Op::Reduce, S::F32, {6}, x, Reduction::Sum, 0, S::F32, {1}), (Floats{15}));
}

TEST(Reduce, SumsAreAccumulatedWide) {
  Floats big(4096, 1.0);
  big[0] = 16777216; // in f32 each further 1 would vanish
  EXPECT_EQ(reduced(Op::Reduce, S::F32, {4096}, big, Reduction::Sum, -1, S::F32, {}),
            (Floats{16777216 + 4096}));
  EXPECT_EQ(reduced(Op::Reduce, S::F16, {3}, {65504, 65504, 1}, Reduction::Sum, -1, S::F32, {}),
            (Floats{131009}));
  EXPECT_EQ(reduced(Op::Reduce, S::F64, {3}, {1e16, 1, -1e16}, Reduction::Sum, -1, S::F64, {}), (Floats{1}));
  EXPECT_EQ(reduced(Op::Reduce, S::I8, {3}, {127, 127, 127}, Reduction::Sum, -1, S::I32, {}), (Floats{381}));
  EXPECT_EQ(reduced(Op::Reduce, S::I32, {2}, {2147483647, 1}, Reduction::Sum, -1, S::I32, {}),
            (Floats{-2147483648.0}));
  EXPECT_EQ(reduced(Op::Reduce, S::Bool, {3}, {1, 0, 1}, Reduction::Sum, -1, S::I32, {}), (Floats{2}));
}

TEST(Reduce, NaNWins) {
  expectSame(reduced(Op::Reduce, S::F32, {2, 3}, {1, kNaN, 3, 4, 5, 6}, Reduction::Max, 1, S::F32, {2, 1}),
             {kNaN, 6});
  expectSame(reduced(Op::Reduce, S::F32, {2, 3}, {kNaN, 1, 3, 4, 5, 6}, Reduction::Min, 1, S::F32, {2, 1}),
             {kNaN, 4});
}

TEST(ArgReduce, FirstOfEqualsAndFirstNaN) {
  EXPECT_EQ(reduced(Op::ArgReduce, S::F32, {3, 4}, {1, 5, 5, 2, 9, kNaN, kNaN, 1, 0, -0.0, 0, 0},
                    Reduction::Max, 1, S::I32, {3, 1}),
            (Floats{1, 1, 0}));
  EXPECT_EQ(reduced(Op::ArgReduce, S::I32, {2, 3}, {3, 1, 1, 2, 2, 2}, Reduction::Min, 1, S::I32, {2, 1}),
            (Floats{1, 0}));
}

TEST(Scan, AlongEachAxis) {
  Floats x = counting(6);
  EXPECT_EQ(reduced(Op::Scan, S::F32, {2, 3}, x, Reduction::Sum, 0, S::F32, {2, 3}),
            (Floats{0, 1, 2, 3, 5, 7}));
  EXPECT_EQ(reduced(Op::Scan, S::F32, {2, 3}, x, Reduction::Sum, 1, S::F32, {2, 3}),
            (Floats{0, 1, 3, 3, 7, 12}));
  EXPECT_EQ(reduced(Op::Scan, S::I32, {4}, {2, 3, 4, 5}, Reduction::Prod, 0, S::I32, {4}),
            (Floats{2, 6, 24, 120}));
  expectSame(reduced(Op::Scan, S::F32, {5}, {1, 3, 2, kNaN, 9}, Reduction::Max, 0, S::F32, {5}),
             {1, 3, 3, kNaN, kNaN});
}

TEST(Shape, TransposeReshapeIota) {
  auto transposed =
      transform(S::F32, {2, 3}, counting(6), S::F32, {3, 2},
                [](Tree &t, ExprP x) -> sema::Expr & { return t.node(Op::Transpose, {}, {x}); });
  EXPECT_EQ(transposed, (Floats{0, 3, 1, 4, 2, 5}));
  auto reshaped = transform(S::F32, {2, 3}, counting(6), S::F32, {3, 2},
                            [](Tree &t, ExprP x) -> sema::Expr & { return t.node(Op::Reshape, {}, {x}); });
  EXPECT_EQ(reshaped, counting(6));
  for (int axis : {0, 1}) {
    Tree t;
    auto out = t.tensor(S::I32, {2, 3});
    sema::Expr &e = t.node(Op::Iota, Type::tile(S::I32, {2, 3}));
    e.axis = axis;
    t.add(t.store(out, {{t.integer(0), 2}, {t.integer(0), 3}}, &e));
    EXPECT_TRUE(t.run());
    EXPECT_EQ(t.ints(out), axis ? (Ints{0, 1, 2, 0, 1, 2}) : (Ints{0, 0, 0, 1, 1, 1}));
  }
}

TEST(Shape, BroadcastOfOnesAndMissingAxes) {
  auto to23 = [](std::vector<int64_t> from, const Floats &x) {
    return transform(S::F32, from, x, S::F32, {2, 3},
                     [](Tree &t, ExprP in) -> sema::Expr & { return t.node(Op::Broadcast, {}, {in}); });
  };
  EXPECT_EQ(to23({2, 1}, {1, 2}), (Floats{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(to23({1, 3}, {1, 2, 3}), (Floats{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(to23({3}, {1, 2, 3}), (Floats{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(to23({1}, {7}), (Floats{7, 7, 7, 7, 7, 7}));
}

TEST(Shape, CatSliceInsert) {
  auto both = [](int axis, std::vector<int64_t> shape) {
    return transform(S::F32, {2, 2}, counting(4), S::F32, shape, [&](Tree &t, ExprP x) -> sema::Expr & {
      sema::Expr &e = t.node(Op::Cat, {}, {x, t.op(Op::Neg, x)});
      e.axis = axis;
      return e;
    });
  };
  EXPECT_EQ(both(0, {4, 2}), (Floats{0, 1, 2, 3, 0, -1, -2, -3}));
  EXPECT_EQ(both(1, {2, 4}), (Floats{0, 1, 0, -1, 2, 3, -2, -3}));
  auto slice = [](std::vector<int64_t> offsets, std::vector<int64_t> lengths, std::vector<int64_t> shape) {
    return transform(S::F32, {3, 4}, counting(12), S::F32, shape, [&](Tree &t, ExprP x) -> sema::Expr & {
      sema::Expr &e = t.node(Op::TileSlice, {}, {x});
      e.offsets = offsets, e.lengths = lengths;
      return e;
    });
  };
  EXPECT_EQ(slice({1, 1}, {2, 2}, {2, 2}), (Floats{5, 6, 9, 10}));
  EXPECT_EQ(slice({2, 0}, {1, 4}, {4}), (Floats{8, 9, 10, 11}));
  EXPECT_EQ(slice({0, 3}, {3, 1}, {3}), (Floats{3, 7, 11}));
  auto inserted =
      transform(S::F32, {2, 3}, counting(6), S::F32, {2, 3}, [](Tree &t, ExprP x) -> sema::Expr & {
        ExprP column = &t.node(Op::Broadcast, Type::tile(S::F32, {2}), {t.real(9)});
        sema::Expr &e = t.node(Op::InsertSlice, {}, {x, column});
        e.offsets = {0, 1}, e.lengths = {2, 1}, e.dropped = {false, true};
        return e;
      });
  EXPECT_EQ(inserted, (Floats{0, 9, 2, 3, 9, 5}));
}

TEST(Shape, TrilAndTriu) {
  auto part = [](Op op, int64_t k) {
    return transform(S::F32, {2, 3}, {1, 2, 3, 4, 5, 6}, S::F32, {2, 3},
                     [&](Tree &t, ExprP x) -> sema::Expr & {
                       sema::Expr &e = t.node(op, {}, {x});
                       e.intValue = k;
                       return e;
                     });
  };
  EXPECT_EQ(part(Op::Tril, 0), (Floats{1, 0, 0, 4, 5, 0}));
  EXPECT_EQ(part(Op::Tril, -1), (Floats{0, 0, 0, 4, 0, 0}));
  EXPECT_EQ(part(Op::Triu, 1), (Floats{0, 2, 3, 0, 0, 6}));
}

/// dot of [M, K] and [K, N] (or [N, K]) filled with small numbers, against a plain sum.
void checkDot(S elem, S out, bool transposeB) {
  Tree t;
  constexpr int64_t m = 3, n = 5, k = 4;
  Floats a, b;
  for (int i = 0; i < m * k; ++i)
    a.push_back((i * 7) % 11 - 5);
  for (int i = 0; i < k * n; ++i)
    b.push_back((i * 5) % 13 - 6);
  std::vector<int64_t> bShape = transposeB ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n};
  auto pa = t.input(elem, {m, k}, a), pb = t.input(elem, bShape, b), pc = t.tensor(out, {m, n});
  sema::Expr &e = t.node(Op::Dot, Type::tile(out, {m, n}),
                         {t.load(pa, {{t.integer(0), m}, {t.integer(0), k}}),
                          t.load(pb, {{t.integer(0), bShape[0]}, {t.integer(0), bShape[1]}})});
  e.transposeB = transposeB;
  t.add(t.store(pc, {{t.integer(0), m}, {t.integer(0), n}}, &e));
  ASSERT_TRUE(t.run());
  a = t.floats(pa), b = t.floats(pb); // as the type holds them
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += a[static_cast<size_t>(i * k + p)] * b[static_cast<size_t>(transposeB ? j * k + p : p * n + j)];
      EXPECT_EQ(t.arrays[pc].getFloat(i * n + j), sum);
    }
}

TEST(Dot, EveryTypeAndBothForms) {
  for (bool transposeB : {false, true})
    for (S t : {S::I8, S::I32, S::I64, S::F8E4M3, S::F8E5M2, S::F16, S::BF16, S::F32, S::F64})
      checkDot(t, accumulatorOf(t), transposeB);
}

TEST(Dot, AccumulatesWideAndKeepsNaN) {
  auto one = [](S t, const Floats &a, const Floats &b) {
    Tree tree;
    int64_t k = static_cast<int64_t>(a.size());
    auto pa = tree.input(t, {1, k}, a), pb = tree.input(t, {k, 1}, b),
         pc = tree.tensor(accumulatorOf(t), {1, 1});
    ExprP e = &tree.node(Op::Dot, Type::tile(accumulatorOf(t), {1, 1}),
                         {tree.load(pa, {{tree.integer(0), 1}, {tree.integer(0), k}}),
                          tree.load(pb, {{tree.integer(0), k}, {tree.integer(0), 1}})});
    tree.add(tree.store(pc, {{tree.integer(0), 1}, {tree.integer(0), 1}}, e));
    EXPECT_TRUE(tree.run());
    return tree.floats(pc);
  };
  EXPECT_EQ(one(S::F32, {1e8, 1, -1e8}, {1, 1, 1}), (Floats{1}));
  EXPECT_EQ(one(S::F64, {1e17, 1, -1e17}, {1, 1, 1}), (Floats{1}));
  expectSame(one(S::F32, {0, 1}, {kInf, 1}), {kNaN});
  EXPECT_EQ(one(S::I32, {65536, 1}, {65536, 5}), (Floats{5}));
}

TEST(Where, EvaluatesBothAndChoosesByElement) {
  EXPECT_EQ(transform(S::F32, {4}, {-1, 2, -3, 4}, S::F32, {4},
                      [](Tree &t, ExprP x) -> sema::Expr & {
                        ExprP zero = &t.node(Op::Broadcast, Type::tile(S::F32, {4}), {t.real(0)});
                        return t.node(Op::Where, {}, {t.op(Op::Lt, x, zero), zero, x});
                      }),
            (Floats{0, 2, 0, 4}));
}

} // namespace
