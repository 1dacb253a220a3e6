// How much of its tensors a launch touches: what GB/s and the share of the roof count.
#include "compiler/driver/Compile.h"
#include "kbench/analysis/Effort.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::kbench;

namespace {

/// Of the kernel in `text`, where every runtime extent is `extent`, launched with `blocks`.
Effort effortOf(const std::string &text, int64_t extent, int64_t blocks) {
  Diagnostics diags;
  auto loaded = driver::loadText("test.pho", text, {}, diags);
  const ast::Kernel *ast = loaded ? driver::selectKernel(*loaded->file, "", diags) : nullptr;
  auto kernel = ast ? driver::checkAt(*loaded, *ast, {}, diags) : nullptr;
  EXPECT_TRUE(kernel) << renderText(diags, loaded->sources);
  return kernel ? measureEffort(*kernel, std::vector<int64_t>(kernel->dims.size(), extent), {blocks, 1, 1},
                                kernel->grid.fromHost)
                : Effort();
}

TEST(Touched, OnlyWhatTheGridReaches) {
  struct {
    const char *what, *body;
    int64_t blocks;
    double bytes;
  } cases[] = {
      {"whole tiles", "Y[ctx.block.x * 64 :+ 64] = X[ctx.block.x * 64 :+ 64]", 16, 8 * 1000},
      {"one block's share", "Y[ctx.block.x * 64 :+ 64] = X[ctx.block.x * 64 :+ 64]", 2, 8 * 128},
      {"one element", "Y[0] = sum(X[ctx.block.x * 64 :+ 64])", 16, 4 * 1000 + 4},
      {"the same tile by all", "Y[ctx.block.x * 64 :+ 64] = X[0 :+ 64]", 16, 4 * 1000 + 4 * 64},
      {"a shifted tile", "Y[ctx.block.x * 64 :+ 64] = X[ctx.block.x * 64 + 1 :+ 64]", 16, 8 * 1000 - 4},
      {"outside", "Y[N + ctx.block.x * 64 :+ 64] = X[ctx.block.x * 64 :+ 64]", 16, 4 * 1000},
      {"a loop", "for i in range(0, 5) { Y[i] = X[i] }", 1, 8 * 5},
      {"a branch not taken", "if N < 5 { Y[0 :+ 1000] = X[0 :+ 1000] }\n  Y[0] = 1.0", 1, 4},
      {"read twice", "Y[0 :+ 1000] = X[0 :+ 1000] + X[0 :+ 1000]", 1, 8 * 1000},
  };
  for (const auto &c : cases) {
    const Effort e = effortOf(
        std::string("@grid(host)\nkernel k(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n  ") + c.body + "\n}\n",
        1000, c.blocks);
    EXPECT_NEAR(e.bytes, c.bytes, 1e-3 * c.bytes) << c.what;
    EXPECT_EQ(e.unsureBytes, 0) << c.what;
  }
}

TEST(Touched, AtomicsCountTheirOwnElements) {
  // 1000 counters, of which 4096 threads count in 16.
  const Effort e = effortOf("@launch(256)\n@grid(x = 16)\nkernel k(bins: tensor<i32>[N]) {\n"
                            "  let old = atomic_add(bins, ctx.thread % 16, 1)\n}\n",
                            1000, 16);
  EXPECT_EQ(e.bytes, 2 * 4 * 16);
  EXPECT_EQ(e.tensorBytes, 2 * 4 * 1000);
  EXPECT_EQ(e.unsureBytes, 0);
  // One a block.
  EXPECT_EQ(effortOf("@grid(x = 16)\nkernel k(bins: tensor<i32>[N]) {\n"
                     "  let old = atomic_add(bins, ctx.block.x, 1)\n}\n",
                     1000, 16)
                .bytes,
            2 * 4 * 16);
}

std::string histogram(const char *position, const char *before = "") {
  return std::string(
             "@launch(256)\n@grid(x = cdiv(N, 256))\nkernel k(X: tensor<i32>[N], bins: tensor<i32>[N]) {\n"
             "  let x = X[ctx.block.x * 256 + ctx.thread]\n  ") +
         before + "let old = atomic_add(bins, " + position + ", 1)\n}\n";
}

TEST(Touched, WhereDataDecidesItIsUnsure) {
  Effort e = effortOf(histogram("x"), 1 << 20, 1 << 12);
  EXPECT_EQ(e.bytes, 12.0 * (1 << 20)) << "at most";
  EXPECT_EQ(e.unsureBytes, 8.0 * (1 << 20));
  EXPECT_EQ(e.unsure, std::vector<std::string>{"bins"});
  // So few counters that it does not matter which.
  e = effortOf(histogram("x & 255"), 1 << 20, 1 << 12);
  EXPECT_EQ(e.bytes, 4.0 * (1 << 20) + 8 * 256);
  EXPECT_EQ(e.unsureBytes, 8 * 256);
  e = effortOf(histogram("((x % 10) + 10) % 10"), 1 << 20, 1 << 12);
  EXPECT_EQ(e.unsureBytes, 8 * 10);
}

TEST(Touched, HoweverDataGetsThere) {
  const char *position = "ctx.block.x * 256 + ctx.thread";
  const char *by[] = {
      "if x > 0 { n = n + 1 }\n  ",                              // by what a branch assigns
      "for i in range(0, x) { n = n + 1 }\n  ",                  // by the number of trips
      "while n < x { n = n + 1 }\n  ",                           // by another
      "n = max(n, x)\n  ",                                       // by arithmetic
      "for i in range(0, 9) {\n m = n\n n = x\n }\n  n = m\n  ", // by the trip before
      "n = 3 if x > 0 else 4\n  ",
      "for i in range(0, 9) {\n m = n\n n = o\n o = p\n p = x\n }\n  n = m\n  ", // from trip to trip to trip
  };
  for (const char *before : by) {
    const Effort e = effortOf(
        histogram("n * 256 + ctx.thread",
                  (std::string("var n = 0\n  var m = 0\n  var o = 0\n  var p = 0\n  ") + before).c_str()),
        1 << 20, 1 << 12);
    EXPECT_EQ(e.unsure, std::vector<std::string>{"bins"}) << before;
  }
  // Whether it is done at all.
  EXPECT_EQ(effortOf(histogram(position, "if x < 0 { return }\n  "), 1 << 20, 1 << 12).unsure,
            std::vector<std::string>{"bins"});
  EXPECT_TRUE(effortOf(histogram(position), 1 << 20, 1 << 12).unsure.empty());
  // An argument is not known either.
  EXPECT_EQ(
      effortOf(
          "@grid(x = 7)\nkernel k(X: tensor<f32>[N], n: i32) {\n  X[n + ctx.block.x * 16 :+ 16] = 1.0\n}\n",
          100, 7)
          .unsure,
      std::vector<std::string>{"X"});
}

TEST(Touched, WhatNoDataDecidesIsSure) {
  const char *sure[] = {
      // a position that a function makes
      R"(fn place(i: index) -> index {
  if i > 4 { return i * 16 }
  return i * 16
}
@grid(x = cdiv(N, 16))
kernel k(X: tensor<f32>[N]) {
  X[place(ctx.block.x) :+ 16] = 1.0
})",
      // a loop whose trips are not counted
      "@grid(x = 1)\nkernel k(X: tensor<f32>[N]) {\n  var i = 0\n  while i < extent(X, 0) {\n    X[i :+ 16] "
      "= 1.0\n    i = i + 16\n  }\n}\n",
      // what a function does with data, and what a loop that data ends
      R"(fn part(x: f32) -> f32 {
  if x > 0.0 { return x }
  for i in range(0, 9) { if x > f32(i) { break } }
  return 0.5
}
@launch(32)
@grid(x = cdiv(N, 32))
kernel k(X: tensor<f32>[N], Y: tensor<f32>[1]) {
  let i = ctx.block.x * 32 + ctx.thread
  let x = part(Y[0])
  for j in range(0, 9) { if Y[0] > 3.0 { break } }
  X[i] = x
})",
      // threads that stride
      "@launch(32)\n@grid(x = 1)\nkernel k(X: tensor<f32>[N]) {\n  for i in range(ctx.thread, N, 32) {\n    "
      "X[i] = 1.0\n  }\n}\n",
  };
  for (const char *text : sure) {
    const Effort e = effortOf(text, 1000, 63);
    EXPECT_NEAR(e.bytes, 4000, 4) << text; // and perhaps a single element
    EXPECT_EQ(std::count(e.unsure.begin(), e.unsure.end(), "X"), 0) << text;
  }
}

TEST(Touched, GathersAndMaskedStores) {
  Effort e =
      effortOf("@grid(x = N)\nkernel k(T: tensor<f32>[N, 64], I: tensor<i32>[N], Y: tensor<f32>[N, 64]) {\n"
               "  let i = I[ctx.block.x]\n  Y[ctx.block.x :+ 1, 0 :+ 64] = T[i :+ 1, 0 :+ 64]\n}\n",
               100, 100);
  EXPECT_EQ(e.bytes, 4 * (100 + 2 * 6400));
  EXPECT_EQ(e.unsureBytes, 4 * 6400);
  EXPECT_EQ(e.unsure, std::vector<std::string>{"T"});
  e = effortOf("kernel k(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n  let x = X[ctx.block.x * 16 :+ 16]\n"
               "  store(Y[ctx.block.x * 16 :+ 16], x, where = x > 0.0)\n}\n",
               160, 10);
  EXPECT_EQ(e.unsure, std::vector<std::string>{"Y"});
}

TEST(Touched, DeepNestsAndLongChainsTakeNoTime) {
  std::string nest = "@grid(x = 1)\nkernel k(X: tensor<i32>[N]) {\n", chain = nest, ends;
  for (int i = 0; i < 40; ++i) {
    nest += "for i" + std::to_string(i) + " in range(0, 2) {\n";
    ends += "}\n";
  }
  nest += "X[i39] = 1\n" + ends + "}\n";
  Effort e = effortOf(nest, 1000, 1);
  EXPECT_EQ(e.bytes, 8);
  // Each trip hands data on by one variable: more of them than anybody walks for.
  for (int i = 0; i < 100; ++i)
    chain += "var v" + std::to_string(i) + " = 0\n";
  chain += "for i in range(0, 200) {\n";
  for (int i = 0; i < 99; ++i)
    chain += "v" + std::to_string(i) + " = v" + std::to_string(i + 1) + "\n";
  chain += "v99 = X[0]\n}\nX[v0] = 1\n}\n";
  e = effortOf(chain, 1000, 1);
  EXPECT_EQ(e.unsure, std::vector<std::string>{"X"});
}

} // namespace
