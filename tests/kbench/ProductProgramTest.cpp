// What products are measured against on a GPU: programs for every type and processor, assembled here where
// there is something to assemble with.
#include "kbench/target/ProductProgram.h"
#include "runtime/cuda/Assemble.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace phobos;
using kbench::productProgram;

namespace {

const char *const types[] = {"f64", "f32", "tf32", "bf16", "f16", "f8e4m3", "f8e5m2", "i8", "u8"};

std::string how(const std::string &type, unsigned sm) {
  const auto program = productProgram(type, sm);
  return program ? program->how : "none";
}

TEST(ProductProgram, TakesTheFastestUnitOfTheProcessor) {
  EXPECT_EQ(how("f16", 75), "mma m16n8k8");
  EXPECT_EQ(how("f16", 80), "mma m16n8k16");
  EXPECT_EQ(how("bf16", 90), "wgmma m64n256k16");
  EXPECT_EQ(how("tf32", 90), "wgmma m64n256k8");
  EXPECT_EQ(how("f8e4m3", 90), "wgmma m64n256k32");
  EXPECT_EQ(how("i8", 90), "wgmma m64n256k32");
  EXPECT_EQ(how("f8e5m2", 89), "mma m16n8k32");
  EXPECT_EQ(how("f64", 80), "mma m8n8k4");
  EXPECT_EQ(how("f64", 90), "mma m16n8k16");
  EXPECT_EQ(how("f32", 90), "fma");
}

TEST(ProductProgram, TakesAWiderTypeWhereThereIsNoUnit) {
  EXPECT_EQ(how("f64", 75), "fma");
  EXPECT_EQ(how("bf16", 75), "fma");
  EXPECT_EQ(how("f8e4m3", 80), how("f16", 80));
}

TEST(ProductProgram, SaysWhereNoneIsKnown) {
  EXPECT_EQ(how("tf32", 75), "none");
  EXPECT_EQ(how("i32", 90), "none");
  EXPECT_EQ(how("bf16", 100), "none") << "its fastest unit is none of these";
  EXPECT_EQ(how("bf16", 120), "mma m16n8k16");
  EXPECT_EQ(how("bf16", 130), "none");
}

TEST(ProductProgram, IsAssembledWithoutSpillsOrNotes) {
  if (cuda::assemblerFound().empty())
    GTEST_SKIP() << "neither nvJitLink nor ptxas is on this machine";
  for (auto [sm, target] : {std::pair(75u, "sm_75"), {80u, "sm_80"}, {89u, "sm_89"}, {90u, "sm_90a"}})
    for (const char *type : types) {
      const auto program = productProgram(type, sm);
      if (!program)
        continue;
      cuda::AssembleOptions options;
      options.target = target;
      const cuda::Assembled made = cuda::assemble(program->ptx, options);
      EXPECT_EQ(made.error, "") << type << " " << target;
      EXPECT_EQ(made.spillBytes, 0) << type << " " << target;
      EXPECT_THAT(made.log, testing::Not(testing::HasSubstr("C75"))) << type << " " << target;
      // All that are to be resident at once are: threads, registers, shared memory of a multiprocessor.
      EXPECT_LE(made.registers * static_cast<int>(program->threads), 65536) << type << " " << target;
    }
}

TEST(ProductProgram, CountsItsOperations) {
  // Eight warps with eight chains of m16n8k16, four times: 2 m n k each.
  EXPECT_EQ(productProgram("f16", 80)->flopsPerTrip, 8.0 * 8 * 4 * 2 * 16 * 8 * 16);
  // Two warpgroups with sixteen steps of m64n256k16.
  EXPECT_EQ(productProgram("bf16", 90)->flopsPerTrip, 2.0 * 16 * 2 * 64 * 256 * 16);
  for (const char *type : types)
    for (unsigned sm : {75u, 80u, 89u, 90u})
      if (const auto program = productProgram(type, sm)) {
        size_t count = 0;
        const std::string instruction = program->how == "fma"             ? "  fma.rn"
                                        : program->how.starts_with("mma") ? "  mma.sync"
                                                                          : "  wgmma.mma_async";
        const std::string loop = program->ptx.substr(program->ptx.find("again:"));
        for (size_t at = loop.find(instruction); at != std::string::npos; at = loop.find(instruction, at + 1))
          ++count;
        int m = 1, n = 1, k = 1;
        sscanf(program->how.c_str(), "%*s m%dn%dk%d", &m, &n, &k);
        const double units = program->how == "fma"               ? program->threads
                             : program->how.starts_with("wgmma") ? program->threads / 128.0
                                                                 : program->threads / 32.0;
        EXPECT_EQ(program->flopsPerTrip, 2.0 * m * n * k * units * static_cast<double>(count))
            << type << " " << sm;
      }
}

} // namespace
