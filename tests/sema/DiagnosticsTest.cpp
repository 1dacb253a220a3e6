// Every error of sema: its code, its place, and that nothing else is reported because of it.
#include "tests/sema/Sources.h"
#include <gtest/gtest.h>
#include <set>

namespace phobos::test {
namespace {

struct Case {
  const char *code;
  const char *source;
};

const Case kCases[] = {
#define CASE(CODE, SOURCE) {CODE, SOURCE},
#include "tests/sema/DiagnosticsCases.def"
#undef CASE
};

std::string complete(const std::string &source) {
  if (source.find("kernel") != std::string::npos)
    return source;
  return "kernel k(X: tensor<f32>[N], Y: tensor<f32>[N], A: tensor<f32>[M, K], B: tensor<f32>[M, K], I: "
         "tensor<i32>[N]) {\n" +
         source + "\n}\n";
}

class SemaDiagnostic : public testing::TestWithParam<Case> {};

TEST_P(SemaDiagnostic, HasItsCodeAndPlace) {
  std::string source = complete(GetParam().source);
  const std::string mark = "«";
  size_t place = source.find(mark);
  ASSERT_NE(place, std::string::npos) << "a case marks its place";
  source.erase(place, mark.size());
  auto c = checkSource(source);
  const Diagnostic *found = nullptr;
  for (const Diagnostic &d : c->diags.all())
    if (!found && info(d.id).code == std::string_view(GetParam().code))
      found = &d;
  ASSERT_TRUE(found) << "expected " << GetParam().code << "\n" << source << "\n" << c->rendered();
  EXPECT_EQ(found->range.begin, place) << source << "\n" << c->rendered();
  EXPECT_EQ(c->diags.errorCount(), GetParam().code[0] == 'E' ? 1u : 0u) << source << "\n" << c->rendered();
}

INSTANTIATE_TEST_SUITE_P(Sema, SemaDiagnostic, testing::ValuesIn(kCases));

/// Codes that a source of a few lines cannot reach; LimitsTest.cpp does.
const std::set<std::string> kTestedElsewhere = {"E0422", "E0424", "E0708"};

TEST(SemaDiagnostics, EachCodeHasACase) {
  std::set<std::string> tested = kTestedElsewhere;
  for (const Case &c : kCases)
    tested.insert(c.code);
  for (unsigned i = 0; i < static_cast<unsigned>(diag::Count); ++i) {
    std::string code = info(static_cast<diag>(i)).code;
    std::string number = code.substr(1);
    bool isChecker = (number >= "0230" && number <= "0239") || (number >= "0301" && number <= "0609") ||
                     (number >= "0701" && number <= "0799");
    if (isChecker)
      EXPECT_TRUE(tested.count(code)) << code << " " << info(static_cast<diag>(i)).name << " has no case";
  }
}

TEST(SemaDiagnostics, SuggestTheNearestName) {
  auto help = [](const std::string &body) {
    auto c = checkSource(complete(body));
    return c->diags.all().empty() ? "" : c->diags.all()[0].help.value_or("");
  };
  EXPECT_EQ(help("let total = 1.0\n Y[0] = totl"), "did you mean 'total'?");
  EXPECT_EQ(help("Y[0] = exq(X[0])"), "did you mean 'exp'?");
  EXPECT_EQ(help("Y[0] = sigmod(X[0])"), "did you mean 'sigmoid'?");
  EXPECT_EQ(help("Y[0] = gleu(X[0])"), "did you mean 'gelu'?");
  EXPECT_EQ(help("let x: f23 = 1.0\n Y[0] = x"), "did you mean 'f32'?");
  EXPECT_EQ(help("Y[0] = f32(ctx.thred)"), "did you mean 'thread'?");
  EXPECT_EQ(help("Y[0] = quite_something_else"), "");
}

TEST(SemaDiagnostics, SeveralInOneFileNoneCausedByAnother) {
  auto c = checkSource(complete("let a = missing\n let b = a + 1.0\n Y[0] = b * a\n Y[0 :+ 8] = b\n I[0] = "
                                "2.5\n Y[0.5] = a\n unknown(a)"));
  std::string codes;
  for (const Diagnostic &d : c->diags.all())
    codes += std::string(info(d.id).code) + " ";
  EXPECT_EQ(codes, "E0301 E0403 E0421 E0304 ") << c->rendered();
}

TEST(SemaDiagnostics, OfAFunctionShowTheCall) {
  auto c = checkSource("fn f(x: tile<T>[R]) -> tile<T>[R] { return x + zeros<T>([3]) }\n"
                       "kernel k(X: tensor<f32>[8]) {\n  X[:] = f(X[:])\n}\n");
  ASSERT_EQ(c->diags.all().size(), 1u) << c->rendered();
  ASSERT_EQ(c->diags.all()[0].notes.size(), 1u) << c->rendered();
  EXPECT_EQ(c->diags.all()[0].notes[0].message, "in this call of 'f'");
}

} // namespace
} // namespace phobos::test
