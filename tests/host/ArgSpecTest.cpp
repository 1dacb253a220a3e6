#include "compiler/host/ArgSpec.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace phobos;
using Kind = ArgSpec::Kind;

namespace {
ArgSpec parsed(const std::string &text) {
  ArgSpec spec;
  std::string error;
  EXPECT_TRUE(parseArgValue(text, spec, error)) << text << ": " << error;
  return spec;
}

std::string errorOf(const std::string &text) {
  ArgSpec spec;
  std::string error;
  return parseArgValue(text, spec, error) ? "" : error;
}

TEST(ArgSpec, NumbersFilesAndRules) {
  EXPECT_EQ(parsed("a.npy").kind, Kind::File);
  EXPECT_EQ(parsed("1").kind, Kind::Number);
  EXPECT_EQ(parsed("-1_000").integer, -1000);
  EXPECT_EQ(parsed("0xff").integer, 255);
  EXPECT_EQ(parsed("true").integer, 1);
  EXPECT_EQ(parsed("1e-3").a, 1e-3);
  EXPECT_FALSE(parsed("2.0").integer);
  EXPECT_EQ(parsed("-inf").a, -INFINITY);
  EXPECT_TRUE(std::isnan(parsed("nan").a));
  EXPECT_EQ(parsed("-9223372036854775808").integer, INT64_MIN);
  EXPECT_FALSE(parsed("9223372036854775808").integer);
  EXPECT_EQ(parsed("uniform(-1,1)").kind, Kind::Uniform);
  EXPECT_EQ(parsed("uniform(-1, 1)").b, 1);
  EXPECT_EQ(parsed("normal").b, 1);
  EXPECT_EQ(parsed("normal(2,0.5)").a, 2);
  EXPECT_EQ(parsed("arange").kind, Kind::Arange);
  EXPECT_EQ(parsed("const(3)").integer, 3);
  EXPECT_EQ(parsed("normalised.npy").kind, Kind::File);
  EXPECT_EQ(parsed("./1").kind, Kind::File);
}

TEST(ArgSpec, WhatIsMisspeltSaysHowToWriteIt) {
  EXPECT_NE(errorOf("uniform").find("uniform(low, high)"), std::string::npos);
  EXPECT_NE(errorOf("uniform(1)").find("uniform(low, high)"), std::string::npos);
  EXPECT_NE(errorOf("uniform(a,1)").find("'a'"), std::string::npos);
  EXPECT_NE(errorOf("uniform(2,1)"), "");
  EXPECT_NE(errorOf("normal(0,-1)"), "");
  EXPECT_NE(errorOf("arange(3)"), "");
  EXPECT_NE(errorOf("const"), "");
  EXPECT_NE(errorOf(""), "");
  std::string name, error;
  ArgSpec spec;
  EXPECT_FALSE(parseArg("X", name, spec, error));
  EXPECT_FALSE(parseArg("=3", name, spec, error));
  EXPECT_TRUE(parseArg("X=a=b.npy", name, spec, error));
  EXPECT_EQ(spec.text, "a=b.npy");
}

TEST(ArgSpec, TheSameSeedAndNameGiveTheSameNumbers) {
  HostArray a(ScalarType::F64, {1000}), b(ScalarType::F64, {10}), c(ScalarType::F64, {10});
  fillArray(a, parsed("uniform(-1,1)"), 7, "X");
  fillArray(b, parsed("uniform(-1,1)"), 7, "X");
  fillArray(c, parsed("uniform(-1,1)"), 7, "Y");
  EXPECT_EQ(a.getFloat(9), b.getFloat(9));
  EXPECT_NE(b.getFloat(9), c.getFloat(9));
  // These constants are the contract: a change of the generator changes what users recorded.
  EXPECT_EQ(a.getFloat(0), -0x1.e3c7c46651be4p-1);
  EXPECT_EQ(a.getFloat(2), 0x1.9ac430a9d64dcp-2);
  HostArray n(ScalarType::F64, {3});
  fillArray(n, parsed("normal"), 7, "X");
  EXPECT_EQ(n.getFloat(0), 0x1.01dafb80c7a19p-1);
  EXPECT_EQ(n.getFloat(2), 0x1.b67e5f03062c9p-1);
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    EXPECT_LT(std::abs(a.getFloat(i)), 1);
    sum += a.getFloat(i);
  }
  EXPECT_LT(std::abs(sum / 1000), 0.1);
}

TEST(ArgSpec, NormalHasItsMeanAndDeviation) {
  HostArray a(ScalarType::F64, {20000});
  fillArray(a, parsed("normal(3,2)"), 1, "X");
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    sum += a.getFloat(i), squares += a.getFloat(i) * a.getFloat(i);
  double mean = sum / 20000;
  EXPECT_NEAR(mean, 3, 0.06);
  EXPECT_NEAR(std::sqrt(squares / 20000 - mean * mean), 2, 0.06);
}

TEST(ArgSpec, IntegersTakeBothEnds) {
  HostArray a(ScalarType::I32, {4000});
  fillArray(a, parsed("uniform(-2,2)"), 1, "X");
  int counts[5] = {};
  for (int64_t i = 0; i < a.size(); ++i)
    ++counts[a.getInt(i) + 2];
  for (int n : counts)
    EXPECT_GT(n, 600);
  fillArray(a, parsed("arange"), 1, "X");
  EXPECT_EQ(a.getInt(17), 17);
  fillArray(a, parsed("const(-5)"), 1, "X");
  EXPECT_EQ(a.getInt(17), -5);
}

TEST(ArgSpec, ScalarsMustFitTheirType) {
  double f = 0;
  int64_t i = 0;
  std::string error;
  EXPECT_TRUE(scalarValue(parsed("3"), ScalarType::I32, 0, "n", f, i, error));
  EXPECT_EQ(i, 3);
  EXPECT_TRUE(scalarValue(parsed("3"), ScalarType::F32, 0, "n", f, i, error));
  EXPECT_EQ(f, 3);
  EXPECT_TRUE(scalarValue(parsed("0.1"), ScalarType::F32, 0, "n", f, i, error));
  EXPECT_EQ(f, 0.1f);
  EXPECT_FALSE(scalarValue(parsed("0.5"), ScalarType::I32, 0, "n", f, i, error));
  EXPECT_FALSE(scalarValue(parsed("300"), ScalarType::I8, 0, "n", f, i, error));
  EXPECT_FALSE(scalarValue(parsed("2"), ScalarType::Bool, 0, "n", f, i, error));
  EXPECT_FALSE(scalarValue(parsed("x.npy"), ScalarType::I32, 0, "n", f, i, error));
}
} // namespace
