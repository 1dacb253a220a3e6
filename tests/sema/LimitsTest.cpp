// Named limits instead of exhausted stacks and memory.
#include "tests/sema/Sources.h"
#include <gtest/gtest.h>

namespace phobos::test {
namespace {

std::string repeated(const std::string &s, size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i)
    out += s;
  return out;
}

std::string onlyCode(const std::string &source) {
  auto c = checkSource(source);
  return c->diags.all().size() == 1 ? info(c->diags.all()[0].id).code : c->rendered();
}

std::string inKernel(const std::string &body) {
  return "kernel k(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n" + body + "\n}\n";
}

/// f0 .. f(n-1), each calling the one before `calls` times.
std::string functionChain(size_t n, size_t calls, const std::string &first) {
  std::string s = "fn f0(x: f32) -> f32 { return " + first + " }\n";
  for (size_t i = 1; i < n; ++i) {
    std::string call = "f" + std::to_string(i - 1) + "(x)";
    s += "fn f" + std::to_string(i) + "(x: f32) -> f32 { return " + call + repeated(" + " + call, calls - 1) +
         " }\n";
  }
  return s + inKernel("Y[0] = f" + std::to_string(n - 1) + "(X[0])");
}

TEST(SemaLimits, LongChainsOfOperatorsAreFine) {
  EXPECT_EQ(checkSource(inKernel("let a = X[0]\n Y[0] = a" + repeated(" + a", 990)))->rendered(), "");
  EXPECT_EQ(checkSource(inKernel("Y[0] = 1.0" + repeated(" + 1.0", 990)))->rendered(), "");
}

TEST(SemaLimits, NestingIsLimited) {
  EXPECT_EQ(onlyCode(inKernel("let a = X[0]\n Y[0] = " + repeated("-", 900) + "a")), "E0422");
  EXPECT_EQ(onlyCode(inKernel("let a = X[0]\n Y[0] = " + repeated("a if a > 0.0 else ", 450) + "a")),
            "E0422");
  EXPECT_EQ(onlyCode(functionChain(3000, 1, "x")), "E0422");
}

TEST(SemaLimits, InlinedStatementsAreLimited) { EXPECT_EQ(onlyCode(functionChain(40, 2, "x")), "E0708"); }

TEST(SemaLimits, NodesAreLimited) {
  EXPECT_EQ(onlyCode(functionChain(14, 2, "x" + repeated(" + x", 400))), "E0424");
}

TEST(SemaLimits, TilesAreLimitedWhateverTheirExtents) {
  EXPECT_EQ(onlyCode(inKernel("Y[0] = sum(zeros<f32>([9223372036854775807, 9223372036854775807]))")),
            "E0411");
  EXPECT_EQ(onlyCode(inKernel("Y[0] = sum(X[0 :+ 9223372036854775807])")), "E0411");
}

} // namespace
} // namespace phobos::test
