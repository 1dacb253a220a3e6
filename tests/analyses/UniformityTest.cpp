// Per-thread code: what differs between threads, and what may not.
#include "tests/analyses/Analysed.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

using sema::Stmt;
using sema::Variance;
using testing::HasSubstr;

/// The body stands in a kernel over X, Y (f32) and I (i32) with 64 threads; line 3 is its first.
Analysed body(const std::string &text) {
  return Analysed("@launch(64)\n@grid(host) kernel k(X: tensor<f32>[N], Y: tensor<f32>[N], I: "
                  "tensor<i32>[N], n: i32) {\n" +
                  text + "\n}\n");
}

Variance varianceOf(const std::string &text, const std::string &variable) {
  Analysed a = body(text);
  EXPECT_TRUE(a.isValid()) << a.checked->rendered();
  if (a.isValid())
    for (const sema::Local &v : a.kernel().vars)
      if (v.name == variable)
        return v.variance;
  ADD_FAILURE() << "no variable " << variable;
  return Variance::Uniform;
}

const Stmt *firstStore(const sema::Block &b) {
  for (sema::StmtP s : b.statements) {
    if (s->kind == Stmt::Kind::Store)
      return s;
    for (const sema::Block *inner : {&s->body, &s->orElse})
      if (const Stmt *found = firstStore(*inner))
        return found;
  }
  return nullptr;
}

} // namespace

TEST(Uniformity, ValuesTakeTheVarianceOfTheirOperands) {
  EXPECT_EQ(varianceOf("let a = ctx.thread + 1\nY[a] = 1.0", "a"), Variance::Thread);
  EXPECT_EQ(varianceOf("let a = ctx.lane * 2\nY[a] = 1.0", "a"), Variance::Thread);
  EXPECT_EQ(varianceOf("let a = ctx.warp * 2\nY[a] = 1.0", "a"), Variance::Warp);
  EXPECT_EQ(varianceOf("let a = ctx.block.x + ctx.threads + n\nY[a] = 1.0", "a"), Variance::Uniform);
}

TEST(Uniformity, LoadsTakeTheVarianceOfTheirPlace) {
  EXPECT_EQ(varianceOf("let a = X[ctx.thread]\nY[ctx.thread] = a", "a"), Variance::Thread);
  EXPECT_EQ(varianceOf("let a = X[ctx.warp]\nY[ctx.warp] = a", "a"), Variance::Warp);
  EXPECT_EQ(varianceOf("let t = ctx.thread\nlet a = X[3]\nY[t] = a", "a"), Variance::Uniform);
}

TEST(Uniformity, ReductionsOfTilesAreUniform) {
  EXPECT_EQ(varianceOf("let t = ctx.thread\nlet a = sum(X[0 :+ 8])\nY[t] = a", "a"), Variance::Uniform);
}

TEST(Uniformity, AssignmentUnderADivergentConditionMakesAVariableDivergent) {
  EXPECT_EQ(varianceOf("var a = 0\nif ctx.thread < 4 { a = 1 }\nI[ctx.thread] = a", "a"), Variance::Thread);
  EXPECT_EQ(varianceOf("var a = 0\nif ctx.warp < 1 { a = 1 }\nI[ctx.thread] = a", "a"), Variance::Warp);
  EXPECT_EQ(varianceOf("var a = 0\nif n < 4 { a = 1 }\nI[ctx.thread] = a", "a"), Variance::Uniform);
}

TEST(Uniformity, WhoSeesAVariableDeclaredUnderAConditionHasAssignedIt) {
  EXPECT_EQ(varianceOf("if ctx.thread < 4 { var a = 0\n a = 1\n I[ctx.thread] = a }", "a"),
            Variance::Uniform);
}

TEST(Uniformity, LoopsBringVarianceRound) {
  EXPECT_EQ(
      varianceOf(
          "var a = 0\nvar b = 0\nfor i in range(0, 9) { a = b\n b = i32(ctx.thread) }\nI[ctx.thread] = a",
          "a"),
      Variance::Thread);
  EXPECT_EQ(varianceOf("var a = 0\nfor i in range(0, ctx.lane) { a += 1 }\nI[ctx.thread] = a", "a"),
            Variance::Thread);
  EXPECT_EQ(varianceOf("var a = 0\nfor i in range(0, n) { a += 1 }\nI[ctx.thread] = a", "a"),
            Variance::Uniform);
}

TEST(Uniformity, CountersOfALoopWithAUniformStartAreUniform) {
  EXPECT_EQ(varianceOf("for i in range(0, ctx.lane) { Y[i + ctx.thread] = 1.0 }", "i"), Variance::Uniform);
  EXPECT_EQ(varianceOf("for i in range(ctx.lane, 99) { Y[i] = 1.0 }", "i"), Variance::Thread);
  EXPECT_EQ(varianceOf("for i in range(0, 99, ctx.warp + 1) { Y[i] = 1.0 }", "i"), Variance::Warp);
}

TEST(Uniformity, DivergentBreaksAndContinuesReachTheLoopsVariables) {
  EXPECT_EQ(
      varianceOf("var a = 0\nfor i in range(0, 9) { a += 1\n if i == ctx.lane { break } }\nI[ctx.thread] = a",
                 "a"),
      Variance::Thread);
  EXPECT_EQ(
      varianceOf(
          "var a = 0\nfor i in range(0, 9) { if i == ctx.lane { continue }\n a += 1 }\nI[ctx.thread] = a",
          "a"),
      Variance::Thread);
  EXPECT_EQ(
      varianceOf(
          "var a = 0\nfor i in range(0, 9) { a += 1\n if i == ctx.lane { continue } }\nI[ctx.thread] = a",
          "a"),
      Variance::Uniform);
  EXPECT_EQ(varianceOf("var a = 0\nfor i in range(0, 9) { for j in range(0, 9) { if j == ctx.lane { break } "
                       "}\n a += 1 }\nI[ctx.thread] = a",
                       "a"),
            Variance::Uniform);
}

TEST(Uniformity, FunctionsReturnWhatTheirArgumentsMakeOfThem) {
  const std::string f = "fn f(x: i32) -> i32 {\n  if x > 3 { return 1 }\n  return 2\n}\n";
  const std::string k = "@launch(64) @grid(host) kernel k(I: tensor<i32>[N], n: i32) {\n let a = f(n)\n let "
                        "b = f(i32(ctx.thread))\n I[ctx.thread] = a + b\n}\n";
  Analysed a(f + k);
  ASSERT_TRUE(a.isValid()) << a.checked->rendered();
  for (const sema::Local &v : a.kernel().vars)
    if (v.name == "a" || v.name == "b")
      EXPECT_EQ(v.variance, v.name == "a" ? Variance::Uniform : Variance::Thread) << v.name;
}

TEST(Uniformity, StoresAreDoneOnceOrByEachThread) {
  auto once = [](const std::string &text) {
    Analysed a = body("let t = ctx.thread\n" + text);
    EXPECT_TRUE(a.isValid()) << a.checked->rendered();
    return a.isValid() && firstStore(a.kernel().body)->oncePerBlock;
  };
  EXPECT_TRUE(once("Y[0] = 1.0"));
  EXPECT_TRUE(once("Y[0 :+ 8] = 1.0"));
  EXPECT_TRUE(once("if n > 3 { Y[n] = X[2] }"));
  EXPECT_FALSE(once("Y[t] = 1.0"));
  EXPECT_FALSE(once("if t > 3 { Y[0] = 1.0 }"));
  EXPECT_FALSE(once("if t > 3 { return }\nY[0] = 1.0"));
}

TEST(Uniformity, AtomicsActOnceABlockOnlyWhereAllIsUniform) {
  auto once = [](const std::string &text) {
    Analysed a = body(text);
    EXPECT_TRUE(a.isValid()) << a.checked->rendered();
    bool result = false;
    if (a.isValid())
      for (const sema::Expr &e : a.kernel().exprs)
        result |= e.op == sema::Op::Atomic && e.oncePerBlock;
    return result;
  };
  EXPECT_TRUE(once("atomic_add(I, 0, 1)"));
  EXPECT_TRUE(once("let t = ctx.thread\nI[t] = 0\natomic_add(I, n, 1)"));
  EXPECT_FALSE(once("atomic_add(I, ctx.thread, 1)"));
  EXPECT_FALSE(once("atomic_add(I, 0, i32(ctx.warp))"));
  EXPECT_FALSE(once("if ctx.thread == 0 { atomic_add(I, 0, 1) }"));
  EXPECT_EQ(varianceOf("let o = atomic_add(I, 0, 1)\nI[ctx.thread] = o", "o"), Variance::Uniform);
  EXPECT_EQ(varianceOf("let o = atomic_add(I, ctx.warp, 1)\nI[ctx.thread] = o", "o"), Variance::Thread);
}

TEST(Uniformity, ControlOfStatementsIsKept) {
  Analysed a = body("if ctx.warp == 1 { I[ctx.thread] = 1 }");
  ASSERT_TRUE(a.isValid()) << a.checked->rendered();
  EXPECT_EQ(firstStore(a.kernel().body)->control, Variance::Warp);
}

TEST(CollectiveErrors, UnderADivergentCondition) {
  Analysed a = body("if ctx.thread < 4 {\n  Y[0 :+ 8] = exp(X[0 :+ 8])\n  Y[8 :+ 8] = 1.0\n  barrier()\n}");
  EXPECT_EQ(a.codes(), "E0620@4:3");
  EXPECT_THAT(a.words(), HasSubstr("per thread"));
  EXPECT_THAT(a.words(), HasSubstr("ctx.thread"));
  EXPECT_EQ(body("if ctx.warp == 0 { let t = X[0 :+ 8] }").codes(), "E0620@3:28");
  EXPECT_THAT(body("if ctx.warp == 0 { barrier() }").words(), HasSubstr("per warp"));
  EXPECT_EQ(body("if n == 0 { barrier() }\nI[ctx.thread] = 0").codes(), "");
  EXPECT_EQ(body("if n == 0 { } else if ctx.lane > 0 { } else { barrier() }").codes(), "E0620@3:47");
}

TEST(CollectiveErrors, InExpressionsThatOnlySomeThreadsEvaluate) {
  EXPECT_EQ(body("Y[ctx.thread] = sum(X[0 :+ 8]) if ctx.lane > 3 else 0.0").codes(), "E0620@3:17");
  EXPECT_EQ(body("if ctx.lane > 3 && sum(X[0 :+ 8]) > 0.0 { I[ctx.thread] = 1 }").codes(), "E0620@3:20");
  EXPECT_EQ(body("if sum(X[0 :+ 8]) > 0.0 && ctx.lane > 3 { I[ctx.thread] = 1 }").codes(), "");
}

TEST(CollectiveErrors, InADivergentLoop) {
  EXPECT_EQ(body("for i in range(0, ctx.lane) { barrier() }").codes(), "E0621@3:31");
  EXPECT_EQ(body("var k = ctx.lane\nwhile k > 0 { k -= 1\n barrier() }").codes(), "E0621@5:2");
  EXPECT_EQ(body("for i in range(0, 8) { if i == ctx.lane { break }\n barrier() }").codes(), "E0622@4:2");
  EXPECT_EQ(body("for i in range(0, 8) { barrier()\n if i == ctx.lane { break } }").codes(), "E0621@3:24");
  EXPECT_EQ(body("for i in range(0, 8) { barrier()\n if i == ctx.lane { continue } }").codes(), "");
  EXPECT_EQ(body("for i in range(0, 8) { if i == ctx.lane { break } }\nbarrier()").codes(), "");
}

TEST(CollectiveErrors, AfterADivergentJump) {
  Analysed a = body("if ctx.thread > 3 { return }\nbarrier()");
  EXPECT_EQ(a.codes(), "E0622@4:1");
  EXPECT_THAT(a.words(), HasSubstr("return"));
  EXPECT_EQ(body("for i in range(0, 4) { if ctx.thread > i { return } }\nbarrier()").codes(), "E0622@4:1");
  EXPECT_EQ(body("for i in range(0, 4) { if ctx.thread > i { continue }\n barrier() }").codes(), "E0622@4:2");
  EXPECT_EQ(body("if n > 3 { return }\nbarrier()\nI[ctx.thread] = 1").codes(), "");
}

TEST(CollectiveErrors, ADivergentReturnEndsWithItsFunction) {
  Analysed a("fn f(x: i32) -> i32 {\n  if x > 3 { return 1 }\n  return 2\n}\n"
             "@launch(64) @grid(host) kernel k(I: tensor<i32>[N]) {\n  let b = f(i32(ctx.thread))\n  "
             "barrier()\n  I[ctx.thread] = b\n}\n");
  EXPECT_EQ(a.codes(), "");
}

TEST(CollectiveErrors, InAFunctionNameTheCall) {
  Analysed a(
      "fn f(x: i32) -> i32 {\n  if x > 3 { barrier() }\n  return 2\n}\n"
      "@launch(64) @grid(host) kernel k(I: tensor<i32>[N]) {\n  I[ctx.thread] = f(i32(ctx.thread))\n}\n");
  EXPECT_EQ(a.codes(), "E0620@2:14");
  EXPECT_THAT(a.words(), HasSubstr("in 'f' as it is called here"));
}

TEST(OperandErrors, PerThreadScalarsInTileOperations) {
  EXPECT_EQ(body("Y[0 :+ 8] = X[0 :+ 8] * f32(ctx.thread)").codes(), "E0623@3:25");
  EXPECT_EQ(body("Y[0 :+ 8] = X[ctx.thread :+ 8]").codes(), "E0623@3:15");
  EXPECT_EQ(body("Y[ctx.thread :+ 8] = 1.0").codes(), "E0623@3:3");
  EXPECT_EQ(body("Y[0 :+ 8] = load(X[0 :+ 8], fill = f32(ctx.lane))").codes(), "E0623@3:36");
  EXPECT_EQ(body("Y[0 :+ 8] = f32(ctx.warp)").codes(), "E0623@3:13");
  EXPECT_THAT(body("Y[0 :+ 8] = f32(ctx.warp)").words(), HasSubstr("per warp"));
}

TEST(StoreErrors, APerThreadValueAtAUniformPlace) {
  EXPECT_EQ(body("let t = ctx.thread\nY[0] = f32(t)").codes(), "E0624@4:1");
  EXPECT_EQ(body("Y[n] = X[ctx.lane]").codes(), "E0624@3:1");
  EXPECT_EQ(body("Y[ctx.warp] = X[ctx.lane]").codes(), "");
}

TEST(StoreErrors, OneThreadMayStoreItsValue) {
  EXPECT_EQ(body("if ctx.thread == 0 { Y[0] = X[ctx.thread] }").codes(), "");
  EXPECT_EQ(body("if n > 1 && i32(ctx.thread) == n { Y[0] = X[ctx.thread] }").codes(), "");
  EXPECT_EQ(body("if ctx.lane == 0 { if ctx.warp == 1 { Y[0] = X[ctx.thread] } }").codes(), "");
  EXPECT_EQ(body("if ctx.lane == 0 { Y[0] = X[ctx.thread] }").codes(), "E0624@3:20");
  EXPECT_EQ(body("if i8(ctx.thread) == 0 { Y[0] = X[ctx.thread] }").codes(), "E0624@3:26");
  EXPECT_EQ(body("if ctx.thread == 0 { } else { Y[0] = X[ctx.thread] }").codes(), "E0624@3:31");
}

TEST(Uniformity, LargeKernelsTakeLinearTime) {
  std::string text = "let t = ctx.thread\n";
  for (int i = 0; i < 4000; ++i) {
    std::string n = std::to_string(i);
    text += "var a" + n + " = " + (i ? "a" + std::to_string(i - 1) : "t") + "\nif a" + n + " > " + n +
            " { return }\n";
  }
  for (int i = 0; i < 4000; ++i)
    text += "a" + std::to_string(i) + " += 1\n";
  EXPECT_EQ(body(text).codes(), "");
}

} // namespace phobos::test
