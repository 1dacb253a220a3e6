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
    // They break the rule of registers too; the one whose names are known first speaks.
    EXPECT_THAT(failureOf(text, "sm_80"),
                testing::ContainsRegex("^E0801 illegal point: (unrolled-size|tile-registers): "))
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
      testing::StartsWith("E0801 illegal point: unrolled-size: spelled out, the kernel's tiles are "));
  EXPECT_EQ(failureOf(text, "cpu"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(GpuRules, TilesOfManyRegistersAreTaken) {
  EXPECT_EQ(failureOf(kernelOver(128, 256, "exp(x) + x"), "sm_80"), "");
  EXPECT_EQ(failureOf(kernelOver(256, 64, "x - rowsum(x)"), "sm_90a"), "");
}

} // namespace
