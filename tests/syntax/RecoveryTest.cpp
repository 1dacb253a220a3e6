// Errors: where they point, that one does not cause another, and that the rest of the file is still read.
#include "tests/syntax/Parsed.h"
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

/// A kernel whose body has these lines; line 2 of the text is the first.
std::string codesOf(const std::string &body) { return Parsed("kernel k() {\n" + body + "\n}\n").codes(); }

std::string messageOf(const std::string &body) {
  Parsed p("kernel k() {\n" + body + "\n}\n");
  return p.diags.all().empty() ? "" : p.diags.all()[0].message;
}

size_t statementsOf(const std::string &body) {
  Parsed p("kernel k() {\n" + body + "\n}\n");
  size_t n = 0;
  if (!p.file->kernels.empty())
    for (ast::StmtP s : p.file->kernels[0]->body.statements)
      n += s->kind != ast::Stmt::Kind::Broken;
  return n;
}

} // namespace

TEST(Recovery, OneErrorABrokenStatementAndOnWithTheNext) {
  EXPECT_EQ(codesOf("let = 1\ny = ) + 1\nz = 2\nif { }\nw = 3 4\n"),
            "E0102@2:5 E0102@3:5 E0102@5:4 E0102@6:7");
  EXPECT_EQ(statementsOf("let = 1\nx = ]\nz = 2\nw = 3 4\n"), 1u);
}

TEST(Recovery, MessagesNameWhatWasExpected) {
  EXPECT_EQ(messageOf("let = 1"), "expected a name, found '='");
  EXPECT_EQ(messageOf("let for = 1"), "expected a name, found the keyword 'for'");
  EXPECT_EQ(messageOf("x = * 2"), "expected an expression, found '*'");
  EXPECT_EQ(messageOf("x = 1 +"), "expected an expression, found '}'");
  EXPECT_EQ(messageOf("x = 1 2"), "expected the end of the statement, found '2'");
  EXPECT_EQ(messageOf("x = f(1 2)"), "expected ',' or ')', found '2'");
  EXPECT_EQ(messageOf("x = (1 2)"), "expected ')', found '2'");
  EXPECT_EQ(messageOf("x = A[1 2]"), "expected ',' or ']', found '2'");
  EXPECT_EQ(messageOf("x = f(1\ny = 2"), "expected ',' or ')', found the end of the line");
  EXPECT_EQ(messageOf("if a\n{ }"), "expected '{', found the end of the line");
  EXPECT_EQ(messageOf(") x"), "expected a statement, found ')'");
  EXPECT_EQ(messageOf("x = \"s\""), "expected an expression, found a string");
  EXPECT_EQ(messageOf("x = a == !b"), "expected an expression, found '!'");
  EXPECT_EQ(messageOf("let x 1"), "expected '=', found '1'");
  EXPECT_EQ(messageOf("x = a if b"), "expected 'else', found the end of the line");
  EXPECT_EQ(messageOf("for i = 1"), "expected 'in', found '='");
}

TEST(Recovery, AnOpenBracketDoesNotSwallowWhatFollows) {
  EXPECT_EQ(codesOf("x = f(a, b\nlet y = )\nz = A[1 : 2\nw = 1"), "E0102@2:11 E0102@3:9 E0102@4:12");
  EXPECT_EQ(codesOf("x = f(a,\n  b\n  + c,\n d)\n"), "");
  EXPECT_EQ(codesOf("x = f((a\n}\n"), "E0102@2:9 E0102@5:1"); // the body ends one brace early
}

TEST(Recovery, TheOpeningBracketIsNoted) {
  Parsed p("kernel k() {\n  x = f(a, b\n  y = 2\n}\n");
  ASSERT_EQ(p.codes(), "E0102@2:13");
  ASSERT_EQ(p.diags.all()[0].notes.size(), 1u);
  EXPECT_EQ(p.sources.text(p.diags.all()[0].notes[0].range), "(");
}

TEST(Recovery, BlocksOfABrokenStatementGoWithIt) {
  EXPECT_EQ(codesOf("for i in 3 {\n x = 1\n if a { y = 2 }\n}\nz = ]"), "E0102@2:10 E0102@6:5");
  EXPECT_EQ(codesOf("if a {\n x = ]\n} else {\n y = ]\n}\nz = ]"), "E0102@3:6 E0102@5:6 E0102@7:5");
}

TEST(Recovery, DeclarationsAfterABrokenOneAreRead) {
  Parsed p("kernel a(X tensor<f32>[N]) {\n x = 1\n}\n\nfn f(x: f32) -> f32 { return x }\n@launch(\nkernel "
           "b() { }\nkernel c() { }\n");
  EXPECT_EQ(p.codes(), "E0102@1:12 E0102@6:9");
  ASSERT_EQ(p.file->functions.size(), 1u);
  ASSERT_EQ(p.file->kernels.size(), 3u);
  EXPECT_TRUE(p.file->kernels[0]->hasBrokenSignature);
  EXPECT_TRUE(p.file->kernels[1]->hasBrokenAttribute);
  EXPECT_FALSE(p.file->kernels[1]->hasBrokenSignature);
  EXPECT_EQ(p.file->kernels[2]->name.text, "c");
}

/// The parameters that can be read are known, the words of the others may be any, and the body is read.
TEST(Recovery, ABodyBehindABrokenSignatureIsRead) {
  struct Case {
    const char *text, *codes, *known;
  };
  const Case cases[] = {
      {"kernel k(A tensor<f32>[M], I: tensor<i32>[N]) {\n x = 1\n}\n", "E0102@1:12", "I "},
      {"kernel k(A: tensor<f32>[M] B: f32) {\n x = 1\n}\n", "E0102@1:28", "A "},
      {"kernel k(A: tensor<f32>[M, B: f32) {\n x = 1\n}\n", "E0102@1:29", ""},
      {"kernel k(A: tensor<f32>[M] {\n x = 1\n}\n", "E0102@1:28", "A "},
      {"kernel k(A: f32, , B: f32) {\n x = 1\n}\n", "E0102@1:18", "A B "},
      {"kernel k(A: f32) -> f32 {\n x = 1\n}\n", "E0102@1:18", "A "},
      {"kernel k(A: f32): {\n x = 1\n}\n", "E0102@1:17", "A "},
      {"kernel k A: f32 {\n x = 1\n}\n", "E0102@1:10", ""},
  };
  for (const Case &c : cases) {
    Parsed p(c.text);
    EXPECT_EQ(p.codes(), c.codes) << c.text;
    ASSERT_EQ(p.file->kernels.size(), 1u) << c.text;
    const ast::Kernel &k = *p.file->kernels[0];
    EXPECT_TRUE(k.hasBrokenSignature) << c.text;
    EXPECT_EQ(k.body.statements.size(), 1u) << c.text;
    std::string known;
    for (const ast::Param &param : k.params)
      known += param.name.text + " ";
    EXPECT_EQ(known, c.known) << c.text;
  }
  Parsed f(
      "fn f(a f32) -> f32 { return b }\nfn g() -> tile[3] { return b }\nfn h() -> tile<f32> { return b }");
  EXPECT_EQ(f.codes(), "E0102@1:8 E0102@2:15 E0102@3:21");
  EXPECT_EQ(f.file->functions.size(), 0u);
  EXPECT_EQ(f.file->brokenFunctions.size(), 3u);
  EXPECT_EQ(f.file->lostNames.size(), 3u);
}

TEST(Recovery, ABrokenStatementKeepsTheNameItDeclares) {
  Parsed p("kernel k() {\n  let a = 1 + )\n  var b: tile<f32> = 0.0\n  let = 3\n}\n");
  ASSERT_EQ(p.file->kernels.size(), 1u);
  std::string names;
  for (ast::StmtP s : p.file->kernels[0]->body.statements)
    names += (s->kind == ast::Stmt::Kind::Broken ? "broken " : "read ") + s->name.text + ";";
  EXPECT_EQ(names, "broken a;broken b;broken ;");
}

TEST(Recovery, ABrokenFunctionOrAttributeKeepsItsNames) {
  Parsed p("fn f(x f32) -> f32 { return x }\n@autotune(T in 32, 64], U in [2])\nkernel k() { }\n");
  EXPECT_EQ(p.codes(), "E0102@1:8 E0102@2:16");
  EXPECT_EQ(p.file->lostNames, std::vector<std::string>{"f"});
  ASSERT_EQ(p.file->kernels.size(), 1u);
  std::string names;
  for (const ast::Name &n : p.file->kernels[0]->lostNames)
    names += n.text + " ";
  EXPECT_EQ(names, "autotune T in U in ");
}

TEST(Recovery, ARunOfBadTokensIsOneError) {
  const char *tokens[] = {"@",    ")",   "(",   "[",   "]", "{",  "}",  ",",    "$",   "\"",
                          "'",    "#",   "/*",  "=",   "+", ".",  ":",  "let",  "for", "if",
                          "else", "@a(", "1 2", "x y", "<", "->", "\\", "\x80", "@1",  "9a"};
  for (std::string t : tokens)
    for (const char *between : {"", " "}) {
      std::string run;
      for (int i = 0; i < 300; ++i)
        run += t + between;
      EXPECT_LE(Parsed("kernel k() { }\n" + run + "\n").diags.errorCount(), 1u)
          << t << " at the level of the file";
      EXPECT_LE(Parsed("kernel k() {\n" + run + "\n  x = 1\n}\n").diags.errorCount(), 1u)
          << t << " in a kernel";
    }
  EXPECT_EQ(Parsed("@\n@\n@\nkernel k() { }\n").diags.errorCount(), 1u);
}

TEST(Recovery, NestedOpeningsOfAnOpenCommentAreOneError) {
  for (std::string unit : {"/*", "/*/", "/*x/*"}) {
    std::string run;
    for (int i = 0; i < 3000; ++i)
      run += unit;
    EXPECT_LE(Parsed("kernel k() { x = 1 }\n" + run + "/*").diags.errorCount(), 1u) << unit;
    EXPECT_LE(Parsed("kernel k() { x = 1 " + run + "/*\n}\n").diags.errorCount(), 1u) << unit;
  }
}

TEST(Recovery, HabitsOfOtherLanguagesGetHelp) {
  auto help = [](const std::string &body) {
    Parsed p("kernel k(A: tensor<f32>[M]) {\n  " + body + "\n}\n");
    return p.diags.all().empty() ? "none" : p.diags.all()[0].help.value_or("");
  };
  EXPECT_EQ(help("for i in range(10):\n A[i] = 1.0"), "a body stands in braces: '{ .. }'");
  EXPECT_EQ(help("if not a { }"), "write '!'");
  EXPECT_EQ(help("let y = x ** 2"), "write 'pow(x, y)'");
  EXPECT_EQ(help("i++"), "write '+= 1'");
  EXPECT_EQ(help("let y = x @ z"), "write 'dot(a, b)'");
  EXPECT_EQ(help("let p = tl.program_id(0)"), "write 'ctx.block.x', 'ctx.block.y' or 'ctx.block.z'");
  EXPECT_EQ(help("int i = 3"), "a declaration begins with let or var: 'let i: i32 = ..'");
  EXPECT_EQ(help("A[0] = 1.0f"), "a literal takes the type of what it meets: '1.0'");
  EXPECT_EQ(help("# comment"), "a comment begins with //");
  EXPECT_EQ(help("let y = a ? b : c"), "write 'a if c else b'");
  EXPECT_EQ(Parsed("kernel k(A: tensor[f32, M]) { }").diags.all()[0].help.value_or(""),
            "write 'tensor<f32>[M, N]'");
  EXPECT_EQ(Parsed("kernel k(n) { }").diags.all()[0].help.value_or(""), "a parameter has a type: 'x: f32'");
  EXPECT_EQ(Parsed("kernel k() -> f32 { }").diags.all()[0].help.value_or("").substr(0, 24),
            "a kernel returns nothing");
}

TEST(Recovery, ATypeIsNoValue) {
  EXPECT_EQ(codesOf("let a = tile<f32>[4]"), "E0313@2:9");
  EXPECT_EQ(codesOf("let a = tile<f32>[4, N] + 1.0"), "E0313@2:9");
  EXPECT_EQ(codesOf("let a = x < y < z"), "E0107@2:9");
}

TEST(Recovery, WhatIsNoDeclarationIsOneError) {
  Parsed p("let x = 1\nvar y = 2\nfn f() { }\nx = 3\n@persistent kernel k() { }\n");
  EXPECT_EQ(p.codes(), "E0102@1:1 E0102@4:1");
  EXPECT_EQ(p.file->kernels.size(), 1u);
}

TEST(Recovery, AMissingBraceEndsAtTheNextDeclaration) {
  Parsed p("kernel a() {\n  if x {\n    y = 1\n}\n@launch(32)\nkernel b() {\n}\nkernel c() {\n");
  EXPECT_EQ(p.codes(), "E0102@5:1 E0102@9:1");
  EXPECT_EQ(p.diags.all()[0].message, "expected '}', found '@'");
  EXPECT_EQ(p.file->kernels.size(), 1u);
}

TEST(Recovery, AnExtraBraceIsOneError) {
  EXPECT_EQ(Parsed("kernel a() {\n x = 1\n}\n}\nkernel b() { }\n").codes(), "E0102@4:1");
}

TEST(Recovery, LexerErrorsAreOneALineAndSilenceTheirStatement) {
  EXPECT_EQ(codesOf("x = $\ny = 1 # 2 @ ?\nz = `a`"), "E0101@2:5 E0101@3:7 E0101@4:5");
  EXPECT_EQ(codesOf("$ = 3"), "E0101@2:1");
  EXPECT_EQ(codesOf("x = \"abc\ny = 2"), "E0105@2:5");
  EXPECT_EQ(messageOf("x = \xC3\xA9"), "unexpected character '\xC3\xA9'");
  EXPECT_EQ(messageOf("x = \xFF"), "unexpected character '\\xff'");
  EXPECT_EQ(messageOf(std::string("x = \0 1", 7)), "unexpected character '\\x00'");
}

TEST(Recovery, ALexerErrorSilencesItsStatementOnly) {
  EXPECT_EQ(codesOf("x = $ + 2\n+ y\nz = a < b < c\nw = '"), "E0101@2:5 E0102@3:1 E0107@4:5 E0101@5:5");
}

TEST(Recovery, OtherLanguagesWordsAreTranslated) {
  EXPECT_EQ(*Parsed("kernel k() { x = a and b }").diags.all()[0].help, "write '&&'");
  EXPECT_EQ(*Parsed("kernel k() { x = a or b }").diags.all()[0].help, "write '||'");
}

TEST(Recovery, MalformedNumbers) {
  for (const char *bad :
       {"1.", ".5", "1abc", "0x", "0xfg", "1.0f", "1e", "1.5e+", "1__.", "1_", "0xf_", "1.0_", "0b11"}) {
    Parsed p(std::string("kernel k() {\n  x = ") + bad + "\n}\n");
    EXPECT_EQ(p.codes(), "E0104@2:7") << bad;
  }
  EXPECT_EQ(*Parsed("kernel k() { x = 1. }").diags.all()[0].help,
            "a float has a digit on both sides of the point: '1.0'");
  EXPECT_EQ(*Parsed("kernel k() { x = .5 }").diags.all()[0].help,
            "a float has a digit on both sides of the point: '0.5'");
}

TEST(Recovery, AnUnterminatedCommentIsOneErrorAtItsBeginning) {
  EXPECT_EQ(Parsed("kernel k() {\n  x = 1 /* a\n  y = 2\n}\n").codes(), "E0103@2:9");
  EXPECT_EQ(Parsed("/* a").codes(), "E0103@1:1");
  EXPECT_EQ(Parsed("/* a */ // b /*\n/**/ /***/").codes(), "");
}

TEST(Recovery, ElseOnALineOfItsOwn) {
  Parsed p("kernel k() {\n  if a { x = 1\n  }\n  else { x = 2 }\n  if b { }\n  else if c { }\n}");
  EXPECT_EQ(p.codes(), "E0106@4:3 E0106@6:3");
}

TEST(Recovery, OtherFormsHaveTheirOwnCodes) {
  EXPECT_EQ(codesOf("let x: vec<f32>[3] = 1"), "E0113@2:8");
  EXPECT_EQ(codesOf("let x: tile<f32>[] = 1"), "E0114@2:17");
  EXPECT_EQ(codesOf("for i in items(3) { }"), "E0115@2:10");
  EXPECT_EQ(codesOf("for i in range(0, stop = 3) { }"), "E0116@2:19");
  EXPECT_EQ(codesOf("for<vector 3> i in range(3) { }"), "E0117@2:5");
  EXPECT_EQ(codesOf("f(a + b = 3)"), "E0112@2:3");
  EXPECT_EQ(Parsed("@autotune(3 in [4])\nkernel k() { }").codes(), "E0112@1:11");
  EXPECT_EQ(Parsed("@launch(32)\nfn f() { }").codes(), "W0119@1:1");
}

TEST(Recovery, ManyErrorsStopAtTheLimit) {
  std::string body;
  for (int i = 0; i < 1000; ++i)
    body += "x = ]\n";
  EXPECT_EQ(Parsed("kernel k() {\n" + body + "}\n").diags.errorCount(), 64u);
}

} // namespace phobos::test
