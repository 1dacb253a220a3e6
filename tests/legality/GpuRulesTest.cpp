// The GPU target asks its rules before it spells a kernel out: tiles that would make more instructions than
// anybody waits for are an illegal point, named, with the numbers.
#include "compiler/driver/Compile.h"
#include "compiler/driver/Emit.h"
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace phobos;

namespace {

/// Empty if the kernel compiles to LLVM IR, else the last message.
std::string failureOf(const std::string &text, const std::string &target) {
  Diagnostics diags;
  auto loaded = driver::loadText("k.pho", text, {.stdlib = false}, diags);
  const ast::Kernel *kernel = driver::selectKernel(*loaded->file, "", diags);
  auto typed = kernel ? driver::checkAt(*loaded, *kernel, {}, diags) : nullptr;
  driver::EmitOptions options;
  options.target = target;
  options.kind = driver::EmitKind::Llvm;
  if (typed && driver::emit(*typed, loaded->sources, options, diags))
    return "";
  for (const Diagnostic &d : diags.all())
    if (d.severity() == Severity::Error)
      return std::string(info(d.id).code) + " " + d.message;
  return "no message";
}

std::string kernelOver(int64_t rows, int64_t cols, const std::string &value) {
  std::string tile = "[0 :+ " + std::to_string(rows) + ", 0 :+ " + std::to_string(cols) + "]";
  return "@launch(256)\n@grid(host)\nkernel k(A: tensor<f32>[M, N], B: tensor<f32>[M, N]) {\n  let x = A" +
         tile + "\n  B" + tile + " = " + value + "\n}\n";
}

TEST(GpuRules, TilesThatTakeTooLongToSpellOutAreAnIllegalPoint) {
  for (const char *value :
       {"x + 1.0", "exp(x) * x", "transpose(x)", "x - rowsum(x)", "cumsum(x)", "dot(x, x)"}) {
    auto begin = std::chrono::steady_clock::now();
    std::string text = kernelOver(4096, 4096, value);
    // They break the rules of registers and of shared memory too; the one whose names are known first speaks.
    EXPECT_THAT(
        failureOf(text, "sm_80"),
        testing::ContainsRegex("^E0801 illegal point: (unrolled-size|tile-registers|shared-memory): "))
        << value;
    EXPECT_EQ(failureOf(text, "cpu"), "") << value; // loops there
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << value;
  }
}

TEST(GpuRules, ManyOperationsOnTilesThatFitAreAnIllegalPoint) {
  std::string text = kernelOver(128, 128, "x");
  const std::string chain = [] {
    std::string lines;
    for (int i = 0; i < 200; ++i)
      lines += "  y = y * x + " + std::to_string(i) + ".0\n";
    return lines;
  }();
  text.insert(text.find("  B["), "  var y = x\n" + chain);
  text.replace(text.rfind("= x"), 3, "= y");
  auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(
      failureOf(text, "sm_80"),
      testing::StartsWith("E0801 illegal point: unrolled-size: spelled out, tiles and unrolled loops are "));
  EXPECT_EQ(failureOf(text, "cpu"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(GpuRules, ParametersOfMoreBytesThanPtxTakesAreAnIllegalPoint) {
  auto withTensors = [](int n) {
    std::string params, sum;
    for (int k = 0; k < n; ++k) {
      params += "T" + std::to_string(k) + ": tensor<f32>[2, 2, 2, 2, N], ";
      sum += "  R[0] = T" + std::to_string(k) + "[0, 0, 0, 0, 0]\n";
    }
    return "@grid(x = 1)\nkernel k(" + params + "R: tensor<f32>[N]) {\n" + sum + "}\n";
  };
  EXPECT_EQ(failureOf(withTensors(108), "sm_75"), "");
  EXPECT_THAT(failureOf(withTensors(109), "sm_75"), // PTX 6.5
              testing::StartsWith("E0801 illegal point: parameters: the parameters take 4388 bytes"));
  EXPECT_EQ(failureOf(withTensors(300), "sm_90a"), "");
  EXPECT_THAT(failureOf(withTensors(819), "sm_90a"),
              testing::StartsWith("E0801 illegal point: parameters: the parameters take 32788 bytes"));
  EXPECT_EQ(failureOf(withTensors(820), "cpu"), "");
}

std::string nested(int64_t outer, int64_t inner) {
  return "kernel k(A: tensor<f32>[N]) {\n  let i = ctx.block.x * 4\n  for<unroll " + std::to_string(outer) +
         "> a in range(1024) {\n    for<unroll " + std::to_string(inner) +
         "> b in range(1024) { A[i :+ 4] += 1.0 }\n  }\n}\n";
}

TEST(GpuRules, UnrolledLoopsInUnrolledLoopsCount) {
  EXPECT_EQ(failureOf(nested(4, 8), "sm_80"), "");
  EXPECT_EQ(failureOf(nested(1, 64), "sm_80"), "");
  for (auto [outer, inner] : {std::pair{1024, 1024}, std::pair{128, 128}}) {
    EXPECT_THAT(failureOf(nested(outer, inner), "sm_80"),
                testing::StartsWith(
                    "E0801 illegal point: unrolled-size: spelled out, tiles and unrolled loops are "));
    EXPECT_EQ(failureOf(nested(outer, inner), "cpu"), "");
  }
}

// Where neither the kernel nor the point says how many threads: as many as the tiles need.
TEST(GpuRules, ThreadsAreChosenSoThatTheTilesFit) {
  auto product = [](const std::string &launch, const std::string &elem) {
    return launch + "kernel k(A: tensor<" + elem + ">[M, K], B: tensor<" + elem +
           ">[K, N], C: tensor<i32>[M, N]) {\n  let m = ctx.block.x * 128\n  let n = ctx.block.y * 128\n"
           "  var acc: tile<i32>[128, 128] = 0\n  for k in range(0, K, 64) {\n"
           "    acc += dot(A[m :+ 128, k :+ 64], B[k :+ 64, n :+ 128])\n  }\n"
           "  C[m :+ 128, n :+ 128] = acc\n}\n";
  };
  for (const char *elem : {"i8", "u8"})
    for (const char *target : {"sm_75", "sm_80", "sm_90a"}) {
      EXPECT_EQ(failureOf(product("", elem), target), "") << elem << target;
      EXPECT_THAT(failureOf(product("@launch(64)\n", elem), target),
                  testing::StartsWith("E0801 illegal point: "))
          << elem << target;
    }
}

// What `@launch` asks for beside the threads leaves fewer registers to each.
TEST(GpuRules, BlocksAtOnceAndALimitOfRegistersCount) {
  auto product = [](const std::string &launch) {
    return launch + "\nkernel k(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {\n"
                    "  let m = ctx.block.x * 128\n  let n = ctx.block.y * 128\n"
                    "  var acc: tile<f32>[128, 128] = 0.0\n  for k in range(0, K, 16) {\n"
                    "    acc += dot(A[m :+ 128, k :+ 16], B[k :+ 16, n :+ 128])\n  }\n  C[m :+ 128, n :+ "
                    "128] = acc\n}\n";
  };
  EXPECT_EQ(failureOf(product("@launch(256)"), "sm_90a"), "");
  EXPECT_EQ(failureOf(product("@launch(256, 1, 255)"), "sm_90a"), "");
  EXPECT_THAT(failureOf(product("@launch(256, 3)"), "sm_90a"),
              testing::AllOf(testing::StartsWith("E0801 illegal point: tile-registers: "),
                             testing::EndsWith("256 threads in each of 3 blocks at once leave 85")));
  EXPECT_THAT(failureOf(product("@launch(256, 1, 64)"), "sm_90a"), testing::EndsWith("leave 64"));
}

TEST(GpuRules, TilesThatFitTheRegistersAreTaken) {
  EXPECT_EQ(failureOf(kernelOver(128, 256, "exp(x) + x"), "sm_80"), "");
  EXPECT_EQ(failureOf(kernelOver(256, 64, "x - rowsum(x)"), "sm_90a"), "");
}

/// A GEMM in parts of k, with lines of its own ahead of the loop, in it and as attributes.
std::string inParts(int64_t parts, const std::string &ahead = "", const std::string &inside = "",
                    const std::string &attributes = "") {
  return "@autotune(SPLIT_K in [" + std::to_string(parts) + "])\n" + attributes +
         "kernel k(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N], D: tensor<i32>[M]) {\n"
         "  let m = ctx.block.x * 32\n  let n = ctx.block.y * 32\n" +
         ahead + "  var acc: tile<f32>[32, 32] = 0.0\n  for k in range(0, K, 16) {\n" + inside +
         "    acc += dot(A[m :+ 32, k :+ 16], B[k :+ 16, n :+ 32])\n  }\n" +
         "  C[m :+ 32, n :+ 32] = acc\n}\n";
}

TEST(GpuRules, KIsSplitWhereThePartsAreAlike) {
  for (const char *target : {"sm_75", "sm_80", "sm_90a"}) {
    EXPECT_EQ(failureOf(inParts(4), target), "");
    // What is read and computed ahead is so in each part; what comes after, in the last alone.
    std::string scaled = inParts(4, "  let top = max(A[m :+ 32, 0 :+ 32])\n");
    scaled.replace(scaled.rfind("= acc"), 5, "= acc * top");
    scaled.insert(scaled.rfind("}"), "  atomic_add(D, 0, 1)\n");
    EXPECT_EQ(failureOf(scaled, target), "");
  }
  EXPECT_EQ(failureOf(inParts(256), "sm_80"), "");
  EXPECT_EQ(failureOf(inParts(257), "cpu"), ""); // ignored there
}

TEST(GpuRules, WhatCannotBeSplitSaysWhy) {
  const std::string atomic = "atomic_add(D, 0, 1)\n";
  EXPECT_EQ(failureOf(inParts(257), "sm_80"),
            "E0801 illegal point: parts-of-k: 257 blocks that share one tile of the result: at most 256 may, "
            "since one of them adds up what all have left");
  for (const std::string &text : {inParts(4, "  " + atomic), inParts(4, "", "    " + atomic)})
    EXPECT_EQ(failureOf(text, "sm_80"),
              "E0801 illegal point: split-writes-after: 1 stores, atomics or barriers before the end of the "
              "contraction loop: each of the 4 blocks that share a tile would do them");
  EXPECT_EQ(failureOf(inParts(2, "", "", "@persistent\n"), "sm_80"),
            "E0801 illegal point: split-blocks-once: @persistent blocks take one tile after the other; 2 "
            "blocks that share a tile leave when they have summed their part");
  std::string carried = inParts(2, "  var steps: i32 = 0\n", "    steps += 1\n");
  carried.replace(carried.find("= acc\n}"), 5, "= acc * f32(steps)");
  EXPECT_EQ(failureOf(carried, "sm_80"),
            "E0801 illegal point: split-sums-alone: the contraction loop carries 1 values beside the sums of "
            "its products: what they are in one part of k depends on the part before");
  std::string nested = inParts(2, "  if M > 5 {\n");
  nested.insert(nested.rfind("}"), "  }\n");
  EXPECT_THAT(failureOf(nested, "sm_80"), testing::StartsWith("E0801 illegal point: split-outer-loop: "));
  std::string twice = inParts(2);
  const size_t loop = twice.find("  for k"), end = twice.find("  C[");
  twice.insert(end, twice.substr(loop, end - loop));
  EXPECT_EQ(failureOf(twice, "sm_80"), "E0801 illegal point: split-one-loop: k is split in a kernel with one "
                                       "contraction loop; this one has 2");
  // One part is no split: all of them are taken.
  EXPECT_EQ(failureOf(inParts(1, "  " + atomic), "sm_80"), "");
}

} // namespace
