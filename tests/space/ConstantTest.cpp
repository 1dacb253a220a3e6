// Arithmetic of attributes: 64 bits, wrapping, total.
#include "compiler/sema/Space.h"
#include "tests/syntax/Parsed.h"
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

std::optional<int64_t> evaluate(const std::string &text, std::string *unknown = nullptr) {
  SourceManager sources;
  Diagnostics diags;
  ast::File owner;
  ast::ExprP e = syntax::parseExpression(sources, sources.add("e", text), owner, diags);
  EXPECT_TRUE(e) << renderText(diags, sources);
  auto lookup = [](std::string_view name) -> std::optional<int64_t> {
    return name == "A" ? std::optional<int64_t>(12) : name == "B" ? std::optional<int64_t>(5) : std::nullopt;
  };
  return e ? sema::evaluateConstant(e, lookup, unknown) : std::nullopt;
}

} // namespace

TEST(Constant, OperatorsAndNames) {
  EXPECT_EQ(evaluate("A + B * 2 - 1"), 21);
  EXPECT_EQ(evaluate("A / B"), 2);
  EXPECT_EQ(evaluate("-A / B"), -2);
  EXPECT_EQ(evaluate("-A % B"), -2);
  EXPECT_EQ(evaluate("A & B | 3 ^ 1"), 6);
  EXPECT_EQ(evaluate("1 << 4 >> 1"), 8);
  EXPECT_EQ(evaluate("~A"), -13);
  EXPECT_EQ(evaluate("A == 12 && !(B > 5) || false"), 1);
  EXPECT_EQ(evaluate("A if B > 9 else B"), 5);
  EXPECT_EQ(evaluate("max(A, B) + min(A, B) + abs(-3) + cdiv(A, B)"), 23);
}

TEST(Constant, EveryOperationIsTotal) {
  EXPECT_EQ(evaluate("A / 0"), 0);
  EXPECT_EQ(evaluate("A % 0"), 12);
  EXPECT_EQ(evaluate("cdiv(A, 0)"), 0);
  EXPECT_EQ(evaluate("cdiv(-7, 2)"), -3);
  EXPECT_EQ(evaluate("cdiv(7, -2)"), -3);
  EXPECT_EQ(evaluate("cdiv(-7, -2)"), 4);
  EXPECT_EQ(evaluate("(-9223372036854775807 - 1) / -1"), INT64_MIN);
  EXPECT_EQ(evaluate("(-9223372036854775807 - 1) % -1"), 0);
  EXPECT_EQ(evaluate("9223372036854775807 + 1"), INT64_MIN);
  EXPECT_EQ(evaluate("1 << 64"), 0);
  EXPECT_EQ(evaluate("-1 >> 64"), -1);
  EXPECT_EQ(evaluate("1 << -1"), 0);
}

TEST(Constant, AnythingElseIsNotConstantAndNamesWhy) {
  std::string unknown;
  EXPECT_EQ(evaluate("A + Z", &unknown), std::nullopt);
  EXPECT_EQ(unknown, "Z");
  EXPECT_EQ(evaluate("A + 1.0"), std::nullopt);
  EXPECT_EQ(evaluate("exp(A)"), std::nullopt);
  EXPECT_EQ(evaluate("A[1]"), std::nullopt);
  EXPECT_EQ(evaluate("false && Z"), 0);
}

} // namespace phobos::test
