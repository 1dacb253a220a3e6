// PTX to cubin where a tool is on the machine; a machine without a driver says so.
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/Device.h"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace phobos;

namespace {

constexpr const char *kPtx = R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry store_one(.param .u64 p) {
  .reg .b64 %a;
  .reg .b32 %v;
  ld.param.u64 %a, [p];
  mov.u32 %v, 1;
  st.global.u32 [%a], %v;
  ret;
}
)";

class Assemble : public testing::TestWithParam<const char *> {};

TEST_P(Assemble, MakesACubinAndReadsTheLog) {
  cuda::AssembleOptions options;
  options.tool = GetParam();
  options.target = "sm_80";
  cuda::Assembled a = cuda::assemble(kPtx, options);
  if (!a.ok() && a.error.find("neither") != std::string::npos)
    GTEST_SKIP() << options.tool << " is not on this machine";
  ASSERT_TRUE(a.ok()) << a.error;
  EXPECT_EQ(a.cubin.substr(1, 3), "ELF");
  EXPECT_GT(a.registers, 0) << a.log;
  EXPECT_EQ(a.spillBytes, 0) << a.log;
}

/// kPtx and a function that holds 64 values at once.
std::string manyValues(const std::string &limit) {
  std::string wide = ".visible .entry store_many(.param .u64 p) " + limit +
                     " {\n  .reg .b64 %a;\n  .reg .b32 %v<64>;\n  ld.param.u64 %a, [p];\n";
  for (int k = 0; k < 64; ++k)
    wide += "  ld.volatile.global.u32 %v" + std::to_string(k) + ", [%a + " + std::to_string(4 * k) + "];\n";
  for (int k = 0; k < 64; ++k)
    wide +=
        "  st.volatile.global.u32 [%a + " + std::to_string(252 - 4 * k) + "], %v" + std::to_string(k) + ";\n";
  return kPtx + wide + "  ret;\n}\n";
}

TEST_P(Assemble, TellsWhatEachFunctionTakes) {
  cuda::AssembleOptions options;
  options.tool = GetParam();
  cuda::Assembled a = cuda::assemble(manyValues(""), options);
  if (!a.ok() && a.error.find("neither") != std::string::npos)
    GTEST_SKIP() << options.tool << " is not on this machine";
  ASSERT_TRUE(a.ok()) << a.error;
  EXPECT_GT(a.usageOf("store_one").registers, 0) << a.log;
  EXPECT_LT(a.usageOf("store_one").registers, 32) << a.log;
  EXPECT_GE(a.usageOf("store_many").registers, 64) << a.log;
  EXPECT_EQ(a.usageOf("store_many").registers, a.registers);
  EXPECT_EQ(a.usageOf("store_one").spillBytes, 0);
  EXPECT_EQ(a.usageOf("another").registers, -1);
}

/// A kernel for sm_90a whose threads ask for another number of registers.
constexpr const char *kSetsRegisters = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() .maxntid 128 {
  setmaxnreg.dec.sync.aligned.u32 56;
  ret;
}
)";

TEST(AssembleFirst, WhatHonoursSetmaxnreg) {
  const auto tools = cuda::assemblersFor(kSetsRegisters), others = cuda::assemblersFor(kPtx);
  if (tools.size() < 2)
    GTEST_SKIP() << "nvJitLink and ptxas are not both on this machine";
  EXPECT_EQ(tools, (std::vector<std::string>{"ptxas", "nvjitlink"}));
  EXPECT_EQ(others, (std::vector<std::string>{"nvjitlink", "ptxas"}));
  EXPECT_EQ(cuda::assemblerNames().substr(0, 10), "nvJitLink ");
  cuda::AssembleOptions options;
  options.target = "sm_90a";
  const cuda::Assembled a = cuda::assemble(kSetsRegisters, options);
  ASSERT_TRUE(a.ok()) << a.error;
  EXPECT_EQ(a.tool, "ptxas");
  EXPECT_EQ(a.log.find("C7504"), std::string::npos) << a.log;
  options.tool = "nvjitlink";
  EXPECT_NE(cuda::assemble(kSetsRegisters, options).log.find("C7504"), std::string::npos)
      << "then nvJitLink may come first here too";
}

TEST_P(Assemble, KeepsTheLinesThatThePtxNames) {
  std::string ptx = kPtx;
  ptx.insert(ptx.find("  ld.param"), "  .loc 1 7 3\n");
  ptx += ".file 1 \"kernel-of-the-test.pho\"\n";
  cuda::AssembleOptions options;
  options.tool = GetParam();
  cuda::Assembled a = cuda::assemble(ptx, options);
  if (!a.ok() && a.error.find("neither") != std::string::npos)
    GTEST_SKIP() << options.tool << " is not on this machine";
  ASSERT_TRUE(a.ok()) << a.error;
  EXPECT_NE(a.cubin.find(".debug_line"), std::string::npos);
  EXPECT_NE(a.cubin.find("kernel-of-the-test.pho"), std::string::npos);
}

TEST_P(Assemble, ReportsBadPtx) {
  cuda::AssembleOptions options;
  options.tool = GetParam();
  cuda::Assembled a = cuda::assemble(".version 7.0\n.target sm_75\nnonsense", options);
  EXPECT_FALSE(a.ok());
  EXPECT_FALSE(a.error.empty());
}

INSTANTIATE_TEST_SUITE_P(Tools, Assemble, testing::Values("nvjitlink", "ptxas"));

/// A ptxas that writes its process id to a file and does not end.
class SlowAssembler : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/ptxas") << "#!/bin/sh\necho $$ > '" << folder_ << "/pid'\nexec sleep 300\n";
    std::filesystem::permissions(folder_ + "/ptxas", std::filesystem::perms::owner_all);
    if (const char *path = getenv("PATH"))
      path_ = path;
    setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
    if (const char *tmp = getenv("TMPDIR"))
      tmp_ = tmp;
    setenv("TMPDIR", folder_.c_str(), 1); // for what a killed caller leaves
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    tmp_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", tmp_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  /// Waits up to `seconds` for `holds`.
  template <typename Holds> static bool soon(Holds holds, double seconds = 20) {
    for (double waited = 0; !holds() && waited < seconds; waited += 0.01)
      usleep(10000);
    return holds();
  }
  pid_t assembler() const {
    pid_t pid = 0;
    std::ifstream(folder_ + "/pid") >> pid;
    return pid;
  }

  std::string folder_ = testing::TempDir() + "phobos-slow-ptxas-" + std::to_string(getpid()), path_, tmp_;
};

TEST_F(SlowAssembler, EndsAtItsLimit) {
  cuda::AssembleOptions options;
  options.tool = "ptxas";
  options.timeoutSeconds = 1;
  const cuda::Assembled a = cuda::assemble(kPtx, options);
  EXPECT_EQ(a.error, "ptxas: no result within 1 s");
  EXPECT_TRUE(soon([&] { return assembler() == 0 || kill(assembler(), 0) != 0; }));
}

// As one of an older toolkit does, which does not know the version of the PTX.
TEST_F(SlowAssembler, IsFollowedByTheNextWhereItFails) {
  std::ofstream(folder_ + "/ptxas") << "#!/bin/sh\necho too old\nexit 1\n";
  cuda::AssembleOptions options;
  options.target = "sm_90a";
  const cuda::Assembled a = cuda::assemble(kSetsRegisters, options);
  if (cuda::assemblerFound() != "nvjitlink") {
    EXPECT_EQ(a.error, "ptxas: too old\n");
    return;
  }
  EXPECT_TRUE(a.ok()) << a.error;
  EXPECT_EQ(a.tool, "nvjitlink");
}

TEST_F(SlowAssembler, IsFollowedByTheNextWhereItSpills) {
  std::ofstream(folder_ + "/ptxas") << "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n"
                                       "echo made > \"$2\"\necho '0 bytes spill stores'\n";
  if (cuda::assemblerFound() != "nvjitlink")
    GTEST_SKIP() << "nvJitLink is not on this machine";
  EXPECT_EQ(cuda::assemble(manyValues(""), {}).tool, "nvjitlink");
  const cuda::Assembled a = cuda::assemble(manyValues(".maxnreg 24"), {});
  EXPECT_EQ(a.tool, "ptxas");
  EXPECT_EQ(a.cubin, "made\n");
  EXPECT_EQ(a.spillBytes, 0);
}

TEST_F(SlowAssembler, EndsWithWhoAskedForIt) {
  const pid_t caller = fork();
  if (caller == 0) {
    cuda::AssembleOptions options;
    options.tool = "ptxas";
    cuda::assemble(kPtx, options);
    _exit(0);
  }
  ASSERT_TRUE(soon([&] { return assembler() > 0; }));
  const pid_t child = assembler();
  kill(caller, SIGKILL);
  waitpid(caller, nullptr, 0);
  // It may stay a zombie where nobody collects orphans.
  auto isOver = [&] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string pid, name, state = "gone";
    stat >> pid >> name >> state;
    return state == "gone" || state == "Z" || state == "X";
  };
  EXPECT_TRUE(soon(isOver)) << "an assembler that nobody waits for goes on";
}

TEST(Driver, SaysWhyThereIsNoDevice) {
  std::string error;
  auto device = cuda::Device::open(0, error);
  if (device)
    EXPECT_GE(device->info().sm, 50u);
  else
    EXPECT_NE(error.find("CUDA driver"), std::string::npos) << error;
}

TEST(Driver, PtxVersions) {
  EXPECT_EQ(cuda::ptxVersionOf(13000), 90u);
  EXPECT_EQ(cuda::ptxVersionOf(12040), 84u);
  EXPECT_EQ(cuda::ptxVersionOf(12080), 87u);
  EXPECT_EQ(cuda::ptxVersionOf(11080), 78u);
}

} // namespace
