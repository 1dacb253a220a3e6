#include "compiler/target/nvptx/PtxVersion.h"
#include "runtime/cuda/Driver.h"
#include <gtest/gtest.h>

using namespace phobos::nvptx;

namespace {

struct Case {
  const char *target;
  unsigned asked;
  int cuda;
  unsigned assembler, version; ///< version 0: refused
  std::vector<std::string> words;
};

TEST(PtxVersion, MeetsTheTargetTheDriverAndTheFlag) {
  const Case cases[] = {
      {"sm_75", 0, 0, 0, 65, {}},
      {"sm_75", 63, 0, 0, 63, {}},
      {"sm_80", 0, 0, 0, 70, {}},
      {"sm_86", 0, 0, 0, 71, {}},
      {"sm_89", 0, 0, 0, 84, {}},
      {"sm_90a", 0, 0, 0, 84, {}},
      {"sm_100a", 0, 0, 0, 86, {}},
      {"sm_120", 0, 0, 0, 87, {}},
      // The driver found.
      {"sm_90a", 0, 13000, 90, 90, {}},
      {"sm_90a", 0, 13010, 91, 90, {}}, // the back end writes no newer
      {"sm_90a", 0, 13000, 84, 84, {}}, // an older assembler
      {"sm_90a", 0, 13000, 0, 90, {}},  // no assembler: the driver compiles
      {"sm_90", 0, 12010, 0, 81, {}},
      {"sm_80", 0, 11040, 0, 74, {}},
      {"sm_75", 0, 11000, 0, 70, {}},
      {"sm_90a", 0, 11080, 0, 0, {"sm_90a needs PTX 8.0", "CUDA 11.8", "PTX up to 7.8"}},
      {"sm_89", 0, 11070, 0, 0, {"sm_89 needs PTX 7.8", "CUDA 11.7", "PTX up to 7.7"}},
      // The flag.
      {"sm_90a", 83, 0, 0, 83, {}},
      {"sm_90a", 83, 13000, 90, 83, {}},
      {"sm_90a", 78, 0, 0, 0, {"sm_90a needs PTX 8.0", "--ptx gives 7.8"}},
      {"sm_80", 90, 12000, 0, 0, {"--ptx gives 9.0", "CUDA 12.0", "PTX up to 8.0"}},
      {"sm_80", 99, 0, 0, 0, {"--ptx gives 9.9", "PTX up to 9.0"}},
      {"sm_80", 79, 0, 0, 0, {"--ptx gives 7.9", "no such version"}},
  };
  for (const Case &c : cases) {
    SCOPED_TRACE(std::string(c.target) + " asked " + std::to_string(c.asked) + " CUDA " +
                 std::to_string(c.cuda));
    Options options;
    ASSERT_TRUE(parseProcessor(c.target, options));
    PtxSources sources{c.asked, c.cuda, c.cuda ? phobos::cuda::ptxVersionOf(c.cuda) : 0, c.assembler};
    std::string error;
    const bool ok = choosePtxVersion(options, sources, error);
    EXPECT_EQ(ok, c.version != 0) << error;
    if (ok)
      EXPECT_EQ(options.ptxVersion, c.version);
    for (const std::string &word : c.words)
      EXPECT_NE(error.find(word), std::string::npos) << error;
  }
}

TEST(PtxVersion, IsReadAsWritten) {
  EXPECT_EQ(parsePtxVersion("8.4"), 84u);
  EXPECT_EQ(parsePtxVersion("9.0"), 90u);
  for (const char *bad : {"", "8", "84", "8.", ".4", "8.4.1", "a.b", "8,4", "80.4"})
    EXPECT_EQ(parsePtxVersion(bad), 0u) << bad;
  EXPECT_EQ(ptxVersionText(84), "8.4");
}

// Release notes of the PTX ISA, one line a CUDA.
TEST(PtxVersion, OfEachDriver) {
  const std::pair<int, unsigned> table[] = {
      {10020, 64}, {11000, 70}, {11010, 71}, {11020, 72}, {11030, 73}, {11040, 74}, {11050, 75}, {11060, 76},
      {11070, 77}, {11080, 78}, {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84}, {12050, 85},
      {12060, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}, {13010, 91}};
  for (auto [cuda, ptx] : table)
    EXPECT_EQ(phobos::cuda::ptxVersionOf(cuda), ptx) << cuda;
}

} // namespace
