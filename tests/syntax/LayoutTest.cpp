// Newlines and semicolons.
#include "tests/syntax/Parsed.h"
#include <gtest/gtest.h>

namespace phobos::test {

TEST(Layout, NewlinesInParenthesesAndBracketsDoNotEndAStatement) {
  EXPECT_EQ(statement("x = f(\n a\n , b[\n i\n :+ 8\n ]\n )"), "x = f(a, b[i :+ 8])");
  EXPECT_EQ(statement("x = (a\n if c\n else b)"), "x = (a if c else b)");
}

TEST(Layout, NewlinesAfterOperatorsCommasAndBracesDoNotEndAStatement) {
  EXPECT_EQ(statement("x = a +\n b *\n\n -\n c"), "x = (a + (b * (-c)))");
  EXPECT_EQ(statement("x =\n a if c else\n b"), "x = (a if c else b)");
  EXPECT_EQ(statement("if a &&\n b {\n\n x = 1\n\n\n}"), "if (a && b) {\n    x = 1\n  }");
}

TEST(Layout, SemicolonsAndBlankLinesSeparate) {
  Parsed p("\n\nkernel k() { ;; x = 1; y = 2;\n\n; z = 3 };\n\n");
  EXPECT_EQ(p.messages(), "");
  EXPECT_EQ(p.file->kernels[0]->body.statements.size(), 3u);
}

TEST(Layout, ATrailingCommaIsAllowed) {
  Parsed p("@autotune(T in [8, 16, 32,],\n)\nkernel k(X: tensor<f32>[N],\n) {\n x = f(1,)\n}\n");
  EXPECT_EQ(p.messages(), "");
  EXPECT_NE(Parsed("kernel k() { x = f(,) }").codes(), "");
}

TEST(Layout, ACommentWithANewlineIsOne) {
  Parsed p("kernel k() { x = 1 /* \n */ y = 2 /* c */ + 3 // d\n z = 1 }");
  EXPECT_EQ(p.messages(), "");
  EXPECT_EQ(p.file->kernels[0]->body.statements.size(), 3u);
}

TEST(Layout, ABlockMayStandOnOneLine) {
  EXPECT_EQ(
      statement("if a { return } else if b { break } else { continue }"),
      "if a {\n    return\n  } else {\n    if b {\n      break\n    } else {\n      continue\n    }\n  }");
}

TEST(Layout, DosLineEndsAndAByteOrderMarkAreIgnored) {
  Parsed p("\xEF\xBB\xBFkernel k() {\r\n  x = 1\r\n  y = 2\r\n}\r\n");
  EXPECT_EQ(p.messages(), "");
  EXPECT_EQ(p.file->kernels[0]->body.statements.size(), 2u);
}

TEST(Layout, AnAttributeMayStandOnItsOwnLineOrNot) {
  Parsed p("@autotune(T in [1])\n\n@launch(256) @persistent kernel k()\n{ }\n");
  EXPECT_EQ(p.messages(), "");
  EXPECT_EQ(p.file->kernels[0]->attributes.size(), 3u);
}

TEST(Layout, AttributesOfEveryForm) {
  Parsed p("@autotune(T in [1, 2], U in [3])\n@require(T < N, \"say \\\"no\\\"\\n\\\\\")\n@grid(x = cdiv(M, "
           "T), y = 1)\n@grid(host)\n@persistent\nkernel k() { }\n");
  ASSERT_EQ(p.messages(), "");
  const auto &a = p.file->kernels[0]->attributes;
  EXPECT_EQ(a[0].choices.size(), 2u);
  EXPECT_EQ(p.sources.text(a[0].choices[0].range), "T in [1, 2]");
  EXPECT_EQ(p.sources.text(a[0].choices[0].listRange), "[1, 2]");
  EXPECT_EQ(*a[1].args[1].text, "say \"no\"\n\\");
  EXPECT_EQ(a[2].args[0].name->text, "x");
  EXPECT_EQ(ast::str(a[2].args[0].value), "cdiv(M, T)");
  EXPECT_FALSE(a[4].hasParens);
}

} // namespace phobos::test
