// What the typed tree says: conversions, broadcasts and shapes spelt out.
#include "tests/sema/Sources.h"
#include <gtest/gtest.h>

namespace phobos::test {
namespace {

/// The dump's lines of the body, without indentation.
std::string body(const std::string &statements, const std::string &attributes = "") {
  auto c = checkSource("@grid(host)\n" + attributes +
                       "kernel k(X: tensor<f32>[N], H: tensor<f16>[N], G: tensor<bf16>[N], E: "
                       "tensor<f8e4m3>[N], D: tensor<f64>[N],\n"
                       "  A: tensor<f32>[M, N], I: tensor<i32>[N], B: tensor<i8>[N], U: tensor<u8>[N], W: "
                       "tensor<u32>[N], L: tensor<i64>[N],\n"
                       "  Q: tensor<bool>[N], S: tensor<f32>[8, 8], s: f32) {\n" +
                       statements + "\n}\n");
  if (c->kernels.empty() || !c->kernels[0])
    return c->rendered();
  std::string all = sema::dump(*c->kernels[0]), out;
  for (size_t at = 0; at < all.size();) {
    size_t end = all.find('\n', at);
    std::string line = all.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("    "))
      out += (out.empty() ? "" : "\n") + line.substr(4);
  }
  return out;
}

/// The type of `e`.
std::string typeOf(const std::string &e) {
  std::string s = body("let r = " + e);
  size_t from = s.find("r.0: "), to = s.find(" = ");
  return from == 0 && to != std::string::npos ? s.substr(5, to - 5) : s;
}

/// The typed form of `e`.
std::string form(const std::string &e) {
  std::string s = body("let r = " + e);
  size_t to = s.find(" = ");
  return s.starts_with("r.0: ") && to != std::string::npos ? s.substr(to + 3) : s;
}

TEST(SemaTyped, LiteralsAdapt) { // types.literal
  EXPECT_EQ(form("1"), "1:i32");
  EXPECT_EQ(form("1.0"), "1:f32");
  EXPECT_EQ(form("-2147483648"), "-2147483648:i32");
  EXPECT_EQ(form("X[0] + 1"), "add(load X[0:index], 1:f32)");
  EXPECT_EQ(form("H[0] * 0.1"), "mul(load H[0:index], 0.0999755859375:f16)");
  EXPECT_EQ(form("I[0] * 0.5"), "mul(convert<f32>(load I[0:index]), 0.5:f32)");
  EXPECT_EQ(form("2 * D[0]"), "mul(2:f64, load D[0:index])");
  EXPECT_EQ(body("let x: f64 = 1.0 / 3.0"), "x.0: f64 = 0.3333333333333333:f64");
  EXPECT_EQ(body("let x: f64 = 1 / 3"), "x.0: f64 = 0.3333333333333333:f64");
  EXPECT_EQ(body("let x: i32 = 7 / 3 * 2"), "x.0: i32 = 4:i32");
  EXPECT_EQ(body("let x: u8 = 300 - 100"), "x.0: u8 = 200:u8");
  EXPECT_EQ(body("let x: u32 = 0xffffffff"), "x.0: u32 = 4294967295:u32");
  EXPECT_EQ(body("let x: f16 = 1.0 if s > 0.0 else 2.0"), "x.0: f16 = cond(1:f16, gt(s, 0:f32), 2:f16)");
  EXPECT_EQ(form("H[0 :+ 4] * where(X[0 :+ 4] > 0.0, 1.0, 0.5)"),
            "mul(load H[0:index :+ 4], where(gt(load X[0:index :+ 4], broadcast<tile<f32>[4]>(0:f32)), "
            "broadcast<tile<f16>[4]>(1:f16), broadcast<tile<f16>[4]>(0.5:f16)))");
  EXPECT_EQ(form("E[0] * 2.0"), "mul(convert<f32>(load E[0:index]), 2:f32)");
  EXPECT_EQ(form("ctx.block.x + 1"), "add(block_id.x, 1:index)");
}

TEST(SemaTyped, Joins) { // types.join
  EXPECT_EQ(typeOf("H[0] + X[0]"), "f32");
  EXPECT_EQ(typeOf("H[0] + G[0]"), "f32");
  EXPECT_EQ(typeOf("H[0] + H[0]"), "f16");
  EXPECT_EQ(typeOf("E[0] + E[0]"), "f32");
  EXPECT_EQ(typeOf("E[0] + H[0]"), "f32");
  EXPECT_EQ(typeOf("X[0] + D[0]"), "f64");
  EXPECT_EQ(typeOf("I[0] + H[0]"), "f16");
  EXPECT_EQ(typeOf("B[0] + U[0]"), "i32");
  EXPECT_EQ(typeOf("I[0] + W[0]"), "i64");
  EXPECT_EQ(typeOf("L[0] + W[0]"), "i64");
  EXPECT_EQ(typeOf("U[0] + W[0]"), "u32");
  EXPECT_EQ(typeOf("B[0] + I[0]"), "i32");
  EXPECT_EQ(typeOf("ctx.block.x + ctx.grid.x"), "index");
  EXPECT_EQ(typeOf("ctx.block.x + I[0]"), "i64");
  EXPECT_EQ(typeOf("ctx.block.x + L[0]"), "i64");
  EXPECT_EQ(typeOf("ctx.block.x * X[0]"), "f32");
  EXPECT_EQ(typeOf("U[0] << I[0]"), "i32");
  EXPECT_EQ(typeOf("X[0] < D[0]"), "bool");
  EXPECT_EQ(typeOf("where(Q[0], E[0], E[1])"), "f8e4m3");
}

TEST(SemaTyped, Conversions) { // types.assign, types.convert
  EXPECT_EQ(body("let x: f16 = X[0]"), "x.0: f16 = convert<f16>(load X[0:index])");
  EXPECT_EQ(body("let x: i64 = ctx.block.x"), "x.0: i64 = convert<i64>(block_id.x)");
  EXPECT_EQ(body("let x: index = I[0]"), "x.0: index = convert<index>(load I[0:index])");
  EXPECT_EQ(body("H[0] = X[0]"), "store H[0:index] = convert<f16>(load X[0:index])");
  EXPECT_EQ(body("X[0 :+ 4] = 1.0"), "store X[0:index :+ 4] = broadcast<tile<f32>[4]>(1:f32)");
  EXPECT_EQ(form("f32(X[0])"), "load X[0:index]");
  EXPECT_EQ(form("u8(300)"), "44:u8");
  EXPECT_EQ(form("u32(-1)"), "4294967295:u32");
  EXPECT_EQ(form("f16(1e9)"), "convert<f16>(1e+09:f64)");
  EXPECT_EQ(form("i32(2.75)"), "convert<i32>(2.75:f64)");
  EXPECT_EQ(form("bool(X[0])"), "ne(load X[0:index], 0:f32)");
  EXPECT_EQ(form("i64(3000000000)"), "3000000000:i64");
  EXPECT_EQ(form("bitcast<i32>(X[0])"), "bitcast<i32>(load X[0:index])");
}

TEST(SemaTyped, ConstantsAreNumbers) {
  const char *t = "@autotune(T in [48])\n";
  EXPECT_EQ(body("X[ctx.block.x * T :+ T / 2] = 1.0", t),
            "store X[mul(block_id.x, 48:index) :+ 24] = broadcast<tile<f32>[24]>(1:f32)");
  EXPECT_EQ(body("let h = T / 4\n X[0 :+ h] = 1.0", t),
            "h.0: index = 12:index\nstore X[0:index :+ 12] = broadcast<tile<f32>[12]>(1:f32)");
  EXPECT_EQ(form("1 if 3 > 2 else 0"), "1:i32");
  EXPECT_EQ(body("for<unroll T % 5> i in range(0, N) { X[i] = 1.0 }", t).substr(0, 45),
            "for i.0 = 0:index to N step 1:index unroll 3\n");
  EXPECT_EQ(form("f32(cdiv(100, 8)) / 3.0"), "div(13:f32, 3:f32)");
}

TEST(SemaTyped, Slices) { // expr.slice
  EXPECT_EQ(form("A[1, 2 :+ 4]"), "load A[1:index, 2:index :+ 4]");
  EXPECT_EQ(typeOf("A[1, 2 :+ 4]"), "tile<f32>[4]");
  EXPECT_EQ(typeOf("A[0 :+ 2, 2 : 6]"), "tile<f32>[2, 4]");
  EXPECT_EQ(typeOf("S[:, 2 :]"), "tile<f32>[8, 6]");
  EXPECT_EQ(typeOf("S[: 3, 1]"), "tile<f32>[3]");
  EXPECT_EQ(form("X[ctx.block.x * 8 : ctx.block.x * 8 + 8]"), "load X[mul(block_id.x, 8:index) :+ 8]");
  EXPECT_EQ(form("X[(ctx.block.x + 1) * 8 : ctx.block.x * 8 + 12]"),
            "load X[mul(add(block_id.x, 1:index), 8:index) :+ 4]");
  EXPECT_EQ(typeOf("X[2 * ctx.block.x + N : N + ctx.block.x + 3 + ctx.block.x]"), "tile<f32>[3]");
  EXPECT_EQ(form("X[-3 :+ 8]"), "load X[-3:index :+ 8]");
  EXPECT_EQ(form("X[I[0]]"), "load X[convert<index>(load I[0:index])]");
  EXPECT_EQ(form("load(X[6 :+ 8], fill = 9)"), "load X[6:index :+ 8] fill 9:f32");
  EXPECT_EQ(form("S[:, :][2 : 6, 4]"), "slice(load S[0:index :+ 8, 0:index :+ 8])[2 :+ 4, 4]");
  EXPECT_EQ(typeOf("S[:, :][2 : 6, 4]"), "tile<f32>[4]");
  EXPECT_EQ(typeOf("S[:, :][2, 4]"), "f32");
}

TEST(SemaTyped, Assignments) {
  EXPECT_EQ(
      body("var t = X[0 :+ 8]\nt[2 :+ 4] += 1"),
      "t.0: tile<f32>[8] = load X[0:index :+ 8]\n"
      "t.0: tile<f32>[8] = insert(t.0[2 :+ 4], add(slice(t.0)[2 :+ 4], broadcast<tile<f32>[4]>(1:f32)))");
  EXPECT_EQ(body("var t = S[:, :]\nt[1, 2] = s"), "t.0: tile<f32>[8, 8] = load S[0:index :+ 8, 0:index :+ "
                                                  "8]\nt.0: tile<f32>[8, 8] = insert(t.0[1, 2], s)");
  EXPECT_EQ(body("S[:, 0 :+ 4] *= s"), "store S[0:index :+ 8, 0:index :+ 4] = mul(load S[0:index :+ 8, "
                                       "0:index :+ 4], broadcast<tile<f32>[8, 4]>(s))");
  EXPECT_EQ(body("var a: tile<f16>[8, 8] = 0.0\na += dot(S[:, :], S[:, :])"),
            "a.0: tile<f16>[8, 8] = broadcast<tile<f16>[8, 8]>(0:f16)\n"
            "a.0: tile<f16>[8, 8] = convert<tile<f16>[8, 8]>(add(convert<tile<f32>[8, 8]>(a.0), "
            "dot<tile<f32>[8, 8]>(load S[0:index :+ 8, 0:index :+ 8], load S[0:index :+ 8, 0:index :+ 8])))");
  EXPECT_EQ(body("X[atomic_add(I, 0, 1)] += 2.0"), // the place is evaluated once
            "place.0: index = convert<index>(atomic_add I[0:index](1:i32))\nstore X[place.0] = add(load "
            "X[place.0], 2:f32)");
  EXPECT_EQ(body("store(X[0 :+ 4], 1.0, where = X[0 :+ 4] > 0.0)"),
            "store X[0:index :+ 4] = broadcast<tile<f32>[4]>(1:f32) where gt(load X[0:index :+ 4], "
            "broadcast<tile<f32>[4]>(0:f32))");
}

TEST(SemaTyped, Broadcasting) { // expr.broadcast
  EXPECT_EQ(typeOf("A[0 :+ 8, 0 :+ 4] + X[0 :+ 4]"), "tile<f32>[8, 4]");
  EXPECT_EQ(typeOf("A[0 :+ 8, 0 :+ 1] + X[0 :+ 4]"), "tile<f32>[8, 4]");
  EXPECT_EQ(typeOf("where(A[0 :+ 8, 0 :+ 1] > 0.0, X[0 :+ 4], 0.0)"), "tile<f32>[8, 4]");
  EXPECT_EQ(form("s * X[0 :+ 4]"), "mul(broadcast<tile<f32>[4]>(s), load X[0:index :+ 4])");
}

TEST(SemaTyped, Scopes) { // grammar.scope
  EXPECT_EQ(body("let a = 1.0 * s\n{ let a = 2.0 * s\n X[0] = a }\nX[1] = a"),
            "a.0: f32 = mul(1:f32, s)\nblock\n  a.1: f32 = mul(2:f32, s)\n  store X[0:index] = a.1\nstore "
            "X[1:index] = a.0");
  EXPECT_EQ(body("let a = s\n{ let a = a + 1.0\n X[0] = a }"),
            "a.0: f32 = s\nblock\n  a.1: f32 = add(a.0, 1:f32)\n  store X[0:index] = a.1");
  EXPECT_EQ(body("let X = s\nlet exp = exp(X)"), "X.0: f32 = s\nexp.1: f32 = exp(X.0)");
}

TEST(SemaTyped, ConstantConditionsChooseABranch) { // grammar.if.2
  const char *t = "@autotune(T in [64])\n";
  EXPECT_EQ(body("if T > 64 { X[0 :+ T - 64] = 1.0 } else { X[0] = s }", t), "block\n  store X[0:index] = s");
  EXPECT_EQ(body("if T > 64 { X[0 :+ T - 64] = 1.0 }", t), "block");
  EXPECT_NE(body("if T > 64 { X[0] = missing }", t).find("E0301"), std::string::npos);
  EXPECT_NE(body("if T == 64 { X[0 :+ T - 64] = 1.0 }", t).find("E0409"), std::string::npos);
  auto c = checkSource(
      "fn f(x: tile<f32>[R]) -> tile<f32>[R] { return x + zeros<f32>([48]) }\n"
      "@autotune(T in [32, 48])\nkernel k(X: tensor<f32>[N]) {\n"
      "  if T == 48 { X[0 :+ T] = f(X[0 :+ T]) }\n  if T == 32 { X[0 :+ 48] = f(X[0 :+ 48]) }\n}\n");
  ASSERT_TRUE(c->kernels.size() == 1 && c->kernels[0]) << c->rendered();
  EXPECT_FALSE(c->kernels[0]->usesThreads);
}

TEST(SemaTyped, Attributes) {
  auto kernel = [](const std::string &attributes,
                   const std::string &text = "kernel k(X: tensor<f32>[M, N]) { X[0, 0] = 1.0 }\n") {
    auto c = checkSource(attributes + "\n" + text);
    EXPECT_TRUE(c->kernels.size() == 1 && c->kernels[0]) << c->rendered();
    return c->kernels.size() == 1 && c->kernels[0] ? sema::dump(*c->kernels[0]) : "";
  };
  auto has = [](const std::string &text, const std::string &line) {
    return text.find(line + "\n") != std::string::npos;
  };
  std::string k = kernel("@launch(128, 2, 64) @pipeline(3) @persistent @tensorcore(tf32)\n@aligned(M = 8) "
                         "@grid(x = cdiv(M, 8), z = 2)");
  for (const char *line : {"threads 128", "min_blocks 2", "max_registers 64", "stages 3", "pipelined",
                           "persistent", "tensorcore tf32", "aligned M by 8", "grid.x = cdiv(M, 8:index)",
                           "grid.y = 1:index", "grid.z = 2:index"})
    EXPECT_TRUE(has(k, std::string("  ") + line)) << line << "\n" << k;
  EXPECT_TRUE(has(kernel("@autotune(THREADS in [64])\n@launch(THREADS)"), "  threads 64"));
  EXPECT_TRUE(has(kernel("@autotune(STAGES in [5])"), "  stages 5"));
  EXPECT_TRUE(
      has(kernel("@autotune(T in [4])\n@require(T <= N, \"why\")"), "  require le(4:index, N) \"why\""));
  EXPECT_TRUE(
      has(kernel("@require(N % 4 == 0 && M > N)"), "  require land(eq(rem(N, 4:index), 0:index), gt(M, N))"));
  EXPECT_TRUE(has(kernel("@grid(host)"), "  grid host"));
}

} // namespace
} // namespace phobos::test
