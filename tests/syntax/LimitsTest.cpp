// No text exhausts the stack, the memory or the reader's patience.
#include "tests/syntax/Parsed.h"
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

std::string repeated(const std::string &s, size_t n) {
  std::string out;
  out.reserve(s.size() * n);
  for (size_t i = 0; i < n; ++i)
    out += s;
  return out;
}

std::string inKernel(const std::string &body) { return "kernel k() {\n" + body + "\n}\n"; }
/// The codes without places.
std::string code(const std::string &text) { return Parsed(text).codes().substr(0, 5); }

} // namespace

TEST(Limits, WhatIsNoTextIsOneError) {
  std::string noise, wide = "\xFF\xFE", wideAlone;
  for (int i = 0; i < 3000; ++i)
    noise += static_cast<char>(i * 37 + i * i % 251);
  for (char c : inKernel("x = 1")) {
    wide += {c, '\0'};
    wideAlone += {'\0', c};
  }
  for (const std::string &bytes : {noise, wide, wideAlone,
                                   "\x7F"
                                   "ELF" +
                                       std::string(60, '\0')})
    EXPECT_EQ(Parsed(bytes).codes(), "E0118@1:1");
  EXPECT_NE(Parsed(wide).messages().find("UTF-16"), std::string::npos);
  EXPECT_NE(Parsed(noise).messages().find("binary data"), std::string::npos);
  EXPECT_EQ(code(inKernel("x = \x01" + repeated(" ", 40))), "E0101") << "one character that is none";
  EXPECT_EQ(code(inKernel("// \xC3\xA4\xC3\xB6\n")), "");
  EXPECT_EQ(code(""), "");
}

TEST(Limits, BracketsNestTo256Levels) {
  EXPECT_EQ(code(inKernel("x = " + repeated("(", 254) + "1" + repeated(")", 254))), "");
  EXPECT_EQ(code(inKernel("x = " + repeated("(", 257) + "1" + repeated(")", 257))), "E0108");
  EXPECT_EQ(code(inKernel("x = " + repeated("[", 400000))), "E0108");
  EXPECT_EQ(code(inKernel("x = " + repeated("f(a[", 100000))), "E0108");
}

TEST(Limits, BlocksNestTo256Levels) {
  EXPECT_EQ(code(inKernel(repeated("if a {\n", 254) + repeated("}\n", 254))), "");
  EXPECT_EQ(code(inKernel(repeated("{", 100000))), "E0108");
  EXPECT_EQ(code(inKernel(repeated("while a { ", 300) + repeated("}", 300))), "E0108");
}

TEST(Limits, ElseIfsNestTo256Levels) {
  EXPECT_EQ(code(inKernel("if a { }" + repeated(" else if b { }", 250))), "");
  EXPECT_EQ(code(inKernel("if a { }" + repeated(" else if b { }", 100000))), "E0108");
}

TEST(Limits, AnExpressionHasAtMost1000Operators) {
  EXPECT_EQ(code(inKernel("x = 1" + repeated(" + 1", 990))), "");
  EXPECT_EQ(code(inKernel("x = 1" + repeated(" + 1", 100000))), "E0109");
  EXPECT_EQ(code(inKernel("x = " + repeated("-", 100000) + "1")), "E0109");
  EXPECT_EQ(code(inKernel("x = " + repeated("!", 100000) + "a")), "E0109");
  EXPECT_EQ(code(inKernel("x = " + repeated("a if b else ", 100000) + "a")), "E0109");
  EXPECT_EQ(code(inKernel("x = a" + repeated("[0]", 100000))), "E0109");
  EXPECT_EQ(code(inKernel("x = a" + repeated(".b", 100000))), "E0109");
  EXPECT_EQ(code(inKernel("x = a" + repeated(" < b", 100000))), "E0109");
  EXPECT_EQ(code(inKernel(repeated("x += f(-1 + a[2] * 3, 4)\n", 2000))), "");
}

TEST(Limits, OperatorsOfOneDeclarationDoNotCountForTheNext) {
  EXPECT_EQ(code(repeated("fn f(x: tile<f32>[R, C]) -> f32 { return g(x, x, x) }\n", 2000)), "");
}

TEST(Limits, DeepOperatorsWithinTheLimitParse) {
  EXPECT_EQ(code(inKernel("x = " + repeated("-", 990) + "1")), "");
  EXPECT_EQ(code(inKernel("x = " + repeated("!", 990) + "a")), "");
  EXPECT_EQ(code(inKernel("x = " + repeated("a if b else ", 900) + "a")), "");
  EXPECT_EQ(code(inKernel("x = " + repeated("(-", 250) + "1" + repeated(")", 250))), "");
}

TEST(Limits, TextAndTokensAreCounted) {
  EXPECT_EQ(code(repeated("x", (size_t(16) << 20) + 1)), "E0110");
  EXPECT_EQ(code(repeated(" ", size_t(16) << 20)), "");
  EXPECT_EQ(code(inKernel(repeated("x;", 300000))), "E0111");
  EXPECT_EQ(code(repeated("@", 600000)), "E0111");
}

TEST(Limits, LongTokensAndListsAreFine) {
  EXPECT_EQ(code(inKernel(repeated("x", 1 << 20) + " = " + repeated("1", 1 << 16))), "");
  EXPECT_EQ(code(inKernel("x = f(" + repeated("1, ", 50000) + "1)")), "");
  EXPECT_EQ(code(repeated("$", 1 << 20)), "E0101");
  EXPECT_EQ(code("/*" + repeated("*", 1 << 20)), "E0103");
  EXPECT_EQ(code("\"" + repeated("a", 1 << 20)), "E0105");
  EXPECT_EQ(code(repeated("}", 100000)), "E0102");
  EXPECT_EQ(code(repeated("kernel ", 100000)), "E0102");
  EXPECT_EQ(code(repeated("@a ", 100000)), "E0102");
}

} // namespace phobos::test
