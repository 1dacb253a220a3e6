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

std::string codesOf(const std::string &source) {
  auto c = checkSource(complete(source));
  c->diags.sortByPlace();
  std::string codes;
  for (const Diagnostic &d : c->diags.all())
    codes += std::string(info(d.id).code) + "@" +
             std::to_string(c->sources.file(1).lineColumn(d.range.begin).line) + " ";
  return codes;
}

/// What could not be read declares its names all the same, and no conclusion is drawn from the rest.
TEST(SemaDiagnostics, AnErrorOfSyntaxCausesNoOther) {
  EXPECT_EQ(codesOf("let i = ctx.block.x\n X[i * 32 :+ 32 = 1.0"), "E0102@3 ");
  EXPECT_EQ(codesOf("let i = ctx.block.x\n if 0<i<3 { X[i] = 1.0 }"), "E0107@3 ");
  EXPECT_EQ(codesOf("let a = 1 + )\n let b = foo(3)\n Y[0] = b + a\n Y[1] = a"), "E0102@2 E0304@3 ");
  EXPECT_EQ(codesOf("let n: i32 = zz\n let t: tile<f32>[n] = 0.0\n Y[0 :+ n] = t"), "E0301@2 ");
  EXPECT_EQ(codesOf("let a = tile<f32>[4]\n Y[0 :+ 4] = a"), "E0313@2 ");
  EXPECT_EQ(codesOf("for i in range(10):\n Y[i] = 1.0"), "E0102@2 ");
  EXPECT_EQ(codesOf("int i = 3;\n Y[i] = 1.0"), "E0102@2 ");
  for (const char *names : {"let (a, b)", "var (a, b)", "let [a, b]", "let a, b", "let (a , b,)"})
    EXPECT_EQ(codesOf(names + std::string(" = foo\n Y[a] = b\n Y[0] = c")), "E0102@2 E0301@4 ") << names;
  EXPECT_EQ(codesOf("@autotune(T = [4, 8])\nkernel k(Y: tensor<f32>[N]) { Y[0 :+ T] = zeros<f32>([T]) }"),
            "E0211@1 ");
  EXPECT_EQ(codesOf("let x: tile<f32>[] = 1\n Y[0] = x"), "E0114@2 ");
  EXPECT_EQ(codesOf("Y[0] = max(X[0], b + 1 = 3)"), "E0112@2 E0301@2 ");
  EXPECT_EQ(codesOf("fn f(x f32) -> f32 { return x }\nkernel k(Y: tensor<f32>[N]) { Y[0] = f(1.0) }"),
            "E0102@1 ");
  EXPECT_EQ(codesOf("fn f(x: f32) -> f32 { return x + }\nkernel k(Y: tensor<f32>[N]) { Y[0] = f(1.0) }"),
            "E0102@1 ");
  EXPECT_EQ(codesOf("@autotune(T in 32, 64])\n@launch(T)\n@require(T > 3)\nkernel k(Y: tensor<f32>[T]) {\n"
                    " let a: tile<f32>[T] = 0.0\n Y[:] = a\n}"),
            "E0102@1 ");
}

/// One mistake does not hide the next.
TEST(SemaDiagnostics, ErrorsOfDifferentKindsAreReportedTogether) {
  EXPECT_EQ(
      codesOf("@autotune(T in [], U in [0, 4])\n@launch(33)\n@require(Z > 1)\n@require(1)\n@pipeline(0)\n"
              "kernel k(Y: tensor<f32>[N]) {\n let a: tile<f32>[T] = 0.0\n Y[0 :+ T] = a\n Y[U] = b\n Y[1] = "
              "true\n}"),
      "E0201@1 E0203@1 E0234@2 E0213@3 E0406@4 E0233@5 E0301@9 E0403@10 ");
  EXPECT_EQ(
      codesOf(
          "fn f() { }\nfn f() { }\nkernel k(Y: tensor<f32>[N]) {\n let a = )\n Y[0] = b\n}\nkernel k() { }"),
      "E0707@2 E0102@4 E0301@5 E0312@7 ");
}

TEST(SemaDiagnostics, SuggestNothingThatIsAnotherName) {
  auto help = [](const std::string &source) {
    auto c = checkSource(source);
    return c->diags.all().empty() ? "" : c->diags.all()[0].help.value_or("");
  };
  std::string head =
      "@autotune(BM in [4])\nkernel k(Y: tensor<f32>[N]) {\n let a: tile<f32>[BM] = 0.0\n Y[0 :+ BM] = a\n ";
  EXPECT_EQ(help(head + "Y[0] = f32(bb)\n}"), "");
  EXPECT_EQ(help(head + "Y[0] = f32(bm)\n}"), "did you mean 'BM'?");
  EXPECT_EQ(help(head + "Y[0] = f32(BMN)\n}"), "did you mean 'BM'?");
  EXPECT_EQ(help("kernel k(Y: tensor<f32>[N]) { Y[0] = unifrm(1, 2) }"), "");
  EXPECT_EQ(help("kernel k(Y: tensor<f32>[N]) { Y[0] = tanhh(Y[0]) }"), "did you mean 'tanh'?");
  EXPECT_EQ(help("kernel k(Y: tensor<f32>[N]) { let x = zeroes<f32>([4]) }"), "did you mean 'zeros'?");
  EXPECT_EQ(help("kernel k(Y: tensor<f32>[N]) { Y[0] = tan(Y[0]) }"), "write 'sin(x) / cos(x)'");
  EXPECT_EQ(help("fn f(x: f32) -> f32 { return tan(x) }\nkernel k(Y: tensor<f32>[N]) { Y[0] = 1.0 }"),
            "write 'sin(x) / cos(x)'");
  const std::string integers = "the types of integers are i8, i32, i64, u8, u32 and index",
                    floats = "the types of floats are f8e4m3, f8e5m2, f16, bf16, f32 and f64";
  for (const char *type : {"i16", "u64", "u16", "int16", "uint64_t", "i128"}) {
    EXPECT_EQ(help("kernel k(Y: tensor<" + std::string(type) + ">[N]) { Y[0] = 1 }"), integers) << type;
    EXPECT_EQ(help("fn f(x: " + std::string(type) + ") { }"), integers) << type;
  }
  for (const char *type : {"f8", "f128", "float8"})
    EXPECT_EQ(help("kernel k(Y: tensor<" + std::string(type) + ">[N]) { Y[0] = 1.0 }"), floats) << type;
  EXPECT_EQ(help("kernel k(Y: tensor<bol>[N]) { Y[0] = true }"), "did you mean 'bool'?");
  EXPECT_EQ(help("kernel k(Y: tensor<f32>[N]) { Y[0 :+ 4] = softmx(Y[0 :+ 4]) }"), "did you mean 'softmax'?");
}

TEST(SemaDiagnostics, WordsOfOtherLanguagesAreTranslated) {
  auto help = [](const std::string &source) {
    auto c = checkSource(source);
    return c->diags.all().empty() ? "" : c->diags.all()[0].help.value_or("");
  };
  EXPECT_EQ(help("kernel k(A: tensor<float>[M]) { A[0] = 1.0 }"), "did you mean 'f32'?");
  EXPECT_EQ(help(complete("Y[threadIdx.x] = 1.0")), "a thread has one coordinate: 'ctx.thread'");
  EXPECT_EQ(help(complete("Y[0] = float(3)")), "did you mean 'f32'?");
  EXPECT_EQ(help(complete("Y[0] = 0.0 if True else 1.0")), "did you mean 'true'?");
  EXPECT_EQ(help(complete("__syncthreads()")), "write 'barrier()'");
  EXPECT_EQ(help(complete("count = 3")), "declare it: 'var count = ..'");
}

/// Nothing of a source reaches a terminal as a control, and no message is as long as the source likes.
TEST(SemaDiagnostics, SourceTextIsShownAsText) {
  std::string esc = "\x1b[31m", rlo = "\xE2\x80\xAE", bad = "\xC3(", nul(1, '\0');
  auto c = checkSource("@require(false, \"" + esc + rlo + bad + nul +
                           "\")\nkernel k(Y: tensor<f32>[N]) { Y[0] = z // " + esc + rlo + bad +
                           "\xE9\xBE\x8D\n}\n",
                       {}, "a\x1b.pho");
  std::string text = c->rendered();
  for (char x : text)
    EXPECT_TRUE(x == '\n' || static_cast<unsigned char>(x) >= 0x20) << text;
  EXPECT_EQ(text.find(rlo), std::string::npos) << text;
  EXPECT_EQ(text.find(bad), std::string::npos) << text;
  EXPECT_NE(text.find("\\x1b[31m"), std::string::npos) << text;
  EXPECT_NE(text.find("\xE9\xBE\x8D"), std::string::npos) << "what is a character stays one\n" << text;
}

TEST(SemaDiagnostics, LongWordsAreShortened) {
  for (std::string body : {"Y[0] = 1.0 + " + std::string(100000, '9'), "Y[0] = " + std::string(100000, 'z'),
                           "Y[0] = " + std::string(100000, 'z') + "(1.0)"}) {
    auto c = checkSource(complete(body));
    ASSERT_FALSE(c->diags.all().empty());
    EXPECT_LT(c->rendered().size(), 2000u);
  }
  auto c = checkSource("@autotune(T in [" + std::string(5000, '9') +
                       "])\nkernel k(Y: tensor<f32>[T]) { Y[0] = 1.0 }");
  EXPECT_LT(c->rendered().size(), 300u) << c->rendered();
}

TEST(SemaDiagnostics, OfAFunctionShowTheCall) {
  auto c = checkSource("fn f(x: tile<T>[R]) -> tile<T>[R] { return x + zeros<T>([3]) }\n"
                       "kernel k(X: tensor<f32>[8]) {\n  X[:] = f(X[:])\n}\n");
  ASSERT_EQ(c->diags.all().size(), 1u) << c->rendered();
  ASSERT_EQ(c->diags.all()[0].notes.size(), 1u) << c->rendered();
  EXPECT_EQ(c->diags.all()[0].notes[0].message, "in this call of 'f'");
}

TEST(SemaDiagnostics, AFloatAddedToWhatBeganAsAnIntegerIsMendedAtItsDeclaration) {
  auto help = [](const std::string &body) {
    auto c = checkSource(
        "kernel k(X: tensor<f32>[N], H: tensor<f16>[N], I: tensor<i32>[N], Y: tensor<f32>[N]) {\n" + body +
        "\n}");
    return c->diags.all().empty() ? "" : c->diags.all()[0].help.value_or("");
  };
  EXPECT_EQ(help("var s = 0\n s += sum(X[0 :+ 8])"), "declare it as 'var s: f32 = 0.0'");
  EXPECT_EQ(help("var s = 1\n s = X[0]"), "declare it as 'var s: f32 = 1.0'");
  EXPECT_EQ(help("var s = 0\n s += H[0]"), "declare it as 'var s: f16 = 0.0'");
  EXPECT_EQ(help("var s = 0\n for i in range(0, 4) { s += X[i :+ 8] }"),
            "declare it as 'var s: tile<f32>[8] = 0.0'");
  // What was meant as an integer is one.
  EXPECT_EQ(help("var s: i32 = 0\n s += X[0]"), "write i32(..) around the value");
  EXPECT_EQ(help("var s = I[0]\n s += X[0]"), "write i32(..) around the value");
  // What the help says compiles.
  EXPECT_EQ(help("var s: f32 = 0.0\n s += sum(X[0 :+ 8])\n Y[0] = s"), "");
  EXPECT_EQ(help("var s: tile<f32>[8] = 0.0\n for i in range(0, 4) { s += X[i :+ 8] }\n Y[0 :+ 8] = s"), "");
}

TEST(SemaDiagnostics, ATileAsSubscriptIsToldWhatThereIs) {
  auto help = [](const std::string &subscript) {
    auto c =
        checkSource("kernel k(X: tensor<f32>[N], I: tensor<i32>[N], Y: tensor<f32>[N]) {\n Y[0 :+ 16] = X[" +
                    subscript + "]\n}");
    return c->diags.all().empty() ? "" : c->diags.all()[0].help.value_or("");
  };
  EXPECT_EQ(help("I[0 :+ 16]"), "neighbours are one slice, X[first :+ 16]; elements anywhere are taken one "
                                "by one, in a loop or one a thread (@launch)");
  EXPECT_EQ(help("iota(0, [16]) + 3"), help("I[0 :+ 16]"));
  EXPECT_EQ(help("I[0 :+ 1]"), "take its element: t[0]");
  EXPECT_EQ(help("X[0]"), "write i32(..) around it");
}

} // namespace
} // namespace phobos::test
