// What the GPU target compiles for a device, by a driver that has none (tests/runtime/fake).
#include "compiler/driver/Compile.h"
#include "kbench/target/Targets.h"
#include "runtime/cuda/Assemble.h"
#include "tests/runtime/fake/Fake.h"
#include <cstdlib>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::kbench;
using testing::HasSubstr;

namespace {

const char *const copyText = "@autotune(T in [64])\nkernel copy(X: tensor<f32>[N], Y: tensor<f32>[N]) {\n"
                             "  Y[ctx.block.x * T :+ T] = X[ctx.block.x * T :+ T]\n}\n";

class GpuTarget : public testing::Test {
protected:
  const Target target = gpuTarget();
  Diagnostics diags;
  std::unique_ptr<driver::LoadedFile> loaded = driver::loadText("copy.pho", copyText, {}, diags);
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

// What the driver compiles only it can describe: registers, and so occupancy, come from the device.
TEST_F(GpuTarget, TellsWhatCodeOfTheDriversCompilerTakes) {
  const DeviceInfo device = describe("130");
  EXPECT_EQ(device.assembler, "the driver's compiler");
  Code code;
  ASSERT_TRUE(compile(device.facts, code).ok());
  std::string error;
  auto names = [](const Resources &resources) {
    std::vector<std::string> names;
    for (const auto &[name, value] : resources)
      names.push_back(name);
    return names;
  };
  EXPECT_EQ(names(code.resources), (std::vector<std::string>{"shared_bytes", "threads"}));
  auto gpu = target.makeDevice(0, error);
  ASSERT_TRUE(gpu) << error;
  auto loadedKernel = gpu->load(code, *kernel, driver::contractOf(*kernel), error);
  ASSERT_TRUE(loadedKernel) << error;
  EXPECT_EQ(names(loadedKernel->resources()), target.resources);
}

TEST_F(GpuTarget, SaysThatItAssembles) {
  Code code;
  auto compiler = target.makeCompiler(0, target.factsOf("sm_90a"));
  std::string said;
  compiler->doing = [&](const std::string &what) { said += what + "\n"; };
  ASSERT_TRUE(compiler->compile(*kernel, loaded->sources, code).ok());
  const std::string tool = cuda::assemblerFound();
  EXPECT_EQ(said, tool.empty() ? "" : tool + " assembled it\n");
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

/// The roof of a device on which each thing that is timed takes what the test says.
class GpuRoofMeasured : public GpuTarget {
protected:
  fake::Driver &driver = *static_cast<fake::Driver *>(
      reinterpret_cast<fake::Get>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fakeDriver"))());

  Roof measure(float (*elapsedMs)(size_t nth), const char *type) {
    setenv("FAKE_SM", "90", 1);
    driver.elapsedMs = elapsedMs;
    driver.timings = 0;
    Roof roof;
    std::string error;
    auto device = target.makeDevice(0, error);
    EXPECT_TRUE(device) << error;
    const bool done = *type ? device->measureProducts(type, roof, error) : device->measureRoof(roof, error);
    EXPECT_EQ(done, elapsedMs != nullptr) << error;
    return roof;
  }
};

constexpr size_t copyRuns = 5;                    // timed for one measurement
constexpr size_t trialRuns = 4, productRuns = 12; // the first say how many trips the others make

TEST_F(GpuRoofMeasured, TwoMeasurementsThatAgreeAreEnough) {
  const double bytes = 2.0 * (size_t(1) << 28);
  const Roof copy = measure([](size_t) { return 1.0f; }, "");
  EXPECT_DOUBLE_EQ(copy.bytesPerNs, bytes / 1e6);
  EXPECT_TRUE(copy.isSteady);
  EXPECT_EQ(driver.timings, 2 * copyRuns);
  const Roof made = measure([](size_t) { return 3.0f; }, "bf16");
  ASSERT_TRUE(made.of("bf16"));
  EXPECT_TRUE(made.isSteady);
  EXPECT_EQ(driver.timings, trialRuns + 2 * productRuns);
}

TEST_F(GpuRoofMeasured, AMeasurementInABadMomentIsNotBelieved) {
  const Roof whole = measure([](size_t) { return 1.0f; }, "");
  const Roof copy = measure([](size_t nth) { return nth < copyRuns ? 3.0f : 1.0f; }, "");
  EXPECT_DOUBLE_EQ(copy.bytesPerNs, whole.bytesPerNs);
  EXPECT_TRUE(copy.isSteady);
  EXPECT_EQ(driver.timings, 3 * copyRuns);
  const Roof alone = measure([](size_t) { return 3.0f; }, "f16");
  const Roof made = measure(
      [](size_t nth) { return nth >= trialRuns && nth < trialRuns + productRuns ? 8.0f : 3.0f; }, "f16");
  EXPECT_DOUBLE_EQ(made.of("f16")->flopsPerNs, alone.of("f16")->flopsPerNs);
  EXPECT_TRUE(made.isSteady);
}

TEST_F(GpuRoofMeasured, WhatNeverAgreesEndsAndIsToldOf) {
  // Each measurement is half of the one before: nothing to agree with.
  const Roof copy = measure([](size_t nth) { return static_cast<float>(size_t(1) << nth / copyRuns); }, "");
  EXPECT_GT(copy.bytesPerNs, 0);
  EXPECT_FALSE(copy.isSteady);
  EXPECT_EQ(driver.timings, 6 * copyRuns);
  const Roof made = measure(
      [](size_t nth) {
        return static_cast<float>(size_t(3) << (nth < trialRuns ? 0 : (nth - trialRuns) / productRuns));
      },
      "f32");
  EXPECT_GT(made.of("f32")->flopsPerNs, 0);
  EXPECT_FALSE(made.isSteady);
}

TEST_F(GpuRoofMeasured, WhatCannotBeMeasuredIsNotThere) {
  EXPECT_EQ(measure(nullptr, "").bytesPerNs, 0);
  EXPECT_FALSE(measure(nullptr, "bf16").of("bf16"));
}

} // namespace
