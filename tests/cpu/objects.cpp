// Object code stands alone: a bundle is loaded where there is no compiler's run-time library.
#include "runtime/cpu/ObjectLoader.h"
#include "tests/cpu/CpuTest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"

using namespace phobos;
using namespace phobos::cpu::test;

namespace {

/// y = a sum of functions of x of all kinds that a processor may have an instruction for or not.
std::string manyFunctions(const std::string &elem) {
  std::string body = "  %sum0 = arith.addf %x, %x : tensor<2x16xELEM>\n";
  int n = 0;
  for (const char *fn : {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "tanh", "sigmoid", "erf", "sin",
                         "cos", "abs", "floor", "ceil", "round"}) {
    const std::string sum = "%sum" + std::to_string(n), next = "%sum" + std::to_string(++n);
    body += std::string("  %") + fn + " = pho.math " + fn + "(%x) : tensor<2x16xELEM>\n  " + next +
            " = arith.addf " + sum + ", %" + fn + " : tensor<2x16xELEM>\n";
  }
  body += "  %p = pho.math pow(%x, %x) : tensor<2x16xELEM>\n  %f = pho.math fma(%x, %p, %p) : "
          "tensor<2x16xELEM>\n  %r = arith.remf %f, %x : tensor<2x16xELEM>\n  %y = arith.addf %sum" +
          std::to_string(n) + ", %r : tensor<2x16xELEM>\n";
  std::string text = wholeTiles({{"x", {2, 16}, elem}}, body, {{"y", {2, 16}, elem}});
  for (size_t at = text.find("ELEM"); at != std::string::npos; at = text.find("ELEM"))
    text.replace(at, 4, elem);
  return text;
}

struct Object {
  std::string bytes, symbol;
  uint64_t scratchBytes = 0;
};

Object objectFor(const std::string &text, const std::string &processor) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the test's IR does not parse";
    return {};
  }
  const cpu::Options options{processor, "", 1};
  llvm::LLVMContext llvmContext;
  cpu::EntryInfo info;
  auto llvmModule = cpu::emitLLVM(*module, llvmContext, options, info);
  if (!llvmModule) {
    ADD_FAILURE() << llvm::toString(llvmModule.takeError());
    return {};
  }
  cpu::optimize(**llvmModule, options);
  auto object = cpu::emitObject(**llvmModule, options);
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return {};
  }
  return {std::move(*object), info.symbol, info.scratchBytes};
}

std::vector<std::string> undefinedSymbols(const std::string &bytes) {
  std::vector<std::string> names;
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return {};
  }
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols())
    if (*symbol.getFlags() & llvm::object::SymbolRef::SF_Undefined)
      if (std::string name = symbol.getName()->str(); !name.empty())
        names.push_back(name);
  return names;
}

/// Loads what was compiled for an old processor, as a bundle's reader does, and compares a run with the
/// host's code.
template <typename T>
void runsAsForTheHost(const std::string &elem, const std::string &processor, double eps) {
  const std::string text = manyFunctions(elem);
  Object object = objectFor(text, processor);
  std::string error;
  auto loaded = LoadedObject::load(object.bytes, error);
  ASSERT_TRUE(loaded) << elem << " for " << processor << ": " << error;
  std::vector<float> random = randomFloats(32, 3, 0.2f, 3);
  std::vector<T> x(random.begin(), random.end()), y(32, T(-1)), want(32, T(-2));
  run(text, {{tensor(x, {2, 16}), tensor(want, {2, 16})}, {}});
  const Argument args[] = {tensor(x, {2, 16}), tensor(y, {2, 16})};
  const void *params[] = {&args[0].tensor, &args[1].tensor};
  runOnCpu(reinterpret_cast<CpuEntry>(loaded->symbol(object.symbol)), object.scratchBytes,
           {params, nullptr, {1, 1, 1}}, 1);
  for (size_t i = 0; i < 32; ++i)
    EXPECT_NEAR(double(y[i]), double(want[i]), eps * std::abs(double(want[i])))
        << elem << " for " << processor << ", x = " << x[i];
}

} // namespace

TEST(CpuObjects, NeedNothingButMemcpyAndMemset) {
  for (const char *elem : {"f16", "bf16", "f32", "f64"})
    for (const char *cpu : {"x86-64-v3", "x86-64-v4"})
      for (const std::string &name : undefinedSymbols(objectFor(manyFunctions(elem), cpu).bytes))
        EXPECT_TRUE(name == "memcpy" || name == "memset") << name << " in " << elem << " for " << cpu;
}

// Before x86-64-v3 there is no FMA, before v2 no rounding: such code calls, and the loader knows what.
TEST(CpuObjects, ForOldProcessorsAreLoadedAndRun) {
  bool callsFma = false;
  for (const char *processor : {"x86-64", "x86-64-v2"}) {
    for (const char *elem : {"f16", "bf16"}) {
      std::string error;
      EXPECT_TRUE(LoadedObject::load(objectFor(manyFunctions(elem), processor).bytes, error))
          << elem << " for " << processor << ": " << error;
    }
    for (const std::string &name : undefinedSymbols(objectFor(manyFunctions("f32"), processor).bytes))
      callsFma |= name == "fmaf";
    runsAsForTheHost<float>("f32", processor, 4e-6);
    runsAsForTheHost<double>("f64", processor, 1e-14);
  }
  EXPECT_TRUE(callsFma) << "nothing of what this test is for";
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
