// Object code stands alone: a bundle is loaded where there is no libm, and no compiler's run-time library.
#include "tests/cpu/CpuTest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"

using namespace phobos;
using namespace phobos::cpu::test;

TEST(CpuObjects, NeedNothingButMemcpyAndMemset) {
  std::string body;
  for (const char *fn : {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "tanh", "sigmoid", "erf", "sin",
                         "cos", "abs", "floor", "ceil", "round"})
    body += std::string("  %") + fn + " = pho.math " + fn + "(%x) : tensor<2x16xELEM>\n  %x" + fn +
            " = arith.addf %x, %" + fn + " : tensor<2x16xELEM>\n  pho.store %x" + fn +
            ", %view_x[%zero, %zero] of [%extent_x0, %extent_x1] sizes [2, 16] points [false, false] "
            "inbounds [false, false] : "
            "tensor<2x16xELEM>, !pho.view<2, ELEM>\n";
  body += "  %p = pho.math pow(%x, %x) : tensor<2x16xELEM>\n  %y = arith.remf %p, %x : tensor<2x16xELEM>\n";
  for (const char *elem : {"f16", "bf16", "f32", "f64"})
    for (const char *cpu : {"x86-64-v3", "x86-64-v4"}) {
      std::string text = wholeTiles({{"x", {2, 16}, elem}}, body, {{"y", {2, 16}, elem}});
      for (size_t at = text.find("ELEM"); at != std::string::npos; at = text.find("ELEM"))
        text.replace(at, 4, elem);
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      ir::loadDialects(context);
      auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
      ASSERT_TRUE(module);
      const cpu::Options options{cpu, "", 1};
      llvm::LLVMContext llvmContext;
      cpu::EntryInfo info;
      auto llvmModule = cpu::emitLLVM(*module, llvmContext, options, info);
      ASSERT_TRUE(bool(llvmModule)) << llvm::toString(llvmModule.takeError());
      cpu::optimize(**llvmModule, options);
      auto object = cpu::emitObject(**llvmModule, options);
      ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
      auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(*object, "kernel"));
      ASSERT_TRUE(bool(file));
      for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
        if (!(*symbol.getFlags() & llvm::object::SymbolRef::SF_Undefined))
          continue;
        const std::string name = symbol.getName()->str();
        EXPECT_TRUE(name.empty() || name == "memcpy" || name == "memset")
            << name << " in " << elem << " for " << cpu;
      }
    }
}

TEST(CpuObjects, FloatRemainderIsExact) {
  std::vector<float> x = randomFloats(64, 4, -1e6f, 1e6f), y = randomFloats(64, 5, -3, 3), z(64);
  const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-45f, 3e38f, 1.0f};
  for (size_t i = 0; i < 64; ++i)
    if (i < 56 && i % 2)
      x[i] = special[i / 2 % 8], y[i] = special[i / 16 + i / 2 % 3];
  const std::string t = "tensor<1x64xf32>";
  run(wholeTiles({{"x", {1, 64}, "f32"}, {"y", {1, 64}, "f32"}}, "  %z = arith.remf %x, %y : " + t + "\n",
                 {{"z", {1, 64}, "f32"}}),
      {{tensor(x, {1, 64}), tensor(y, {1, 64}), tensor(z, {1, 64})}, {}});
  for (size_t i = 0; i < 64; ++i) {
    const float want = std::fmod(x[i], y[i]);
    ASSERT_TRUE(std::isnan(want) ? std::isnan(z[i])
                                 : z[i] == want && std::signbit(z[i]) == std::signbit(want))
        << x[i] << " % " << y[i] << " is " << z[i] << ", expected " << want;
  }
}

TEST(CpuObjects, UnknownProcessorsAreAnError) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @kernel() attributes {pho.kernel} { return }", &context);
  auto code = cpu::compileAndLoad(*module, {"pentium-of-nobody", "", 3});
  ASSERT_FALSE(bool(code));
  EXPECT_NE(llvm::toString(code.takeError()).find("pentium-of-nobody"), std::string::npos);
}
