// An operator means one thing wherever the host works it out: where sema folds it, in the formulas of a
// space, in their bounds, in launch expressions.
#include "compiler/driver/Condition.h"
#include "kbench/space/Interval.h"
#include "tests/kbench/Expressions.h"
#include <array>
#include <gtest/gtest.h>
#include <limits>

using namespace phobos;
using namespace phobos::kbench;

namespace {

constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();
constexpr int64_t values[] = {least, -7, -2, -1, 0, 1, 2, 3, 7, 63, 64, most};

/// Of `e` over names A and B.
void expectOneMeaning(ast::ExprP e, const std::string &text, bool isTruth) {
  for (int64_t a : values)
    for (int64_t b : values) {
      Point point;
      point.set("A", a);
      point.set("B", b);
      const auto expected = sema::evaluateConstant(e, [&](std::string_view name) { return point.get(name); });
      ASSERT_TRUE(expected) << text;

      FormulaPool pool;
      const auto node =
          pool.add(e, [&](std::string_view name) { return FormulaPool::Binding{true, *point.get(name)}; });
      ASSERT_TRUE(node && pool[*node].op == FormulaOp::Const) << text;
      EXPECT_EQ(pool[*node].value, *expected) << text << " of " << a << " and " << b;

      std::string bad;
      const auto host = driver::readCondition(isTruth ? text : text + " == 0", Contract{}, point, bad);
      ASSERT_TRUE(host) << text << ": " << bad;
      EXPECT_EQ(host->evaluate({}), isTruth ? *expected : *expected == 0) << text << " of " << a << ", " << b;
      if (!isTruth) {
        EXPECT_EQ(host->args[0].evaluate({}), *expected) << text << " of " << a << " and " << b;
      }
    }
}

TEST(Operators, MeanOneThing) {
  test::Trees t;
  const ast::ExprP a = t.name("A"), b = t.name("B");
#define INTEGER_INFIX(NAME, TEXT)                                                                            \
  if (ast::BinaryOp::NAME < ast::BinaryOp::LogicalAnd)                                                       \
    expectOneMeaning(t.binary(ast::BinaryOp::NAME, a, b), "(A " TEXT " B)",                                  \
                     ast::BinaryOp::NAME >= ast::BinaryOp::Eq);
#define INTEGER_CALL(NAME, TEXT) expectOneMeaning(t.call(TEXT, {a, b}), TEXT "(A, B)", false);
#include "runtime/contract/IntegerOps.def"
  // These take truths.
  const ast::ExprP isOne = t.binary(ast::BinaryOp::Eq, a, t.number(1)),
                   isTwo = t.binary(ast::BinaryOp::Gt, b, t.number(2));
  expectOneMeaning(t.binary(ast::BinaryOp::LogicalAnd, isOne, isTwo), "A == 1 && B > 2", true);
  expectOneMeaning(t.binary(ast::BinaryOp::LogicalOr, isOne, isTwo), "A == 1 || B > 2", true);
  expectOneMeaning(t.unary(ast::UnaryOp::Neg, a), "(-A)", false);
  expectOneMeaning(t.unary(ast::UnaryOp::BitNot, a), "(~A)", false);
  expectOneMeaning(t.unary(ast::UnaryOp::Not, isOne), "!(A == 1)", true);
}

TEST(Operators, OneThatAFormulaHasOthersFor) {
  const auto holds = [](ast::BinaryOp op, FormulaOp as, bool negates, bool swaps) {
    const auto form = binaryForm(op);
    return form && form->op == as && form->negatesSecond == negates && form->swaps == swaps;
  };
  EXPECT_TRUE(holds(ast::BinaryOp::Sub, FormulaOp::Add, true, false));
  EXPECT_TRUE(holds(ast::BinaryOp::Gt, FormulaOp::Lt, false, true));
  EXPECT_TRUE(holds(ast::BinaryOp::Ge, FormulaOp::Le, false, true));
  EXPECT_TRUE(holds(ast::BinaryOp::Mul, FormulaOp::Mul, false, false));
}

} // namespace
