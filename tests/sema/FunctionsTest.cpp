// Functions: inference, overloads, instantiation.
#include "tests/sema/Sources.h"
#include <gtest/gtest.h>

namespace phobos::test {
namespace {

/// The type of `call` in a kernel beside the functions, or the diagnostics.
std::string result(const std::string &functions, const std::string &call) {
  auto c = checkSource(functions +
                       "\n@grid(host)\nkernel k(X: tensor<f32>[N], H: tensor<f16>[N], I: tensor<i32>[N], A: "
                       "tensor<f32>[M, N], S: tensor<f32>[8, 4]) {\n  let r = " +
                       call + "\n}\n");
  if (c->kernels.empty() || !c->kernels[0])
    return c->rendered();
  return str(c->kernels[0]->vars.back().name == "r" ? c->kernels[0]->vars.back().type : Type::none());
}

TEST(SemaFunctions, InferTypesAndDimensions) { // functions.generic
  EXPECT_EQ(result("fn f(x: tile<T>[R, C]) -> tile<T>[C, R] { return transpose(x) }", "f(A[0 :+ 8, 0 :+ 4])"),
            "tile<f32>[4, 8]");
  EXPECT_EQ(result("fn f(x: tile<T>[R]) -> tile<T>[1] { return rowmax(x) }", "f(H[0 :+ 8])"), "tile<f16>[1]");
  EXPECT_EQ(result("fn f(x: T) -> T { return x }", "f(2)"), "i32");
  EXPECT_EQ(result("fn f(x: T, y: T) -> T { return x }", "f(2, 1.5)"), "f32");
  EXPECT_EQ(result("fn f(x: tile<T>[R, C]) -> f32 { return zeros<f32>([R, C])[0, 0] + f32(T(C)) }",
                   "f(A[0 :+ 8, 0 :+ 4])"),
            "f32");
  EXPECT_EQ(result("fn f(x: tile<f32>[R, 4]) -> i32 { return i32(R) }", "f(A[0 :+ 8, 0 :+ 4])"), "i32");
  EXPECT_EQ(result("fn f(x: tile<f32>[R, C], g: tile<f32>[R, C]) -> tile<f32>[R, C] { return x * g }",
                   "f(A[0 :+ 8, 0 :+ 4], A[0 :+ 8, 0 :+ 1])"),
            "tile<f32>[8, 4]");
  EXPECT_EQ(result("fn f(x: tile<f32>[R, C], g: tile<f32>[R, C]) -> tile<f32>[R, C] { return x * g }",
                   "f(1.0, A[0 :+ 8, 0 :+ 1])"),
            "tile<f32>[8, 1]");
}

TEST(SemaFunctions, ConvertArgumentsAsAssignmentsDo) { // functions.1
  EXPECT_EQ(result("fn f(x: f64) -> f64 { return x }", "f(X[0])"), "f64");
  EXPECT_EQ(result("fn f(x: f16) -> f16 { return x }", "f(X[0])"), "f16");
  EXPECT_EQ(result("fn f(x: i64) -> i64 { return x }", "f(ctx.block.x)"), "i64");
}

TEST(SemaFunctions, TakeTensors) {
  EXPECT_EQ(result("fn f(A: tensor<T>[P, Q], i: index) -> T { return A[i, Q - 1] + A[P - 1, 0] }", "f(S, 1)"),
            "f32");
  EXPECT_EQ(result("fn f(A: tensor<T>[P, Q]) -> tile<T>[P, Q] { return A[:, :] }", "f(S)"),
            "tile<f32>[8, 4]");
  EXPECT_NE(result("fn f(A: tensor<T>[P, Q]) -> tile<T>[P, Q] { return A[:, :] }", "f(A)").find("E0408"),
            std::string::npos);
}

TEST(SemaFunctions, TheMostSpecificWins) { // functions.overload.2
  const char *rank = "fn f(x: tile<T>[R]) -> i32 { return 1 }\nfn f(x: tile<T>[R, C]) -> i64 { return 2 "
                     "}\nfn f(x: T) -> f32 { return 0.0 }";
  EXPECT_EQ(result(rank, "f(X[0 :+ 4])"), "i32");
  EXPECT_EQ(result(rank, "f(A[0 :+ 4, 0 :+ 4])"), "i64");
  EXPECT_EQ(result(rank, "f(X[0])"), "f32");
  const char *types =
      "fn f(x: T) -> i32 { return 1 }\nfn f(x: f16) -> i64 { return 2 }\nfn f(x: f64) -> f32 { return 0.0 }";
  EXPECT_EQ(result(types, "f(H[0])"), "i64");
  EXPECT_EQ(result(types, "f(X[0])"), "i32"); // no conversion before one
  const char *dims =
      "fn f(x: tile<f32>[R, C]) -> i32 { return 1 }\nfn f(x: tile<f32>[R, 4]) -> i64 { return 2 }";
  EXPECT_EQ(result(dims, "f(A[0 :+ 8, 0 :+ 4])"), "i64");
  EXPECT_EQ(result(dims, "f(A[0 :+ 8, 0 :+ 2])"), "i32");
}

TEST(SemaFunctions, HideTheStdlibAndBuiltInsThatTakeTheSame) { // functions.overload.3
  EXPECT_EQ(result("fn relu(x: tile<f32>[R]) -> i32 { return 1 }", "relu(X[0 :+ 4])"), "i32");
  EXPECT_EQ(result("fn relu(x: tile<f32>[R]) -> i32 { return 1 }", "relu(A[0 :+ 4, 0 :+ 4])"),
            "tile<f32>[4, 4]");
  EXPECT_EQ(result("fn exp(x: i32) -> i32 { return x }", "exp(I[0])"), "i32");
  EXPECT_EQ(result("fn exp(x: i32) -> i32 { return x }", "exp(X[0])"), "f32");
  EXPECT_EQ(result("fn sum(x: i32) -> i32 { return x }", "sum(X[0 :+ 4])"), "f32");
}

TEST(SemaFunctions, SeeOnlyTheirOwnNames) { // functions.5
  auto c = checkSource("fn f(x: f32) -> f32 { return x * s }\n@autotune(T in [4])\nkernel k(X: "
                       "tensor<f32>[N], s: f32) { X[0 :+ T] = f(s) }\n");
  EXPECT_NE(c->rendered().find("unknown name 's'"), std::string::npos) << c->rendered();
}

TEST(SemaFunctions, AreInstantiatedAtEachCall) {
  auto c = checkSource("fn f(x: tile<T>[R]) -> tile<T>[R] {\n  if x[0] == 0 { return x }\n  return x + 1\n}\n"
                       "kernel k(X: tensor<f32>[N], I: tensor<i32>[N]) {\n  X[0 :+ 4] = f(X[0 :+ 4])\n  I[0 "
                       ":+ 2] = f(I[0 :+ 2])\n}\n");
  ASSERT_TRUE(c->kernels.size() == 1 && c->kernels[0]) << c->rendered();
  std::string d = sema::dump(*c->kernels[0]);
  EXPECT_NE(d.find("return add(x.0, broadcast<tile<f32>[4]>(1:f32))"), std::string::npos) << d;
  EXPECT_NE(d.find("return add(x.1, broadcast<tile<i32>[2]>(1:i32))"), std::string::npos) << d;
}

TEST(SemaFunctions, ReturnOnEveryPath) { // functions.4
  auto codes = [](const std::string &functionBody) {
    auto c = checkSource("fn f(x: f32) -> f32 {\n" + functionBody +
                         "\n}\nkernel k(X: tensor<f32>[N]) { X[0] = f(X[1]) }\n");
    return c->diags.hasErrors() ? std::string(info(c->diags.all()[0].id).code) : "";
  };
  EXPECT_EQ(codes("return x"), "");
  EXPECT_EQ(codes("if x > 0.0 { return x } else { return -x }"), "");
  EXPECT_EQ(codes("if x > 0.0 { return x } else if x < 0.0 { return -x }"), "E0703");
  EXPECT_EQ(codes("for i in range(0, 4) { return x }"), "E0703");
  EXPECT_EQ(codes("while true { if x > 0.0 { return x } }"), "");
  EXPECT_EQ(codes("while true { if x > 0.0 { break } }"), "E0703");
  EXPECT_EQ(codes("while true { for i in range(0, 2) { break } }"), "");
  EXPECT_EQ(codes("{ return x }"), "");
}

} // namespace
} // namespace phobos::test
