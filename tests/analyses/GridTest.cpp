// The grid that the stores need.
#include "tests/analyses/Analysed.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

std::string written(const sema::TypedKernel &k, sema::ExprP e) {
  if (!e)
    return "?";
  switch (e->op) {
  case sema::Op::Int:
    return std::to_string(e->intValue);
  case sema::Op::Dim:
    return k.dims[e->dim];
  case sema::Op::CDiv:
    return "cdiv(" + written(k, e->args[0]) + ", " + written(k, e->args[1]) + ")";
  default:
    return "..";
  }
}

/// `x, y, z` of a kernel over X, Y: [N] and A: [M, K], S: [100, 30] with this body, or the codes.
std::string grid(const std::string &body, const std::string &attributes = "") {
  Analysed a(attributes +
             "\nkernel k(X: tensor<f32>[N], Y: tensor<f32>[N], A: tensor<f32>[M, K], S: tensor<f32>[100, "
             "30], n: i32) {\n" +
             body + "\n}\n");
  if (!a.isValid())
    return a.codes();
  const sema::TypedKernel &k = a.kernel();
  std::string out;
  for (sema::ExprP e : k.grid.axes)
    out += (out.empty() ? "" : ", ") + written(k, e);
  return out;
}

} // namespace

TEST(Grid, ASliceOfTByTNeedsCdiv) {
  EXPECT_EQ(grid("Y[ctx.block.x * 8 :+ 8] = 1.0"), "cdiv(N, 8), 1, 1");
  EXPECT_EQ(grid("let i = ctx.block.y * 8\nlet j = 16 * program_id(0)\nA[i :+ 8, j :+ 16] = 1.0"),
            "cdiv(K, 16), cdiv(M, 8), 1");
  EXPECT_EQ(grid("let c = ctx.block.x\nlet i = c << 3\nY[i : i + 8] = 1.0"), "cdiv(N, 8), 1, 1");
  EXPECT_EQ(grid("S[ctx.block.x * 8 :+ 8, ctx.block.y * 7 :+ 7] = 1.0"), "13, 5, 1");
}

TEST(Grid, APointNeedsTheExtent) {
  EXPECT_EQ(grid("A[ctx.block.z, ctx.block.x] = 1.0"), "K, 1, M");
  EXPECT_EQ(grid("S[ctx.block.x, :] = 1.0"), "100, 1, 1");
}

TEST(Grid, UnusedEverywhereIsOne) { EXPECT_EQ(grid("Y[0 :+ 8] = 1.0"), "1, 1, 1"); }

TEST(Grid, CoordinatesMayBeUsedElsewhereToo) {
  EXPECT_EQ(grid("for i in range(0, ctx.block.x + 1) { Y[ctx.block.x * 8 :+ 8] = X[ctx.block.x * i :+ 8] }"),
            "cdiv(N, 8), 1, 1");
}

TEST(Grid, PiecesThatFillTheTileCount) {
  EXPECT_EQ(grid("let i = ctx.block.x * 16\nY[i :+ 8] = 1.0\nY[i + 8 :+ 8] = 2.0"), "cdiv(N, 16), 1, 1");
  EXPECT_EQ(grid("for j in range(0, 64, 8) { Y[ctx.block.x * 64 + j :+ 8] = 1.0 }"), "cdiv(N, 64), 1, 1");
  EXPECT_EQ(grid("Y[ctx.block.x * 64 + ctx.thread] = 1.0", "@launch(64)"), "cdiv(N, 64), 1, 1");
  EXPECT_EQ(grid("for j in range(0, 4) { Y[ctx.block.x * 256 + j * 64 + ctx.thread] = 1.0 }", "@launch(64)"),
            "cdiv(N, 256), 1, 1");
}

TEST(Grid, StoresInFunctionsCount) {
  Analysed a("fn put(Y: tensor<f32>[N], i: index) { Y[i * 4 :+ 4] = 1.0 }\nkernel k(Y: tensor<f32>[N]) { "
             "put(Y, ctx.block.x * 2)\n put(Y, ctx.block.x * 2 + 1) }\n");
  ASSERT_TRUE(a.isValid()) << a.checked->rendered();
  EXPECT_EQ(written(a.kernel(), a.kernel().grid.axes[0]), "cdiv(N, 8)");
}

TEST(Grid, WhatTheStoresDoNotSayIsAnError) {
  EXPECT_EQ(grid("Y[0] = X[ctx.block.x]"), "E0220@2:8");
  EXPECT_EQ(grid("Y[ctx.block.x * ctx.block.x :+ 8] = 1.0"), "E0220@2:8");
  EXPECT_EQ(grid("Y[ctx.block.x * 8 + ctx.block.y :+ 8] = 1.0"), "E0220@2:8");
  EXPECT_EQ(grid("Y[ctx.block.x * 8 :+ 8] = 1.0\nA[0, ctx.block.x * 8 :+ 8] = 1.0"), "E0220@2:8");
  EXPECT_EQ(grid("Y[ctx.block.x * 8 :+ 4] = 1.0"), "E0220@2:8");
  EXPECT_EQ(grid("Y[ctx.block.x * 8 :+ 16] = 1.0"), "E0220@2:8");
  EXPECT_EQ(grid("Y[ctx.block.x * 8 + n :+ 8] = 1.0"), "E0220@2:8");
  EXPECT_EQ(grid("var i = ctx.block.x\nif n > 0 { i = 3 }\nY[i] = 1.0"), "E0220@2:8");
}

TEST(Grid, TheErrorShowsWhatToWrite) {
  Analysed a("kernel k(A: tensor<f32>[M, N], X: tensor<f32>[N]) {\n A[ctx.block.y * 8 :+ 8, 0] = "
             "X[ctx.block.x]\n}\n");
  EXPECT_THAT(a.words(), testing::HasSubstr("@grid(x = .., y = cdiv(M, 8))"));
  EXPECT_THAT(a.words(), testing::HasSubstr("@grid(host)"));
}

TEST(Grid, WhatIsWrittenWins) {
  EXPECT_EQ(grid("Y[0] = X[ctx.block.x]", "@grid(x = cdiv(N, 7))"), "cdiv(N, 7), 1, 1");
  Analysed a("@grid(host)\nkernel k(Y: tensor<f32>[N]) { Y[ctx.block.x * 8 :+ 8] = 1.0 }\n");
  ASSERT_TRUE(a.isValid());
  EXPECT_TRUE(a.kernel().grid.fromHost);
  EXPECT_EQ(written(a.kernel(), a.kernel().grid.inferred[0]), "cdiv(N, 8)");
}

} // namespace phobos::test
