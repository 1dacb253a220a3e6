// PTX to cubin where a tool is on the machine; a machine without a driver says so.
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/Device.h"
#include <gtest/gtest.h>

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

TEST_P(Assemble, TellsWhatEachFunctionTakes) {
  std::string ptx = kPtx,
              wide = ".visible .entry store_many(.param .u64 p) {\n  .reg .b64 %a;\n  .reg .b32 %v<64>;\n"
                     "  ld.param.u64 %a, [p];\n";
  for (int k = 0; k < 64; ++k)
    wide += "  ld.volatile.global.u32 %v" + std::to_string(k) + ", [%a + " + std::to_string(4 * k) + "];\n";
  for (int k = 0; k < 64; ++k)
    wide +=
        "  st.volatile.global.u32 [%a + " + std::to_string(252 - 4 * k) + "], %v" + std::to_string(k) + ";\n";
  cuda::AssembleOptions options;
  options.tool = GetParam();
  cuda::Assembled a = cuda::assemble(ptx + wide + "  ret;\n}\n", options);
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
