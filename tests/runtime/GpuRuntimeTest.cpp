// The runtime over a driver that has no device (fake/): what it asks the driver, what it hands it, what it
// refuses and in which words. What a device does with it is shown by tests/gpu/runtime.
#include "compiler/driver/BundleBuild.h"
#include "runtime/include/phobos/phobos.hpp"
#include "tests/runtime/fake/Fake.h"
#include <bit>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

namespace {

const char *const kSource = R"(@autotune(BLOCK in [64, 256])
kernel saxpy(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  let i = ctx.block.x * BLOCK
  Y[i :+ BLOCK] = a * X[i :+ BLOCK] + Y[i :+ BLOCK]
}
@autotune(BLOCK in [64, 256])
@persistent
kernel walk(X: tensor<f32>[M, N], Y: tensor<f32>[M, N], h: f16, k: i64) {
  let i = ctx.block.x * BLOCK
  let j = ctx.block.y
  Y[j, i :+ BLOCK] = X[j, i :+ BLOCK] * f32(h) + f32(k)
}
@autotune(SPLIT_K in [4])
kernel product(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {
  let m = ctx.block.x * 32
  let n = ctx.block.y * 32
  var acc: tile<f32>[32, 32] = 0.0
  for k in range(0, K, 16) { acc += dot(A[m :+ 32, k :+ 16], B[k :+ 16, n :+ 32]) }
  C[m :+ 32, n :+ 32] = acc
}
)";

std::string compiled(std::vector<std::string> targets, std::vector<std::string> points = {}) {
  phobos::Diagnostics diags;
  auto loaded = phobos::driver::loadText("test.pho", kSource, {}, diags);
  phobos::driver::BundleRequest request;
  request.targets = std::move(targets);
  request.points = std::move(points);
  phobos::Bundle bundle;
  EXPECT_TRUE(phobos::driver::buildBundle(*loaded, request, bundle, diags))
      << phobos::renderText(diags, loaded->sources);
  return encodeBundle(bundle);
}

/// Address spaces of the fake devices: device 0 begins at 1 << 40, 1 at 2 << 40, ..
uint64_t base(int device) { return uint64_t(device + 1) << 40; }
phobos::TensorView view(uint64_t address, int64_t n = 1000, int32_t device = PHOBOS_DEVICE_UNKNOWN) {
  return {reinterpret_cast<float *>(address), {n}, device};
}

class Gpu : public testing::Test {
protected:
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  fake::Driver &driver =
      *static_cast<fake::Driver *>(reinterpret_cast<fake::Get>(dlsym(library, "fakeDriver"))());
  int (*push)(void *) = reinterpret_cast<int (*)(void *)>(dlsym(library, "cuCtxPushCurrent_v2"));
  int (*pop)(void **) = reinterpret_cast<int (*)(void **)>(dlsym(library, "cuCtxPopCurrent_v2"));

  void SetUp() override {
    push(&driver.primary[0]);
    driver.launches.clear();
    driver.arguments = 0, driver.refuseLaunch = 0, driver.tellsAccess = true, driver.refusePool = 0;
    driver.taken.clear();
    driver.zeroed.clear();
    for (auto &c : driver.primary)
      c.access.clear();
    driver.memory.clear();
    for (int device = 0; device < 3; ++device)
      driver.memory[base(device)] = {1 << 20, device, fake::Kind::Device, false};
  }
  void TearDown() override {
    void *ignored = nullptr;
    pop(&ignored);
    dlclose(library);
  }
  phobos::Module load(const std::string &bytes, phobos::ModuleOptions options = {.target = "cuda"}) {
    auto m = phobos::Module::load(bytes.data(), bytes.size(), options);
    EXPECT_TRUE(m) << m.error().message;
    return std::move(m).value();
  }
  void expectRefused(const phobos::Status &s, const std::string &text) {
    EXPECT_EQ(s.code, PHOBOS_CONTRACT) << s.message;
    EXPECT_NE(s.message.find(text), std::string::npos) << s.message << "\nexpected: " << text;
    EXPECT_TRUE(driver.launches.empty()) << "something was launched";
  }
  void expectTaken(const phobos::Status &s) {
    EXPECT_TRUE(s) << s.message;
    EXPECT_EQ(driver.launches.size(), 1u);
    driver.launches.clear();
  }
};

const std::string &bundle() {
  static const std::string bytes =
      compiled({"sm_80", "sm_90a", "sm_75"}, {"BLOCK=64 @ N <= 2000", "BLOCK=256"});
  return bytes;
}

TEST_F(Gpu, ArgumentsArriveAsTheyAre) {
  phobos::Module m = load(bundle());
  EXPECT_EQ(m.deviceName(), "Fake");
  driver.arguments = 3;
  ASSERT_TRUE(
      m.kernel("saxpy")->launch(reinterpret_cast<void *>(77), view(base(0)), view(base(0) + 4096), 3.0f));
  ASSERT_EQ(driver.launches.size(), 1u);
  const fake::Launch &l = driver.launches[0];
  EXPECT_EQ(l.words[0], base(0));
  EXPECT_EQ(l.words[1], base(0) + 4096);
  EXPECT_EQ(static_cast<uint32_t>(l.words[2]), std::bit_cast<uint32_t>(3.0f));
  EXPECT_EQ(l.grid[0], 16u); // cdiv(1000, 64)
  EXPECT_EQ(l.stream, reinterpret_cast<void *>(77));
  EXPECT_EQ(l.context, &driver.primary[0]);
}

TEST_F(Gpu, PersistentKernelsFillTheDeviceAtMost) {
  phobos::Module m = load(bundle());
  auto launch = [&](int64_t rows) {
    phobos::TensorView x(reinterpret_cast<float *>(base(0)), {rows, 64}, {64, 1}),
        y(reinterpret_cast<float *>(base(0) + (1 << 19)), {rows, 64});
    phobos::Status s = m.kernel("walk")->launch(nullptr, x, y, phobos::scalar(PHOBOS_F16, 1.5), int64_t(-2));
    EXPECT_TRUE(s) << s.message;
    return driver.launches.back().grid[0];
  };
  EXPECT_EQ(launch(3), 3u);
  EXPECT_EQ(launch(1000), 20u); // two blocks on each of ten multiprocessors
}

TEST_F(Gpu, TheNearestArchitectureAndThePointForTheShape) {
  phobos::Module here = load(bundle()), older = load(bundle(), {.target = "cuda", .device = 2});
  auto small = here.kernel("saxpy")->prepare({}, view(base(0)), view(base(0) + 4096), 1.0f),
       large = here.kernel("saxpy")->prepare({}, view(base(0), 5000), view(base(0) + 65536, 5000), 1.0f),
       there = older.kernel("saxpy")->prepare({}, view(base(2)), view(base(2) + 4096), 1.0f);
  ASSERT_TRUE(small && large && there);
  EXPECT_EQ(small->target() + small->point(), "sm_90aBLOCK=64");
  EXPECT_EQ(large->target() + large->point(), "sm_90aBLOCK=256");
  EXPECT_EQ(there->target(), "sm_80"); // on sm_86
  std::string newer = compiled({"sm_90a"});
  auto m = phobos::Module::load(newer.data(), newer.size(), {.target = "cuda", .device = 2});
  EXPECT_EQ(m.error().code, PHOBOS_NO_DEVICE);
  EXPECT_NE(m.error().message.find("it is for sm_90a, the device is sm_86"), std::string::npos)
      << m.error().message;
}

TEST_F(Gpu, APreparedLaunchIsTwoCallsOfTheDriver) {
  phobos::Module m = load(bundle());
  auto p = m.kernel("saxpy")->prepare({}, view(base(0)), view(base(0) + 4096), 1.0f);
  ASSERT_TRUE(p && p->launch());
  driver.calls.clear();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(p->launch());
  using Calls = std::vector<std::string>;
  EXPECT_EQ(driver.calls, (Calls{"cuCtxGetCurrent", "cuLaunchKernel", "cuCtxGetCurrent", "cuLaunchKernel",
                                 "cuCtxGetCurrent", "cuLaunchKernel"}));
  driver.calls.clear();
  std::thread([&] { EXPECT_TRUE(p->launch()); }).join(); // a thread without a context
  EXPECT_EQ(driver.calls,
            (Calls{"cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuLaunchKernel", "cuCtxPopCurrent_v2"}));
  EXPECT_EQ(driver.launches.back().context, &driver.primary[0]);
}

/// 70 x 96 of 3 x 3 blocks, from 70 x 200 and 200 x 96.
struct Product {
  phobos::TensorView a{reinterpret_cast<float *>(base(0)), {70, 200}},
      b{reinterpret_cast<float *>(base(0) + (1 << 17)), {200, 96}},
      c{reinterpret_cast<float *>(base(0) + (1 << 18)), {70, 96}};
};

// A block of 32 x 32 f32 in four parts is 16384 bytes; nine counters are 36, rounded to 256.
constexpr uint64_t productWorkspace = 256 + 9 * 16384;

TEST_F(Gpu, PartsOfKHaveAWorkspaceALaunch) {
  phobos::Module m = load(bundle());
  Product t;
  driver.arguments = 13; // three tensors with a stride each, three dimensions, the grid, the workspace
  auto p = m.kernel("product")->prepare({}, t.a, t.b, t.c);
  ASSERT_TRUE(p) << p.error().message;
  driver.calls.clear();
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(p->launch(reinterpret_cast<void *>(77)));
  using Calls = std::vector<std::string>;
  EXPECT_EQ(driver.calls,
            (Calls{"cuCtxGetCurrent", "cuMemAllocFromPoolAsync", "cuMemsetD8Async", "cuLaunchKernel",
                   "cuMemFreeAsync", "cuCtxGetCurrent", "cuMemAllocFromPoolAsync", "cuMemsetD8Async",
                   "cuLaunchKernel", "cuMemFreeAsync"}));
  ASSERT_EQ(driver.launches.size(), 2u);
  EXPECT_TRUE(driver.taken.empty()) << "a workspace was not given back";
  const fake::Launch &first = driver.launches[0], &second = driver.launches[1];
  EXPECT_EQ(first.grid[0], 12u); // four parts of three
  EXPECT_EQ(first.grid[1], 3u);
  EXPECT_EQ(first.words[9], 3u); // what the kernel is told of its grid
  EXPECT_EQ(first.stream, reinterpret_cast<void *>(77));
  EXPECT_NE(first.words[12], second.words[12]) << "launches that may run at one time share a workspace";
  EXPECT_GE(second.words[12] - first.words[12], productWorkspace);
  EXPECT_EQ(driver.zeroed, (std::vector<uint64_t>{first.words[12], 256, second.words[12], 256}));
}

TEST_F(Gpu, ThreadsLaunchOneKernelInPartsAtOnce) {
  phobos::Module m = load(bundle());
  driver.arguments = 13;
  Product t;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k)
        EXPECT_TRUE(m.kernel("product")->launch(nullptr, t.a, t.b, t.c));
    });
  for (auto &thread : threads)
    thread.join();
  std::set<uint64_t> workspaces;
  for (const fake::Launch &l : driver.launches)
    workspaces.insert(l.words[12]);
  EXPECT_EQ(workspaces.size(), 200u);
  EXPECT_TRUE(driver.taken.empty());
}

TEST_F(Gpu, AWorkspaceThatIsNotToBeHad) {
  phobos::Module m = load(bundle());
  Product t;
  driver.refusePool = 2;
  phobos::Status s = m.kernel("product")->launch(nullptr, t.a, t.b, t.c);
  EXPECT_EQ(s.code, PHOBOS_OUT_OF_MEMORY);
  EXPECT_EQ(s.message, "kernel 'product': taking the " + std::to_string(productWorkspace) +
                           " bytes of its workspace (SPLIT_K): CUDA_ERROR: as the test wants it");
  EXPECT_TRUE(driver.launches.empty());
  driver.refusePool = 0, driver.refuseLaunch = 719;
  s = m.kernel("product")->launch(nullptr, t.a, t.b, t.c);
  EXPECT_EQ(s.code, PHOBOS_DRIVER);
  EXPECT_TRUE(driver.taken.empty()) << "a refused launch keeps its workspace";
  driver.refuseLaunch = 0;
  EXPECT_TRUE(m.kernel("product")->launch(nullptr, t.a, t.b, t.c));
}

TEST_F(Gpu, MemoryThatTheDeviceHasNot) {
  phobos::Module m = load(bundle());
  auto k = m.kernel("saxpy").value();
  const uint64_t x = base(0), y = base(0) + 4096, host = 1 << 20;
  auto launch = [&](phobos::TensorView a, phobos::TensorView b) { return k.launch(nullptr, a, b, 1.0f); };
  expectRefused(launch(view(host), view(y)),
                "parameter 'X' is at an address that the driver knows nothing of");
  expectRefused(launch(view(x), view(base(0) + (1 << 20))), "parameter 'Y' is at an address that the driver");
  expectRefused(launch(view(x, 1000, PHOBOS_DEVICE_HOST), view(y)),
                "parameter 'X' is in host memory, the kernel runs on device 0");
  expectRefused(
      launch(view(x, 1000, 7), view(y)),
      "parameter 'X' is on device 7 by its view, the kernel runs on device 0, and the memory is not there");
  driver.memory[host] = {1 << 16, 1, fake::Kind::Host, false}; // page-locked, on behalf of another device
  expectTaken(launch(view(host), view(y)));
  driver.memory[host] = {1 << 16, 1, fake::Kind::Device, true}; // managed
  expectTaken(launch(view(x), view(host)));
  expectTaken(launch(view(x, 1000, 0), view(y)));
}

TEST_F(Gpu, MemoryOfAPeer) {
  phobos::Module m = load(bundle());
  auto k = m.kernel("saxpy").value();
  const uint64_t here = base(0), there = base(1);
  auto launch = [&](phobos::TensorView a, phobos::TensorView b) { return k.launch(nullptr, a, b, 1.0f); };
  auto p = k.prepare({}, view(here), view(here + 4096), 1.0f);
  ASSERT_TRUE(p);
  const char *noAccess =
      "parameter 'X' is on device 1, the kernel runs on device 0, which has no peer access to it";
  for (bool tells : {true, false}) {
    driver.tellsAccess = tells;
    driver.primary[0].access.clear();
    driver.primary[1].access[0] = 3; // the other way counts for nothing
    expectRefused(launch(view(there), view(here)), noAccess);
    expectRefused(launch(view(there, 1000, 1), view(here)), noAccess);
    expectRefused(p->setPointer(0, reinterpret_cast<void *>(there)), noAccess);
    driver.primary[0].access[1] = 3;
    expectTaken(launch(view(there), view(here)));
    expectTaken(launch(view(there, 1000, 1), view(here)));
    expectTaken(launch(view(here), view(there)));
    EXPECT_TRUE(p->setPointer(0, reinterpret_cast<void *>(there)));
    EXPECT_TRUE(p->setPointer(0, reinterpret_cast<void *>(here)));
    expectRefused(launch(view(there, 1000, 2), view(here)), "on device 2 by its view");
    // What the kernel's context may do counts, not what the current one may.
    push(&driver.primary[1]);
    expectTaken(launch(view(there), view(here)));
    void *ignored = nullptr;
    pop(&ignored);
  }
  driver.tellsAccess = true;
  driver.primary[0].access[1] = 1;
  expectTaken(launch(view(there), view(here)));
  expectRefused(launch(view(here), view(there)),
                "parameter 'Y' is on device 1, the kernel runs on device 0, which may only read there");
}

TEST_F(Gpu, ALaunchThatTheDriverRefuses) {
  phobos::Module m = load(bundle());
  driver.refuseLaunch = 719;
  phobos::Status s = m.kernel("saxpy")->launch(nullptr, view(base(0)), view(base(0) + 4096), 1.0f);
  EXPECT_EQ(s.code, PHOBOS_DRIVER);
  EXPECT_EQ(s.message, "kernel 'saxpy': launching: CUDA_ERROR_LAUNCH_FAILED: as the test wants it");
}

TEST_F(Gpu, ADeviceThatIsNewerThanTheBundleTakesItsPtx) {
  setenv("FAKE_SM", "130", 1);
  phobos::Module m = load(bundle()); // of sm_80 and sm_90a: what is one architecture's own stays there
  auto prepared = m.kernel("saxpy")->prepare({}, view(base(0)), view(base(0) + 4096), 1.0f);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->target(), "sm_80");
  const std::string own = compiled({"sm_90a"});
  auto refused = phobos::Module::load(own.data(), own.size(), {.target = "cuda"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("it is for sm_90a, the device is sm_130"), std::string::npos);
  unsetenv("FAKE_SM");
}

} // namespace
