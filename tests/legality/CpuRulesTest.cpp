// The CPU target asks its rules: a kernel whose tiles do not fit is an illegal point, named, with the
// numbers.
#include "compiler/driver/Compile.h"
#include "compiler/driver/Execute.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace phobos;

namespace {

TEST(CpuRules, TilesThatDoNotFitAreAnIllegalPoint) {
  // Nine tiles of 128 MiB that all live across the loop.
  std::string text = "@grid(host)\nkernel k(A: tensor<f64>[M, K], C: tensor<f64>[M, M]) {\n", sums,
              total = "v0";
  for (int i = 0; i < 9; ++i) {
    std::string name = "v" + std::to_string(i), next = "v" + std::to_string((i + 1) % 9);
    text += "  var " + name + ": tile<f64>[4096, 4096] = 0.0\n";
    sums += "    " + name + " += dot(t, " + next + ")\n";
    total += i ? " + " + name : "";
  }
  text += "  for k in range(0, K, 8) {\n    let t = A[0 :+ 4096, k :+ 4096]\n" + sums +
          "  }\n  C[0 :+ 4096, 0 :+ 4096] = " + total + "\n}\n";
  Diagnostics diags;
  auto loaded = driver::loadText("k.pho", text, {.stdlib = false}, diags);
  const ast::Kernel *kernel = driver::selectKernel(*loaded->file, "", diags);
  ASSERT_TRUE(kernel);
  auto typed = driver::checkAt(*loaded, *kernel, {}, diags);
  ASSERT_TRUE(typed) << renderText(diags, loaded->sources);
  EXPECT_FALSE(driver::prepare("cpu", *typed, loaded->sources, {}, diags));
  ASSERT_TRUE(diags.hasErrors());
  EXPECT_EQ(diags.all().back().id, diag::IllegalPoint);
  EXPECT_THAT(diags.all().back().message,
              ::testing::HasSubstr("illegal point: scratch-memory: the kernel's tiles need "));
  EXPECT_THAT(diags.all().back().message, ::testing::HasSubstr("the limit is 1073741824"));
}

} // namespace
