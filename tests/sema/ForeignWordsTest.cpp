// Words of other languages that name nothing here: one error each, and advice that compiles.
#include "compiler/support/ForeignWords.h"
#include "tests/sema/Sources.h"
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

/// The kernel in whose names the help lines are written.
std::string around(const std::string &line) {
  return "@autotune(n in [8])\n@grid(host)\nkernel k(A: tensor<f32>[N], i: i32, x: f32, y: f32) {\n"
         "  let t = A[0 :+ n]\n  let c = t > 0.0\n  let a = zeros<f32>([n, n])\n  let b = a\n  " +
         line + "\n}\n";
}

std::vector<std::string> quoted(const std::string &help) {
  std::vector<std::string> out;
  for (size_t from = help.find('\''); from != std::string::npos;) {
    size_t to = help.find('\'', from + 1);
    if (to == std::string::npos)
      break;
    out.push_back(help.substr(from + 1, to - from - 1));
    from = help.find('\'', to + 1);
  }
  return out;
}

} // namespace

TEST(ForeignWords, WhatTheHelpSaysCompiles) {
  for (auto list : {foreignValues(), foreignCalls()})
    for (const ForeignWord &w : list)
      for (const std::string &code : quoted(w.help)) {
        if (code == "@require(..)" || code == "range")
          continue;
        const bool isStatement = code == "barrier()" || code.find(" = ") != std::string::npos;
        const std::string line = code == "{ }" ? "if x > y { }" : isStatement ? code : "let probe = " + code;
        auto checked = checkSource(around(line));
        EXPECT_EQ(checked->diags.errorCount(), 0u) << w.word << ": " << code << "\n" << checked->rendered();
      }
}

TEST(ForeignWords, AnUnknownOneIsOneErrorWithItsHelp) {
  for (const ForeignWord &w : foreignValues()) {
    auto checked = checkSource(around("let probe = " + std::string(w.word)));
    EXPECT_EQ(checked->diags.errorCount(), 1u) << checked->rendered();
    EXPECT_EQ(checked->diags.all()[0].help.value_or(""), w.help) << w.word;
  }
  for (const ForeignWord &w : foreignCalls()) {
    auto checked = checkSource(around("let probe = " + std::string(w.word) + "(x, y, x, y, x, y)"));
    ASSERT_EQ(checked->diags.errorCount(), 1u)
        << w.word << checked->rendered(); // a built-in counts its arguments
    if (info(checked->diags.all()[0].id).code == std::string("E0304"))
      EXPECT_EQ(checked->diags.all()[0].help.value_or(""), w.help) << w.word;
  }
}

TEST(ForeignWords, MembersOfArrays) {
  auto help = [](const std::string &line) {
    auto c = checkSource(around(line));
    EXPECT_EQ(c->diags.errorCount(), 1u) << c->rendered();
    return c->diags.all().empty() ? "" : c->diags.all()[0].help.value_or("");
  };
  EXPECT_EQ(help("let e = A.shape[0]"), "an extent is 'extent(A, 0)', or the dimension's name");
  EXPECT_EQ(help("let e = a.T"), "write 'transpose(a)'");
  EXPECT_EQ(help("let e = A.T"), "a slice is transposed: 'transpose(t)'");
  EXPECT_EQ(help("let e = x.shape"), "only ctx has members");
  EXPECT_EQ(help("let e = threadIdx.x"), "a thread has one coordinate: 'ctx.thread'");
  EXPECT_EQ(help("let e = A[None, 0]"),
            "there is no None; an axis of extent 1 is made by 'reshape(t, [1, n])'");
}

/// The lexer's error is the only one: nothing is said of the rest of its statement, nor of its name.
TEST(ForeignWords, CharactersThatCannotBeReadCauseNoMore) {
  for (const char *line :
       {"let q = 'zzz'", "let q = $ zzz", "let q = zzz ? y : x", "let q = `zzz`\n  let r = q",
        "let zz\xC3\xA9 = 1.0\n  let r = zz\xC3\xA9 + x", "let r = zz\xC3\xA9 + x"}) {
    auto c = checkSource(around(line));
    EXPECT_EQ(c->diags.errorCount(), 1u) << line << "\n" << c->rendered();
  }
}

} // namespace phobos::test
