// --explain and the check of the GEMM names, on kernels as a user writes them.
#include "compiler/passes/Explain.h"
#include "compiler/ir/Build.h"
#include "compiler/passes/Pipeline.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/ir/Kernels.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace phobos;
using ::testing::HasSubstr;

namespace {

struct Result {
  std::string text;
  Diagnostics diags;
  std::string rendered;
};

Result explained(const std::string &source, Point point = {}) {
  irtest::Kernels kernels("k.pho", source);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  auto typed = kernels.check(*kernels.file().kernels.front(), point);
  EXPECT_TRUE(typed) << kernels.errors();
  if (!typed)
    return {};
  auto module = ir::build(*typed, context, kernels.sources());
  EXPECT_TRUE(passes::runTilePipeline(*module));
  Result r;
  r.text = passes::renderText(passes::explain(*module));
  passes::checkGemmNames(*module, kernels.sources(), r.diags);
  r.rendered = renderText(r.diags, kernels.sources());
  return r;
}

/// A kernel with `loop` between the usual head and tail; the loop is line 3.
Result loop(const std::string &text, const std::string &more = "") {
  return explained("@grid(host)\nkernel k(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]" +
                   more + ") { var acc: tile<f32>[32, 16] = 0.0\n" + text +
                   "\n  C[0 :+ 32, 0 :+ 16] = acc }\n");
}

TEST(Explain, AContraction) {
  Result r = loop("  for k in range(0, K, 8) {\n    acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16])\n  }");
  EXPECT_EQ(r.text,
            "k.pho:3:3: for, in steps of 8\n"
            "    a contraction, and nothing else\n"
            "    0 of 2 tensor accesses are proved to stay inside; the others are checked at the edge\n"
            "k.pho:4:12: dot of 32x8 and 8x16, f32 into f32\n"
            "    a contraction over the loop of line 3: block tile 32x16, 8 of k in a step that moves 8\n"
            "    reads A along its axis 1, and B along its axis 0\n");
}

TEST(Explain, WhyNot) {
  const std::pair<const char *, const char *> cases[] = {
      {"acc = acc * 0.5 + dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16])",
       "the sum is changed by more than this product in each step"},
      {"acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16]) * 2.0",
       "its result is not simply added to a sum that the loop carries"},
      {"acc += dot(A[0 :+ 32, 0 :+ 8], B[k :+ 8, 0 :+ 16])", "the left operand is the same in every step"},
      {"acc += dot(A[0 :+ 32, k :+ 8], B[0 :+ 8, 0 :+ 16])", "the right operand is the same in every step"},
      {"acc += dot(A[k :+ 32, 0 :+ 8], B[k :+ 8, 0 :+ 16])",
       "the left operand moves along its free axis, not along k"},
      {"acc += dot(A[0 :+ 32, K - k :+ 8], B[K - k :+ 8, 0 :+ 16])",
       "the left operand moves backwards along k"},
      {"acc += dot(A[0 :+ 32, 2 * k :+ 8], B[k :+ 8, 0 :+ 16])",
       "its operands move along k at different speeds"},
      {"acc += dot(A[0 :+ 32, k * k :+ 8], B[k :+ 8, 0 :+ 16])",
       "the left operand is sliced at a place that does not follow the loop's counter evenly"},
      {"acc += dot(cumsum(A[0 :+ 32, k :+ 8]), B[k :+ 8, 0 :+ 16])",
       "the left operand is not a slice of a tensor"},
      {"if k > 8 { acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16]) }", "it runs under a condition"},
      {"acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16])\n C[0 :+ 32, 0 :+ 16] = acc",
       "the new sum is read inside the loop"},
      {"C[0 :+ 32, 0 :+ 16] = acc\n acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16])",
       "the sum is read inside the loop"},
      {"acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16])\n A[0, 0] = 1.0",
       "the loop writes a tensor that it multiplies"},
      {"acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16])\n barrier()", "the loop holds a barrier"},
      {"acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16])\n acc += dot(A[0 :+ 32, k + 8 :+ 8], B[k + 8 :+ "
       "8, 0 :+ 16])",
       "several products are added in one step"},
  };
  for (auto [body, why] : cases)
    EXPECT_THAT(loop(std::string("  for k in range(0, K, 8) {\n ") + body + "\n  }").text, HasSubstr(why))
        << body;
  EXPECT_THAT(
      loop("  for k in range(0, K, s) { acc += dot(A[0 :+ 32, k :+ 8], B[k :+ 8, 0 :+ 16]) }", ", s: index")
          .text,
      HasSubstr("the loop's step is not a constant"));
  EXPECT_THAT(loop("  for k in range(0, K, 8) {\n if k > s { break }\n acc += dot(A[0 :+ 32, k :+ 8], B[k :+ "
                   "8, 0 :+ 16]) }",
                   ", s: index")
                  .text,
              HasSubstr("its loop is a while, or may be left early"));
  EXPECT_THAT(loop("  acc = dot(A[0 :+ 32, 0 :+ 8], B[0 :+ 8, 0 :+ 16])").text,
              HasSubstr("it is not in a loop"));
}

TEST(Explain, WhereAFunctionWasInlined) {
  std::string text =
      explained(
          "fn f(a: tile<f32>[R, K], b: tile<f32>[K, C]) -> tile<f32>[R, C] {\n  return dot(a, "
          "b)\n}\n@grid(host)\n"
          "kernel k(A: tensor<f32>[8, 8], C: tensor<f32>[8, 8]) {\n  C[:, :] = f(A[:, :], A[:, :])\n}\n")
          .text;
  EXPECT_THAT(text, HasSubstr("k.pho:2:10: dot of 8x8 and 8x8"));
  EXPECT_THAT(text, HasSubstr("inlined at k.pho:6:13"));
}

TEST(GemmNames, ThatDisagreeAreErrors) {
  const char *kernel =
      "@autotune(TILE_M in [32], TILE_N in [16], TILE_K in [8])\n@grid(host)\n"
      "kernel k(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {\n"
      "  var acc: tile<f32>[%M, TILE_N] = 0.0\n"
      "  for k in range(0, K, TILE_K) { acc += dot(A[0 :+ %M, k :+ %K], B[k :+ %K, 0 :+ TILE_N]) }\n"
      "  C[0 :+ %M, 0 :+ TILE_N] = acc\n}\n";
  auto with = [&](std::string m, std::string k) {
    std::string text = kernel;
    for (auto [hole, value] : {std::pair(std::string("%M"), m), {std::string("%K"), k}})
      for (size_t at; (at = text.find(hole)) != text.npos;)
        text.replace(at, 2, value);
    return explained(text);
  };
  EXPECT_EQ(with("TILE_M", "TILE_K").rendered, "");
  Result m = with("64", "TILE_K");
  ASSERT_EQ(m.diags.all().size(), 1u);
  EXPECT_EQ(m.diags.all()[0].id, diag::TileNameDisagrees);
  EXPECT_THAT(
      m.rendered,
      HasSubstr(
          "k.pho:5:41: error[E0802]: TILE_M is 32, but the accumulator's first extent of this dot is 64"));
  EXPECT_THAT(with("TILE_M", "16").rendered, HasSubstr("TILE_K is 8, but the k step of this dot is 16"));
}

} // namespace
