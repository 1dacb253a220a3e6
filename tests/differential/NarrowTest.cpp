// 16-bit floats are integers in the CPU target's LLVM IR, whatever the processor: LLVM would keep a bfloat
// that lives past its block as an f32, and convert it back by an instruction that flushes denormals, or by a
// call of a function that is not there.
#include "compiler/driver/Compile.h"
#include "compiler/driver/Lower.h"
#include "compiler/target/cpu/Cpu.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/differential/Generate.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace phobos;

namespace {

std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// The first line of `text` with the word `type` in it; empty if there is none.
std::string lineWith(const std::string &text, const std::string &type) {
  const size_t at = text.find(type);
  if (at == std::string::npos)
    return {};
  const size_t line = text.rfind('\n', at) + 1;
  return text.substr(line, text.find('\n', at) - line);
}

/// The tile IR of a random program, null where it has none.
mlir::OwningOpRef<mlir::ModuleOp> tileIr(uint64_t seed, mlir::MLIRContext &context) {
  Diagnostics diags;
  auto loaded =
      driver::loadText("program.pho", print(differential::generate(seed)), {.stdlib = false}, diags);
  const ast::Kernel *kernel = diags.hasErrors() ? nullptr : driver::selectKernel(*loaded->file, "", diags);
  auto typed = kernel ? driver::checkAt(*loaded, *kernel, {}, diags) : nullptr;
  return typed ? driver::lower(*typed, loaded->sources, "cpu", context, diags) : nullptr;
}

class NarrowFloats : public ::testing::TestWithParam<const char *> {};

} // namespace

TEST_P(NarrowFloats, AreIntegersInTheCpusIr) {
  const std::string processor = GetParam();
  const bool hasF16c = processor != "x86-64" && processor != "x86-64-v2";
  int programs = 0, narrow = 0;
  for (uint64_t seed = 1; seed <= 320; ++seed) {
    if (seed % 8 != 3 && seed % 16 != 1) // those at the edges of their types, and a few of the others
      continue;
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    auto module = tileIr(seed, context);
    ASSERT_TRUE(module) << "seed " << seed;
    std::string tiles;
    llvm::raw_string_ostream(tiles) << *module;
    narrow += tiles.find("f16") != std::string::npos; // or bf16
    const cpu::Options options{processor, ""};
    llvm::LLVMContext llvmContext;
    cpu::EntryInfo info;
    auto code = cpu::emitLLVM(*module, llvmContext, options, info);
    if (!code) { // illegal by a rule
      llvm::consumeError(code.takeError());
      continue;
    }
    ++programs;
    const std::string emitted = textOf(**code);
    cpu::optimize(**code, options);
    for (const std::string &text : {emitted, textOf(**code)}) {
      EXPECT_EQ(lineWith(text, "bfloat"), "") << "seed " << seed;
      EXPECT_EQ(hasF16c ? "" : lineWith(text, "half"), "") << "seed " << seed;
    }
  }
  EXPECT_GT(programs, 40);
  EXPECT_GT(narrow, 20);
}

INSTANTIATE_TEST_SUITE_P(Processors, NarrowFloats,
                         ::testing::Values("x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });
