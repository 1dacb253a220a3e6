#include "compiler/host/Npy.h"
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace phobos;

namespace {
/// A version 1 header around `dict`, as NumPy would write it but unpadded.
std::string header(const std::string &dict, char version = 1) {
  std::string s("\x93NUMPY", 6);
  s += version;
  s += '\0';
  s += static_cast<char>(dict.size() & 0xff);
  s += static_cast<char>(dict.size() >> 8);
  if (version > 1)
    s += std::string(2, '\0');
  return s + dict;
}

std::string errorOf(const std::string &bytes) {
  NpyHeader h;
  std::string error;
  return parseNpyHeader(bytes, h, error) ? "" : error;
}

class NpyFile : public testing::Test {
protected:
  void TearDown() override { std::remove(path.c_str()); }
  void write(const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  std::string path = testing::TempDir() + "npy-" + std::to_string(getpid()) + ".npy", error;
};

TEST(NpyHeader, VersionsOneToThree) {
  for (char version : {1, 2, 3}) {
    NpyHeader h;
    std::string error;
    ASSERT_TRUE(parseNpyHeader(
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }\n", version), h, error))
        << error;
    EXPECT_EQ(h.elem, ScalarType::F32);
    EXPECT_EQ(h.extents, (std::vector<int64_t>{3, 5}));
  }
}

TEST(NpyHeader, EveryTypeOfNumPyThatTheLanguageHas) {
  std::pair<const char *, ScalarType> types[] = {
      {"|b1", ScalarType::Bool}, {"|i1", ScalarType::I8},  {"|u1", ScalarType::U8},
      {"<i4", ScalarType::I32},  {"<u4", ScalarType::U32}, {"<i8", ScalarType::I64},
      {"<f2", ScalarType::F16},  {"<f4", ScalarType::F32}, {"<f8", ScalarType::F64}};
  for (auto [code, elem] : types) {
    NpyHeader h;
    std::string error;
    ASSERT_TRUE(parseNpyHeader(
        header("{'descr': '" + std::string(code) + "', 'fortran_order': False, 'shape': (), }"), h, error));
    EXPECT_EQ(h.elem, elem);
    EXPECT_TRUE(h.extents.empty());
  }
}

TEST(NpyHeader, HostileHeadersAreErrors) {
  auto dict = [](std::string descr, std::string order, std::string shape) {
    return header("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }");
  };
  EXPECT_NE(errorOf(""), "");
  EXPECT_NE(errorOf("PK\x03\x04 something else"), "");
  EXPECT_NE(errorOf(header("{}")), "");
  EXPECT_NE(errorOf(header("{'descr': '<f4'", 9)), "");
  EXPECT_NE(errorOf(header("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5")), "");
  EXPECT_NE(errorOf(std::string("\x93NUMPY\x01\x00\xff\xff{", 11)), "");
  EXPECT_NE(errorOf(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13)), "");
  EXPECT_NE(errorOf(dict("'<f4'", "False", "(-1,)")), "");
  EXPECT_NE(errorOf(dict("'<f4'", "False", "(99999999999999999999,)")), "");
  EXPECT_NE(errorOf(dict("'<f4'", "Maybe", "(1,)")), "");
  EXPECT_NE(errorOf(dict("'<f4'", "False", "(1 2)")), "");
  EXPECT_NE(errorOf(dict("[('a', '<f4')]", "False", "(1,)")), "");
  EXPECT_NE(errorOf(dict("'>f4'", "False", "(1,)")).find("big-endian"), std::string::npos);
  EXPECT_NE(errorOf(dict("'<c8'", "False", "(1,)")).find("'<c8'"), std::string::npos);
  EXPECT_NE(errorOf(dict("'<i2'", "False", "(1,)")).find("'<i2'"), std::string::npos);
  EXPECT_NE(errorOf(dict("'<f4'", "True", "(2, 3)")).find("Fortran"), std::string::npos);
  EXPECT_NE(errorOf(dict("'<f4'", "False", "(" + std::string(200, '1') + ")")), "");
  std::string many = "(";
  for (int i = 0; i < 40; ++i)
    many += "1, ";
  EXPECT_NE(errorOf(dict("'<f4'", "False", many + ")")).find("dimensions"), std::string::npos);
}

TEST_F(NpyFile, AClaimThatTheFileDoesNotHoldIsAnErrorBeforeAnyAllocation) {
  write(header("{'descr': '<f8', 'fortran_order': False, 'shape': (4000000000, 4000000000), }") + "1234");
  EXPECT_FALSE(readNpy(path, error));
  EXPECT_NE(error.find("claims"), std::string::npos);
  write(header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }") + std::string(17, 'x'));
  EXPECT_FALSE(readNpy(path, error));
  write(header(
      "{'descr': '<f8', 'fortran_order': False, 'shape': (9000000000000000000, 9000000000000000000, 0), }"));
  ASSERT_TRUE(readNpy(path, error)) << error;
  EXPECT_EQ(readNpy(path, error)->size(), 0);
}

TEST_F(NpyFile, MissingFilesAndDirectoriesAreErrors) {
  EXPECT_FALSE(readNpy("/nonexistent/x.npy", error));
  EXPECT_NE(error, "");
  EXPECT_FALSE(readNpy("/", error));
}

TEST_F(NpyFile, WhatIsWrittenIsReadBack) {
  for (ScalarType t : {ScalarType::Bool, ScalarType::I8, ScalarType::U8, ScalarType::I32, ScalarType::U32,
                       ScalarType::I64, ScalarType::F32, ScalarType::F64}) {
    for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {7}, {2, 3}, {2, 0, 3}, {1, 2, 3, 2, 1}}) {
      HostArray a(t, shape);
      for (int64_t i = 0; i < a.size(); ++i)
        a.setInt(i, i % 2 ? -i : i);
      ASSERT_TRUE(writeNpy(path, a, error)) << error;
      std::optional<HostArray> b = readNpy(path, error);
      ASSERT_TRUE(b) << error;
      EXPECT_EQ(b->elem(), t);
      EXPECT_EQ(b->extents(), shape);
      for (int64_t i = 0; i < a.size(); ++i)
        EXPECT_EQ(a.getBits(i), b->getBits(i));
    }
  }
}

TEST_F(NpyFile, NarrowFloatsAreWrittenAsF32) {
  for (ScalarType t : {ScalarType::F16, ScalarType::BF16, ScalarType::F8E4M3, ScalarType::F8E5M2}) {
    HostArray a(t, {3});
    a.setFloat(0, 1.5), a.setFloat(1, -0.25), a.setFloat(2, std::nan(""));
    ASSERT_TRUE(writeNpy(path, a, error));
    std::optional<HostArray> b = readNpy(path, error);
    ASSERT_TRUE(b);
    EXPECT_EQ(b->elem(), ScalarType::F32);
    EXPECT_EQ(b->getFloat(0), 1.5);
    EXPECT_EQ(b->getFloat(1), -0.25);
    EXPECT_TRUE(std::isnan(b->getFloat(2)));
  }
}

TEST(Npy, AFloatArrayIsRoundedToANarrowerFloatParameter) {
  HostArray a(ScalarType::F32, {2});
  a.setFloat(0, 1.00390625), a.setFloat(1, 1e9);
  std::optional<HostArray> b = convertForParameter(a, ScalarType::BF16);
  ASSERT_TRUE(b);
  EXPECT_EQ(b->elem(), ScalarType::BF16);
  EXPECT_EQ(b->getFloat(0), 1.0);
  EXPECT_EQ(convertForParameter(a, ScalarType::F8E4M3)->getFloat(1), 448);
  EXPECT_FALSE(convertForParameter(a, ScalarType::F64));
  EXPECT_FALSE(convertForParameter(a, ScalarType::I32));
  EXPECT_FALSE(convertForParameter(HostArray(ScalarType::F16, {2}), ScalarType::BF16));
  EXPECT_FALSE(convertForParameter(HostArray(ScalarType::I64, {2}), ScalarType::I32));
  EXPECT_TRUE(convertForParameter(HostArray(ScalarType::I64, {2}), ScalarType::Index));
}

TEST(HostArray, ExtentsThatDoNotFitAreAnError) {
  std::string error;
  EXPECT_FALSE(HostArray::tryCreate(ScalarType::F64, {int64_t(1) << 40, int64_t(1) << 40}, error));
  EXPECT_FALSE(HostArray::tryCreate(ScalarType::F64, {int64_t(1) << 45}, error));
  EXPECT_FALSE(HostArray::tryCreate(ScalarType::F64, {-1}, error));
  EXPECT_TRUE(HostArray::tryCreate(ScalarType::F64, {int64_t(1) << 40, 0}, error));
}
} // namespace
