// Formulas: precedence, guards, ends, errors.
#include "compiler/legality/Formula.h"
#include <gtest/gtest.h>

using namespace phobos::legality;

namespace {

std::optional<int64_t> value(const char *text,
                             std::initializer_list<std::pair<std::string_view, int64_t>> names = {}) {
  std::string error;
  auto f = Formula::parse(text, error);
  EXPECT_TRUE(f) << error;
  if (!f)
    return std::nullopt;
  return f->evaluate([&](std::string_view name) -> std::optional<int64_t> {
    for (auto [n, v] : names)
      if (n == name)
        return v;
    return std::nullopt;
  });
}

std::string errorOf(const std::string &text) {
  std::string error;
  EXPECT_FALSE(Formula::parse(text, error)) << text;
  return error;
}

TEST(Formula, Precedence) {
  EXPECT_EQ(value("1 + 2 * 3 - 4"), 3);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("7 / 2 * 2 + 7 % 2"), 7);
  EXPECT_EQ(value("1 + 1 == 2 && 3 < 2 || 1 >= 1"), 1);
  EXPECT_EQ(value("!1 == 2"), 1); // ! (1 == 2)
  EXPECT_EQ(value("-3 / 2"), -1);
  EXPECT_EQ(value("-2 * -3"), 6);
  EXPECT_EQ(value("4 != 4"), 0);
  EXPECT_EQ(value("min(3, 5) + max(3, 5) * cdiv(7, 2)"), 23);
}

TEST(Formula, NamesInOrderOnce) {
  std::string error;
  auto f = Formula::parse("B * A + B", error);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->names(), (std::vector<std::string>{"B", "A"}));
  EXPECT_EQ(value("B * A + B", {{"A", 3}, {"B", 4}}), 16);
  EXPECT_EQ(value("B * A", {{"A", 3}}), std::nullopt);
}

TEST(Formula, AnUndecidedDivisionHasNoValueUnlessGuarded) {
  EXPECT_EQ(value("1 / A", {{"A", 0}}), std::nullopt);
  EXPECT_EQ(value("1 % A", {{"A", 0}}), std::nullopt);
  EXPECT_EQ(value("cdiv(1, A)", {{"A", 0}}), std::nullopt);
  EXPECT_EQ(value("A != 0 && 1 / A == 1", {{"A", 0}}), 0);
  EXPECT_EQ(value("A == 0 || 1 / A == 1", {{"A", 0}}), 1);
}

TEST(Formula, LargeNumbersStopAndDoNotWrap) {
  int64_t big = INT64_MAX;
  EXPECT_EQ(value("A * A * A * A > 0", {{"A", big}}), 1);
  EXPECT_EQ(value("A * A * A * -A < 0", {{"A", big}}), 1);
  EXPECT_EQ(value("A + A", {{"A", big}}), INT64_MAX);
  EXPECT_EQ(value("-A", {{"A", INT64_MIN}}), INT64_MAX);
}

TEST(Formula, ErrorsSayWhere) {
  EXPECT_EQ(errorOf("1 +"), "expected a number, a name or '(' at column 4 of '1 +'");
  EXPECT_EQ(errorOf("(1"), "expected ')' at column 3 of '(1'");
  EXPECT_EQ(errorOf("1 2"), "expected an operator at column 3 of '1 2'");
  EXPECT_EQ(errorOf("foo(1)"), "unknown function 'foo' at column 5 of 'foo(1)'");
  EXPECT_NE(errorOf("99999999999999999999").find("past 2^63"), std::string::npos);
  EXPECT_NE(errorOf(std::string(100000, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(errorOf(std::string(100000, '-')).find("nested too deeply"), std::string::npos);
  EXPECT_NE(errorOf(std::string(100000, '!')).find("nested too deeply"), std::string::npos);
}

} // namespace
