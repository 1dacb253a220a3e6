// Precedence, literals and calls, as the dump shows them.
#include "tests/syntax/Parsed.h"
#include <cmath>
#include <gtest/gtest.h>

namespace phobos::test {

TEST(Expression, ConditionalBindsLoosest) {
  EXPECT_EQ(statement("x = a || b if c else d if e else f"), "x = ((a || b) if c else (d if e else f))");
}

TEST(Expression, NotBindsLooserThanComparisonsAndTighterThanAnd) {
  EXPECT_EQ(statement("x = !a < b && !!c || d"), "x = (((!(a < b)) && (!(!c))) || d)");
}

TEST(Expression, BitwiseOperatorsBindTighterThanComparisons) {
  EXPECT_EQ(statement("x = a | b ^ c & d << e + f * -g == h"),
            "x = ((a | (b ^ (c & (d << (e + (f * (-g))))))) == h)");
}

TEST(Expression, BinaryOperatorsAssociateLeft) {
  EXPECT_EQ(statement("x = a - b - c"), "x = ((a - b) - c)");
  EXPECT_EQ(statement("x = a / b % c * d"), "x = (((a / b) % c) * d)");
  EXPECT_EQ(statement("x = a >> b >> c"), "x = ((a >> b) >> c)");
}

TEST(Expression, UnaryBindsLooserThanPostfix) { EXPECT_EQ(statement("x = -~a[i].y"), "x = (-(~a[i].y))"); }

TEST(Expression, GenericCallsAndShiftsAreToldApart) {
  EXPECT_EQ(statement("x = zeros<f32>([R, C]) + bitcast<i32>(y) >> 3"),
            "x = ((zeros<f32>([R, C]) + bitcast<i32>(y)) >> 3)");
  EXPECT_EQ(statement("x = full<f16>([8], 1.0)"), "x = full<f16>([8], 1.0)");
  EXPECT_EQ(statement("x = a < b >> c"), "x = (a < (b >> c))");
  EXPECT_EQ(statement("x = f(a < b, c > d)"), "x = f((a < b), (c > d))");
}

TEST(Expression, SubscriptsOfEveryForm) {
  EXPECT_EQ(statement("A[i, s : e, s :+ n, :, : e, s :] = 0"), "A[i, s : e, s :+ n, :, : e, s :] = 0");
}

TEST(Expression, KeywordArgumentsFollow) {
  EXPECT_EQ(statement("x = load(A[i :+ 8], fill = -inf)"), "x = load(A[i :+ 8], fill = (-inf))");
}

TEST(Expression, NamesOfTypesAndBuiltinsAreOrdinary) {
  EXPECT_EQ(statement("tile[range] = tensor.dot + unroll(f32) * kernel_"),
            "tile[range] = (tensor.dot + (unroll(f32) * kernel_))");
}

TEST(Expression, LiteralsKeepTheirValue) {
  Parsed p("kernel k() {\n x = [1_000, 0xff, 0xFF_ff, 1.5, 1_0.2_5, 1e3, 2.5E-1, inf, nan, "
           "18446744073709551615, 18446744073709551616, 1e999, true]\n}");
  ASSERT_EQ(p.messages(), "");
  const auto &v = p.file->kernels[0]->body.statements[0]->value->args;
  EXPECT_EQ(v[0]->intValue, 1000u);
  EXPECT_EQ(v[1]->intValue, 255u);
  EXPECT_EQ(v[2]->intValue, 0xffffu);
  EXPECT_EQ(v[3]->floatValue, 1.5);
  EXPECT_EQ(v[4]->floatValue, 10.25);
  EXPECT_EQ(v[5]->floatValue, 1000.0);
  EXPECT_EQ(v[6]->floatValue, 0.25);
  EXPECT_TRUE(std::isinf(v[7]->floatValue));
  EXPECT_TRUE(std::isnan(v[8]->floatValue));
  EXPECT_EQ(v[9]->intValue, 18446744073709551615u);
  EXPECT_FALSE(v[9]->intOverflow);
  EXPECT_TRUE(v[10]->intOverflow);
  EXPECT_TRUE(std::isinf(v[11]->floatValue));
  EXPECT_TRUE(v[12]->boolValue);
}

TEST(Expression, ParenthesesAreRemembered) {
  Parsed p("kernel k() { x = (a < b) < c }");
  ASSERT_EQ(p.messages(), "");
  ast::ExprP e = p.file->kernels[0]->body.statements[0]->value;
  EXPECT_TRUE(e->args[0]->parenthesized);
  EXPECT_EQ(p.sources.text(e->args[0]->range), "(a < b)");
}

TEST(Expression, ChainedComparisonsAreAnErrorAtTheChainWithTheFix) {
  Parsed p("kernel k() {\n  if 0 < ctx.block.x <= 4 { }\n}");
  EXPECT_EQ(p.codes(), "E0107@2:6");
  EXPECT_EQ(*p.diags.all()[0].help, "write '0 < ctx.block.x && ctx.block.x <= 4'");
  EXPECT_EQ(Parsed("kernel k() { x = a < b > (c) }").codes(), "E0107@1:18");
}

TEST(Expression, AFormulaIsParsedByItself) {
  SourceManager sources;
  Diagnostics diags;
  ast::File owner;
  sources.add("formula", "(TILE_M / WARP_M) *\n (TILE_N / WARP_N)\n == THREADS / 32\n");
  ast::ExprP e = syntax::parseExpression(sources, 0, owner, diags);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->binaryOp, ast::BinaryOp::Eq);
  for (const char *bad : {"", "a b", "a +", "let x = 1", "a; b", "(a", "a)", "$"}) {
    Diagnostics d;
    EXPECT_EQ(syntax::parseExpression(sources, sources.add("formula", bad), owner, d), nullptr) << bad;
    EXPECT_EQ(d.errorCount(), 1u) << bad << renderText(d, sources);
  }
}

} // namespace phobos::test
