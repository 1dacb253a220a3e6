// Reading files and standard input: whole, and never past the limit.
#include "runtime/files/ReadFile.h"
#include "runtime/bundle/Bundle.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace phobos;

namespace {

std::string temporary(const std::string &text) {
  std::string path = testing::TempDir() + "read-file-" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(ReadFile, TheLimitIsTheLastSizeThatIsWhole) {
  std::string path = temporary(std::string(100000, 'x')), error;
  auto whole = readFile(path, 100000, error);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->isCut);
  EXPECT_EQ(whole->bytes.size(), 100000u);
  auto cut = readFile(path, 99999, error);
  ASSERT_TRUE(cut);
  EXPECT_TRUE(cut->isCut);
  EXPECT_EQ(cut->bytes.size(), 99999u);
  std::remove(path.c_str());
}

TEST(ReadFile, SaysWhyNot) {
  std::string error;
  EXPECT_FALSE(readFile("/", 10, error));
  EXPECT_EQ(error, "it is a directory");
  EXPECT_FALSE(readFile("/nonexistent", 10, error));
  EXPECT_EQ(error, "No such file or directory");
}

TEST(ReadFile, ADeviceWithoutEndCostsNoMemory) {
  std::string error;
  auto file = readFile("/dev/zero", size_t(16) << 20, error);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->isCut);
  Bundle bundle;
  EXPECT_FALSE(readBundle("/dev/zero", bundle, error));
  EXPECT_NE(error.find("268435456 bytes"), std::string::npos) << error;
  EXPECT_FALSE(readBundle("/", bundle, error));
  EXPECT_NE(error.find("it is a directory"), std::string::npos) << error;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT_LT(used.ru_maxrss, 1000 << 10); // kilobytes
}

} // namespace
