// The help of the warning about fill zeros (W0630) is to be taken word by word: what it says to write
// compiles and warns no more, for every type and reduction.
#include "tests/sema/Sources.h"
#include <gtest/gtest.h>
#include <regex>

namespace phobos::test {
namespace {

std::string kernel(const std::string &elem, const std::string &reduction, const std::string &value) {
  return "@grid(x = 1)\nkernel k(X: tensor<" + elem +
         ">[M, N], Y: tensor<f32>[M, N]) {\n  Y[0 :+ 4, 0 :+ 1] = f32(" + reduction + "(" + value + "))\n}\n";
}

TEST(FillHelp, WhatItSaysToWriteCompiles) {
  for (const char *elem : {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i8", "u32", "u8"})
    for (const char *reduction : {"rowmax", "rowmin", "rowprod", "rowargmax", "rowargmin"}) {
      auto before = checkSource(kernel(elem, reduction, "X[0 :+ 4, 0 :+ 8]"));
      const std::string text = before->rendered();
      std::smatch fill;
      if (text.empty()) // zeros change no result there
        continue;
      ASSERT_TRUE(std::regex_search(text, fill, std::regex("fill = ([^)]+)\\)"))) << text;
      EXPECT_NE(text.find("W0630"), std::string::npos) << text;
      auto after =
          checkSource(kernel(elem, reduction, "load(X[0 :+ 4, 0 :+ 8], fill = " + fill[1].str() + ")"));
      EXPECT_EQ(after->rendered(), "") << elem << " " << reduction;
    }
}

} // namespace
} // namespace phobos::test
