// What the GPU target compiles for a device, by a driver that has none (tests/runtime/fake).
#include "compiler/driver/Compile.h"
#include "kbench/target/Targets.h"
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::kbench;
using testing::HasSubstr;

namespace {

const char *const copy = "@autotune(T in [64])\nkernel copy(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n"
                         "  Y[ctx.block.x * T :+ T] = X[ctx.block.x * T :+ T]\n}\n";

class GpuTarget : public testing::Test {
protected:
  const Target target = gpuTarget();
  Diagnostics diags;
  std::unique_ptr<driver::LoadedFile> loaded = driver::loadText("copy.pho", copy, {}, diags);
  std::unique_ptr<sema::TypedKernel> kernel =
      driver::checkAt(*loaded, *driver::selectKernel(*loaded->file, "", diags), {}, diags);

  DeviceInfo describe(const char *sm) const {
    setenv("FAKE_SM", sm, 1);
    return target.describe(0);
  }
  Verdict compile(const std::string &facts, Code &code) const {
    return target.makeCompiler(0, facts)->compile(*kernel, loaded->sources, code);
  }
};

TEST_F(GpuTarget, AProcessorThatIsNewerGetsPtxForTheNewestThatIsKnown) {
  const DeviceInfo device = describe("130");
  EXPECT_EQ(device.name, "Fake, sm_130a, by PTX for sm_121");
  EXPECT_EQ(device.processor, "sm_130a");
  for (const std::string &facts : {device.facts, std::string()}) { // said, and asked
    Code code;
    const Verdict verdict = compile(facts, code);
    ASSERT_TRUE(verdict.ok()) << verdict.detail;
    EXPECT_THAT(code.bytes, HasSubstr(".target sm_121\n")) << "text, and nothing of one architecture's own";
  }
}

TEST_F(GpuTarget, OneBetweenGetsTheOneBelow) {
  EXPECT_EQ(describe("95").name, "Fake, sm_95a, by PTX for sm_90");
  EXPECT_EQ(describe("102").name, "Fake, sm_102a, by PTX for sm_101");
}

TEST_F(GpuTarget, OneThatIsKnownIsCompiledFor) {
  const DeviceInfo device = describe("90");
  EXPECT_EQ(device.name, "Fake, sm_90a");
  Code code;
  ASSERT_TRUE(compile(device.facts, code).ok());
  EXPECT_THAT(code.bytes, testing::AnyOf(HasSubstr(".target sm_90a"), HasSubstr("ELF")));
  for (const auto &[name, value] : code.resources)
    EXPECT_THAT(target.resources, testing::Contains(name)) << "the columns are known before";
}

TEST_F(GpuTarget, AnOldOneIsRefusedWithAReason) {
  Code code;
  const Verdict verdict = compile(describe("61").facts, code);
  EXPECT_EQ(verdict.status, Status::CompileError);
  EXPECT_THAT(verdict.detail, HasSubstr("sm_61"));
}

TEST_F(GpuTarget, ItsCompilersNeedNoDevice) {
  for (const char *processor : {"sm_75", "sm_80", "sm_90", "sm_90a", "sm_121"}) {
    ASSERT_TRUE(target.isKind(processor));
    Code code;
    const Verdict verdict = compile(target.factsOf(processor), code);
    EXPECT_TRUE(verdict.ok()) << processor << ": " << verdict.detail;
  }
}

} // namespace
