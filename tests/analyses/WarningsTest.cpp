// Fill zeros in reductions, and names that nothing uses.
#include "tests/analyses/Analysed.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

using testing::HasSubstr;

Analysed fill(const std::string &body, const std::string &attributes = "") {
  return Analysed(attributes +
                  "\n@grid(host) kernel k(X: tensor<f32>[M, N], S: tensor<f32>[64, 96], I: tensor<i32>[N], "
                  "Y: tensor<f32>[M, N], J: tensor<i32>[M, N]) {\n" +
                  body + "\n}\n");
}
std::string marks(const std::string &body, const std::string &attributes = "") {
  return fill(body, attributes).codes();
}

} // namespace

TEST(FillZeros, AMaximumOverASliceThatMayReachPastTheEndIsWarnedAbout) {
  Analysed a = fill("Y[0, 0 :+ 8] = rowmax(X[0 :+ 8, 0 :+ 8])[:, 0]");
  EXPECT_EQ(a.codes(), "W0630@3:16");
  EXPECT_THAT(a.words(), HasSubstr("load(X[..], fill = -inf)"));
  EXPECT_EQ(marks("Y[0, 0] = max(X[0, 0 :+ 8])"), "W0630@3:11");
  EXPECT_EQ(marks("Y[0, 0] = min(X[0, 0 :+ 8])"), "W0630@3:11");
  EXPECT_EQ(marks("Y[0 :+ 8, 0 :+ 1] = rowprod(X[0 :+ 8, 0 :+ 8])"), "W0630@3:21");
  EXPECT_EQ(marks("J[0 :+ 8, 0 :+ 1] = rowargmax(X[0 :+ 8, 0 :+ 8])"), "W0630@3:21");
  EXPECT_EQ(marks("J[0, 0] = max(I[0 :+ 8])"), "W0630@3:11");
  EXPECT_THAT(fill("J[0, 0] = max(I[0 :+ 8])").words(), HasSubstr("fill = -2147483648"));
}

TEST(FillZeros, ScansByMaximumAndProductAreToo) {
  EXPECT_EQ(marks("Y[0 :+ 8, 0 :+ 96] = cummax(X[0 :+ 8, 0 :+ 96])"), "W0630@3:22");
  EXPECT_EQ(marks("Y[0 :+ 64, 0 :+ 8] = cumprod(S[0 :+ 64, 90 :+ 8])"), "");
  EXPECT_EQ(marks("Y[0 :+ 64, 0 :+ 8] = cumprod(S[0 :+ 64, 90 :+ 8], 1)"), "W0630@3:22");
}

TEST(FillZeros, SumsAreNot) {
  EXPECT_EQ(marks("Y[0, 0] = sum(X[0, 0 :+ 8])\nY[0 :+ 8, 0 :+ 1] = rowsum(X[0 :+ 8, 0 :+ 8])"), "");
}

TEST(FillZeros, TheMarkIsPerAxis) {
  EXPECT_EQ(marks("Y[0 :+ 64, 0 :+ 1] = rowmax(S[0 :+ 64, 0 :+ 96])"), "");
  EXPECT_EQ(marks("Y[0 :+ 65, 0 :+ 1] = rowmax(S[0 :+ 65, 0 :+ 96])"), "");
  EXPECT_EQ(marks("Y[0 :+ 1, 0 :+ 96] = colmax(S[0 :+ 65, 0 :+ 96])"), "W0630@3:22");
  EXPECT_EQ(marks("Y[0, 0] = max(rowmax(S[0 :+ 65, 0 :+ 96]))"), "W0630@3:11");
  EXPECT_EQ(marks("Y[0 :+ 96, 0 :+ 1] = rowmax(transpose(S[0 :+ 65, 0 :+ 96]))"), "W0630@3:22");
  EXPECT_EQ(marks("Y[0 :+ 96, 0 :+ 1] = rowmax(transpose(S[0 :+ 64, 1 :+ 96]))"), "");
}

TEST(FillZeros, SlicesThatProvablyStayInsideHoldNone) {
  EXPECT_EQ(marks("Y[0, 0] = max(S[:, :])"), "");
  EXPECT_EQ(marks("Y[0, 0] = max(S[56 :+ 8, 0 :+ 96])"), "");
  EXPECT_EQ(marks("Y[0, 0] = max(S[57 :+ 8, 0 :+ 96])"), "W0630@3:11");
  EXPECT_EQ(marks("Y[0, 0] = max(S[-1 :+ 8, 0 :+ 96])"), "W0630@3:11");
  EXPECT_EQ(marks("for i in range(0, 64, 8) { Y[i, 0] = max(S[i :+ 8, 0 :+ 96]) }"), "");
  EXPECT_EQ(marks("for i in range(0, 64, 8) { Y[i, 0] = max(S[i + 1 :+ 8, 0 :+ 96]) }"), "W0630@3:38");
  EXPECT_EQ(marks("Y[0, 0] = max(S[ctx.block.x * 16 :+ 16, 0 :+ 96])"), "");
  EXPECT_EQ(marks("Y[0, 0] = max(S[ctx.block.x * 12 :+ 12, 0 :+ 96])"), "W0630@3:11");
}

TEST(FillZeros, AlignedDimensionsHoldNoneInWholeTiles) {
  const std::string aligned = "@aligned(N = 32)";
  EXPECT_EQ(marks("Y[0, 0] = max(X[0, ctx.block.x * 32 :+ 32])", aligned), "");
  EXPECT_EQ(marks("for k in range(0, 999, 16) { Y[0, 0] = max(X[0, k :+ 16]) }", aligned), "");
  EXPECT_EQ(marks("Y[0, 0] = max(X[0, ctx.block.x * 64 :+ 64])", aligned), "W0630@3:11");
  EXPECT_EQ(marks("Y[0, 0] = max(X[0, ctx.block.x * 32 + 1 :+ 32])", aligned), "W0630@3:11");
  EXPECT_EQ(marks("Y[0, 0] = max(X[ctx.block.x * 32 :+ 32, 0])", aligned), "W0630@3:11");
}

TEST(FillZeros, WhereAndFillClearThem) {
  EXPECT_EQ(marks("Y[0, 0] = max(load(X[0, 0 :+ 8], fill = -inf))"), "");
  EXPECT_EQ(marks("Y[0, 0] = max(load(X[0, 0 :+ 8], fill = 0.0))"), "");
  EXPECT_EQ(marks("let x = X[0, 0 :+ 8]\nY[0, 0] = max(where(iota(0, [8]) < extent(X, 1), x, -inf))"), "");
}

TEST(FillZeros, OperationsPassTheMarkOn) {
  EXPECT_EQ(marks("let x = exp(X[0, 0 :+ 8] * 2.0) + 1.0\nY[0, 0] = max(x)"), "W0630@4:11");
  EXPECT_EQ(marks("let x = X[0 :+ 8, 0 :+ 8]\nY[0 :+ 1, 0 :+ 1] = rowmax(flat(x))"), "W0630@4:21");
  EXPECT_EQ(marks("let x = X[0 :+ 8, 0 :+ 8]\nY[0 :+ 8, 0 :+ 1] = rowmax(cat(S[0 :+ 8, 0 :+ 8], x, 1))"),
            "W0630@4:21");
  EXPECT_EQ(marks("let x = X[0, 0 :+ 8]\nY[0 :+ 4, 0 :+ 1] = rowmax(broadcast(x, [4, 8]))"), "W0630@4:21");
  EXPECT_EQ(marks("let x = X[0, 0 :+ 8]\nY[0, 0] = max(x[0 :+ 4])"), "W0630@4:11");
  EXPECT_EQ(marks("var x = zeros<f32>([8])\nx[0 :+ 4] = X[0, 0 :+ 4]\nY[0, 0] = max(x)"), "W0630@5:11");
}

TEST(FillZeros, ProductsPassTheirFreeAxesOn) {
  EXPECT_EQ(marks("Y[0 :+ 8, 0 :+ 1] = rowmax(dot(S[0 :+ 8, 0 :+ 16], X[0 :+ 16, 0 :+ 8]))"), "W0630@3:21");
  EXPECT_EQ(marks("Y[0 :+ 8, 0 :+ 1] = rowmax(dot_t(S[0 :+ 8, 0 :+ 16], X[0 :+ 8, 0 :+ 16]))"), "W0630@3:21");
  EXPECT_EQ(marks("Y[0 :+ 8, 0 :+ 1] = rowmax(dot(X[0 :+ 8, 0 :+ 16], S[0 :+ 16, 0 :+ 8]))"), "");
}

TEST(FillZeros, LoopsBringMarksRound) {
  EXPECT_EQ(marks("var a = zeros<f32>([8])\nvar b = a\nfor i in range(0, 4) {\n Y[0, i] = max(a)\n a = b\n b "
                  "= X[0, 0 :+ 8]\n}"),
            "W0630@6:12");
  EXPECT_EQ(
      marks(
          "var a = X[0, 0 :+ 8]\nfor i in range(0, 4) {\n a = where(a > 0.0, a, 1.0)\n Y[0, i] = max(a)\n}"),
      "");
}

TEST(FillZeros, FunctionsAreFollowedAndTheStdlibIsBlamedOnItsCall) {
  Analysed a(
      "fn top(t: tile<f32>[R, C]) -> tile<f32>[R, 1] {\n  return rowmax(t)\n}\n@grid(host) kernel k(X: "
      "tensor<f32>[M, N], Y: tensor<f32>[M, N]) {\n  Y[0 :+ 8, 0 :+ 1] = top(X[0 :+ 8, 0 :+ 8])\n}\n");
  EXPECT_EQ(a.codes(), "W0630@2:10");
  EXPECT_EQ(marks("Y[0 :+ 8, 0 :+ 8] = softmax(X[0 :+ 8, 0 :+ 8])"), "W0630@3:21");
}

TEST(UnusedNames, AreWarnedAboutAtTheChoice) {
  auto codes = [](const std::string &attributes, const std::string &body) {
    return Analysed(attributes + "\n@grid(host) kernel k(X: tensor<f32>[N, D], n: i32) {\n" + body + "\n}\n")
        .codes();
  };
  EXPECT_EQ(codes("@autotune(T in [8], U in [4])", "X[0, 0 :+ T] = 1.0"), "W0210@1:21");
  EXPECT_EQ(codes("@autotune(D in [8])", "X[0, 0] = 1.0"), "");
  EXPECT_EQ(codes("@autotune(T in [64])\n@launch(T)", "X[0, 0] = 1.0"), "");
  EXPECT_EQ(codes("@autotune(T in [64])\n@require(T < N)", "X[0, 0] = 1.0"), "");
  EXPECT_EQ(codes("@autotune(T in [4])", "for<unroll T> i in range(0, 9) { X[0, i] = 1.0 }"), "");
  EXPECT_EQ(codes("@autotune(T in [4])", "let t: tile<f32>[T] = 0.0\nX[0, 0 :+ 4] = t"), "");
  EXPECT_EQ(codes("@autotune(THREADS in [64])", "X[0, 0] = 1.0"), "");
  EXPECT_EQ(codes("@autotune(TILE_M in [64])", "X[0, 0] = 1.0"), "W0210@1:11");
}

TEST(UnusedNames, GemmNamesAreUsedWhereProductsAreAccumulated) {
  auto codes = [](const std::string &loop, const std::string &function = "") {
    return Analysed(function +
                    "@autotune(WARP_M in [16])\n@grid(host) kernel k(A: tensor<f32>[16, K], C: "
                    "tensor<f32>[16, 16]) {\n var acc = zeros<f32>([16, 16])\n" +
                    loop + "\n C[:, :] = acc\n}\n")
        .codes();
  };
  EXPECT_EQ(codes("for k in range(0, 64, 16) { acc += dot_t(A[:, k :+ 16], A[:, k :+ 16]) }"), "");
  EXPECT_EQ(codes("for k in range(0, 64, 16) { acc = acc + dot_t(A[:, k :+ 16], A[:, k :+ 16]) }"), "");
  EXPECT_EQ(codes("for k in range(0, 64, 16) { acc = acc * 2.0 + dot_t(A[:, k :+ 16], A[:, k :+ 16]) }"),
            "W0210@1:11");
  EXPECT_EQ(codes("for k in range(0, 64, 16) {\n acc *= 2.0\n acc += dot_t(A[:, k :+ 16], A[:, k :+ 16])\n}"),
            "W0210@1:11");
  EXPECT_EQ(codes("acc += dot_t(A[:, 0 :+ 16], A[:, 0 :+ 16])"), "W0210@1:11");
  EXPECT_EQ(codes("for k in range(0, 64, 16) { acc += step(A[:, k :+ 16]) }",
                  "fn step(a: tile<f32>[R, C]) -> tile<f32>[R, R] { return dot_t(a, a) } "),
            "");
  EXPECT_EQ(
      codes("for k in range(0, 64, 16) { acc = step(acc, A[:, k :+ 16]) }",
            "fn step(s: tile<f32>[R, R], a: tile<f32>[R, C]) -> tile<f32>[R, R] { return s + dot_t(a, a) } "),
      "");
  // Under other names, and in a function that holds the loop.
  const std::string product = "dot_t(A[:, k :+ 16], A[:, k :+ 16])";
  EXPECT_EQ(codes("for k in range(0, 64, 16) {\n let p = " + product + "\n acc = p + acc\n}"), "");
  EXPECT_EQ(codes("for k in range(0, 64, 16) {\n let s = acc + " + product + "\n acc = s\n}"), "");
  EXPECT_EQ(codes("for k in range(0, 64, 16) {\n let s = acc * 2.0\n acc = s + " + product + "\n}"),
            "W0210@1:11");
  EXPECT_EQ(codes("acc = all(A[:, 0 :+ 64])", "fn all(a: tile<f32>[R, C]) -> tile<f32>[R, R] {\n"
                                              "var s: tile<f32>[R, R] = 0.0\n"
                                              "for i in range(4) { s += dot_t(a, a) }\n return s } "),
            "");
}

} // namespace phobos::test
