// The runtime over bundles that the compiler made: every misuse names itself and launches nothing; prepared
// launches; the choice of point.
#include "compiler/driver/BundleBuild.h"
#include "runtime/include/phobos/compile.hpp"
#include "runtime/include/phobos/phobos.hpp"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>

namespace {

const char *const kSaxpy = R"(@autotune(BLOCK in [64, 256])
kernel saxpy(X: tensor<f32>[N], Y: tensor<f32>[N], a: f32) {
  let i = ctx.block.x * BLOCK
  Y[i :+ BLOCK] = a * X[i :+ BLOCK] + Y[i :+ BLOCK]
}
@require(N <= 4096, "short only")
@aligned(M = 8)
kernel scaled(A: tensor<f32>[M, N], B: tensor<f32>[M, N], k: i32) {
  let i = ctx.block.x * 8
  B[i :+ 8, 0 :+ 16] = A[i :+ 8, 0 :+ 16] * f32(k)
}
)";

std::string compiled(const std::string &source, std::vector<std::string> kernels,
                     std::vector<std::string> points = {}) {
  phobos::Diagnostics diags;
  auto loaded = phobos::driver::loadText("test.pho", source, {}, diags);
  phobos::driver::BundleRequest request;
  request.kernels = std::move(kernels);
  request.points = std::move(points);
  phobos::Bundle bundle;
  EXPECT_TRUE(phobos::driver::buildBundle(*loaded, request, bundle, diags))
      << phobos::renderText(diags, loaded->sources);
  return encodeBundle(bundle);
}

phobos::Module loaded(const std::string &bytes) {
  auto m = phobos::Module::load(bytes.data(), bytes.size(), {.target = "cpu"});
  EXPECT_TRUE(m) << m.error().message;
  return std::move(m).value();
}

class Saxpy : public testing::Test {
protected:
  phobos::Module module = loaded(compiled(kSaxpy, {"saxpy"}));
  phobos::Kernel kernel = module.kernel("saxpy").value();
  std::vector<float> x = std::vector<float>(1000, 2.0f), y = std::vector<float>(1000, 1.0f);
  phobos::TensorView tx{x.data(), {1000}}, ty{y.data(), {1000}};

  void expectRefused(const phobos::Status &s, phobos_status code, const char *text) {
    EXPECT_EQ(s.code, code) << s.message;
    EXPECT_NE(s.message.find(text), std::string::npos) << s.message;
    EXPECT_EQ(y, std::vector<float>(1000, 1.0f)) << "something was launched";
  }
};

TEST_F(Saxpy, Launches) {
  auto s = kernel.launch(nullptr, tx, ty, 3.0f);
  ASSERT_TRUE(s) << s.message;
  EXPECT_EQ(y, std::vector<float>(1000, 7.0f));
}

TEST_F(Saxpy, MisuseNamesItself) {
  expectRefused(kernel.launch(nullptr, tx, ty), PHOBOS_CONTRACT, "has 3 parameters, 2 arguments");
  expectRefused(kernel.launch(nullptr, tx, ty, 3.0), PHOBOS_CONTRACT,
                "parameter 'a' is of f32, the argument is of f64");
  expectRefused(kernel.launch(nullptr, tx, 1.0f, 3.0f), PHOBOS_CONTRACT,
                "parameter 'Y' is a tensor, the argument is a scalar");
  std::vector<double> d(1000);
  expectRefused(kernel.launch(nullptr, phobos::TensorView(d.data(), {1000}), ty, 3.0f), PHOBOS_CONTRACT,
                "parameter 'X' is tensor<f32>");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(x.data(), {10, 100}), ty, 3.0f), PHOBOS_CONTRACT,
                "has rank 1, the argument has rank 2");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(x.data(), {999}), ty, 3.0f), PHOBOS_CONTRACT,
                "dimension 'N' is 999 in dimension 0 of 'X'");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(static_cast<float *>(nullptr), {1000}), ty, 3.0f),
                PHOBOS_CONTRACT, "'X' has a null address");
  expectRefused(kernel.launch(nullptr,
                              phobos::TensorView(
                                  reinterpret_cast<float *>(reinterpret_cast<char *>(x.data()) + 2), {999}),
                              phobos::TensorView(y.data(), {999}), 3.0f),
                PHOBOS_CONTRACT, "is not a multiple of 4, the size of f32");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(x.data(), {INT64_MAX / 2}),
                              phobos::TensorView(y.data(), {INT64_MAX / 2}), 3.0f),
                PHOBOS_CONTRACT, "parameter 'X' is larger than an address space");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(x.data(), {-1}), ty, 3.0f), PHOBOS_CONTRACT,
                "dimension 0 of 'X' is -1");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(x.data(), {500}, {2}),
                              phobos::TensorView(y.data(), {500}), 3.0f),
                PHOBOS_CONTRACT, "stride 1");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(y.data() + 1, {999}),
                              phobos::TensorView(y.data(), {999}), 3.0f),
                PHOBOS_CONTRACT, "overlap");
  expectRefused(kernel.launch(nullptr, phobos::TensorView(x.data(), {1000}, 0), ty, 3.0f), PHOBOS_CONTRACT,
                "is on device 0, the kernel runs on the CPU");
  expectRefused(kernel.launch(reinterpret_cast<void *>(1), tx, ty, 3.0f), PHOBOS_INVALID_ARGUMENT,
                "takes no stream");
  auto changed = [&](int32_t phobos_tensor::*field, int32_t value) {
    phobos_tensor t = tx.get();
    t.*field = value;
    return kernel.launch(nullptr, phobos::TensorView(t), ty, 3.0f);
  };
  expectRefused(changed(&phobos_tensor::type, 99), PHOBOS_INVALID_ARGUMENT,
                "argument 'X': the tensor's type 99 is no phobos_type");
  expectRefused(changed(&phobos_tensor::rank, 9), PHOBOS_INVALID_ARGUMENT,
                "argument 'X': the tensor's rank is 9; ranks 1 to 5");
  expectRefused(changed(&phobos_tensor::rank, 0), PHOBOS_INVALID_ARGUMENT, "the tensor's rank is 0");
  expectRefused(changed(&phobos_tensor::device, -7), PHOBOS_INVALID_ARGUMENT,
                "the tensor's device -7 is none");
  expectRefused(kernel.launch(nullptr, tx, ty, phobos::scalar(static_cast<phobos_type>(77), 3)),
                PHOBOS_INVALID_ARGUMENT, "argument 'a': 77 is no phobos_type");
}

TEST_F(Saxpy, AssumeDisjointAndGrid) {
  phobos::LaunchOptions options;
  options.grid = {{0, 1, 1}};
  ASSERT_TRUE(kernel.launchWith(options, nullptr, tx, ty, 3.0f)); // an empty grid launches nothing
  EXPECT_EQ(y[0], 1.0f);
  options.grid = {{1, 1, 1}};
  ASSERT_TRUE(kernel.launchWith(options, nullptr, tx, ty, 3.0f));
  EXPECT_EQ(y[63], 7.0f);
  EXPECT_EQ(y[64], 1.0f);
  options = {};
  options.assumeDisjoint = true;
  EXPECT_TRUE(kernel.launchWith(options, nullptr, phobos::TensorView(y.data(), {1000}), ty, 0.0f));
}

TEST_F(Saxpy, PreparedLaunches) {
  auto p = kernel.prepare({}, tx, ty, 1.0f);
  ASSERT_TRUE(p) << p.error().message;
  EXPECT_EQ(p->point(), "BLOCK=64");
  EXPECT_EQ(p->target(), "cpu");
  ASSERT_TRUE(p->launch());
  EXPECT_EQ(y[999], 3.0f);
  ASSERT_TRUE(p->set(2, 10.0));
  std::vector<float> other(1000, 0.0f);
  ASSERT_TRUE(p->setPointer(1, other.data()));
  ASSERT_TRUE(p->launch());
  EXPECT_EQ(other[999], 20.0f);
  EXPECT_EQ(p->set(0, 1.0).message, "parameter 'X' of kernel 'saxpy' is a tensor of f32, not a float scalar");
  EXPECT_EQ(p->set(2, int64_t(1)).message,
            "parameter 'a' of kernel 'saxpy' is a scalar of f32, not an integer scalar");
  EXPECT_EQ(p->setPointer(2, other.data()).message,
            "parameter 'a' of kernel 'saxpy' is a scalar of f32, not a tensor");
  EXPECT_EQ(p->set(9, 1.0).message,
            "kernel 'saxpy' has 3 parameters, counted from 0; there is no parameter 9");
  EXPECT_FALSE(p->setPointer(1, nullptr));
  EXPECT_NE(
      p->setPointer(1, reinterpret_cast<char *>(y.data()) + 1).message.find("parameter 'Y': the address"),
      std::string::npos);
}

TEST_F(Saxpy, ManyThreadsShareAModule) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      std::vector<float> a(777, 1.0f), b(777, 1.0f);
      bool ok = true;
      for (int i = 0; i < 50; ++i)
        ok &= static_cast<bool>(kernel.launch(nullptr, phobos::TensorView(a.data(), {777}),
                                              phobos::TensorView(b.data(), {777}), 1.0f));
      right += ok && b == std::vector<float>(777, 51.0f);
    });
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(right, 8);
}

TEST(Runtime, ChoosesThePointByShape) {
  phobos::Module m =
      loaded(compiled(kSaxpy, {"saxpy"}, {"BLOCK=64 @ N <= 100", "BLOCK=256 @ N > 100 && N < 5000"}));
  phobos::Kernel k = m.kernel("saxpy").value();
  std::vector<float> x(6000), y(6000);
  auto point = [&](int64_t n) {
    auto p = k.prepare({}, phobos::TensorView(x.data(), {n}), phobos::TensorView(y.data(), {n}), 1.0f);
    return p ? p->point() : p.error().message;
  };
  EXPECT_EQ(point(100), "BLOCK=64");
  EXPECT_EQ(point(101), "BLOCK=256");
  EXPECT_NE(point(6000).find("no point of kernel 'saxpy' serves these extents"), std::string::npos)
      << point(6000);
}

TEST(Runtime, EachKernelTakesThePointsThatItDeclares) {
  const std::string source = std::string(kSaxpy) + R"(@autotune(R in [4, 16])
kernel rows(A: tensor<f32>[M, N], B: tensor<f32>[M, N]) {
  let i = ctx.block.x * R
  B[i :+ R, 0 :+ 16] = A[i :+ R, 0 :+ 16]
}
)";
  phobos::Module m = loaded(compiled(source, {}, {"BLOCK=128", "R=8 @ M <= 100"}));
  std::vector<float> x(64), y(64);
  phobos::TensorView tx(x.data(), {64}), ty(y.data(), {64}), a(x.data(), {8, 8}), b(y.data(), {8, 8});
  EXPECT_EQ(m.kernel("saxpy").value().prepare({}, tx, ty, 1.0f).value().point(), "BLOCK=128");
  EXPECT_EQ(m.kernel("rows").value().prepare({}, a, b).value().point(), "R=8");
  EXPECT_EQ(m.kernel("scaled").value().prepare({}, a, b, int32_t(1)).value().point(), "");
}

TEST(Runtime, RequireAndAligned) {
  phobos::Module m = loaded(compiled(kSaxpy, {"scaled"}));
  phobos::Kernel k = m.kernel("scaled").value();
  std::vector<float> a(5000 * 8), b(5000 * 8);
  auto launch = [&](int64_t rows, int64_t cols) {
    return k.launch(nullptr, phobos::TensorView(a.data(), {rows, cols}),
                    phobos::TensorView(b.data(), {rows, cols}), int32_t(2));
  };
  EXPECT_TRUE(launch(16, 16));
  EXPECT_NE(launch(15, 16).message.find("@aligned: 'M' must be a multiple of 8, it is 15"),
            std::string::npos);
  EXPECT_NE(launch(8, 4097).message.find("@require(N <= 4096) does not hold: short only"), std::string::npos);
}

TEST(Runtime, StridedRows) {
  phobos::Module m = loaded(compiled(kSaxpy, {"scaled"}));
  std::vector<float> a(8 * 20), b(8 * 16);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i);
  ASSERT_TRUE(m.kernel("scaled").value().launch(nullptr, phobos::TensorView(a.data(), {8, 16}, {20, 1}),
                                                phobos::TensorView(b.data(), {8, 16}), int32_t(3)));
  EXPECT_EQ(b[16 * 2 + 5], 3.0f * (20 * 2 + 5));
}

TEST(Runtime, BadBundlesAndNames) {
  auto bad = phobos::Module::load("nonsense", 8);
  EXPECT_EQ(bad.error().code, PHOBOS_BAD_BUNDLE);
  auto absent = phobos::Module::load("/nonexistent/x.phx");
  EXPECT_NE(absent.error().message.find("/nonexistent/x.phx"), std::string::npos);
  std::string bytes = compiled(kSaxpy, {"saxpy"});
  auto cuda = phobos::Module::load(bytes.data(), bytes.size(), {.target = "cuda"});
  EXPECT_EQ(cuda.error().code, PHOBOS_NO_DEVICE);
  auto odd = phobos::Module::load(bytes.data(), bytes.size(), {.target = "tpu"});
  EXPECT_EQ(odd.error().code, PHOBOS_INVALID_ARGUMENT);
  EXPECT_NE(phobos::Module::load("/dev/zero").error().message.find("larger than"), std::string::npos);
  EXPECT_NE(phobos::Module::load("/tmp").error().message.find("it is a directory"), std::string::npos);
  phobos::Module m = loaded(bytes);
  EXPECT_NE(m.kernel("absent").error().message.find("it has saxpy"), std::string::npos);
  EXPECT_EQ(m.kernels(), std::vector<std::string>{"saxpy"});
  EXPECT_TRUE(m.isCpu());
  EXPECT_EQ(phobos_abi_version(), PHOBOS_ABI_VERSION);
}

// A process that can have no more memory: fewer threads do the work, and what cannot be done is a status.
#if !__has_feature(address_sanitizer) // which takes more room than it has
void exhaust(const std::string &bytes) {
  phobos::Bundle large;
  std::string error;
  if (!phobos::decodeBundle(bytes, large, error))
    std::exit(10);
  large.variants[0].entries[0].scratchBytes = int64_t(1) << 33;
  const std::string largeBytes = encodeBundle(large);
  auto m = phobos::Module::load(bytes.data(), bytes.size(), {.target = "cpu"}),
       w = phobos::Module::load(largeBytes.data(), largeBytes.size(), {.target = "cpu"});
  std::vector<float> x(64 * 200, 2.0f), y(64 * 200, 1.0f);
  phobos::TensorView tx(x.data(), {64 * 200}), ty(y.data(), {64 * 200});
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t most = pages * 4096 + (rlim_t(64) << 20); // room for the stacks of some threads
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
  phobos::LaunchOptions options;
  options.threads = 200;
  phobos::Status done = m->kernel("saxpy")->launchWith(options, nullptr, tx, ty, 3.0f);
  phobos::Status refused = w->kernel("saxpy")->launchWith(options, nullptr, tx, ty, 3.0f);
  std::fprintf(stderr, "%s", refused.message.c_str());
  std::exit(done && y == std::vector<float>(64 * 200, 7.0f) && refused.code == PHOBOS_OUT_OF_MEMORY ? 0 : 1);
}

TEST(RuntimeDeathTest, WithoutMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string bytes = compiled(kSaxpy, {"saxpy"}, {"BLOCK=64"});
  EXPECT_EXIT(exhaust(bytes), testing::ExitedWithCode(0),
              "kernel 'saxpy': there is no memory for the 8589934592 bytes of scratch");
}
#endif

TEST(Interop, DLPackAndArrayInterface) {
  struct {
    void *data;
    int32_t deviceType, deviceId, ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides;
    uint64_t offset;
  } dl;
  int64_t shape[] = {2, 3}, strides[] = {4, 1};
  char memory[64];
  dl = {memory, 1, 0, 2, 2, 32, 1, shape, strides, 8};
  auto t = phobos::TensorView::fromDLPack(&dl);
  ASSERT_TRUE(t);
  EXPECT_EQ(t->get().data, memory + 8);
  EXPECT_EQ(t->get().type, PHOBOS_F32);
  EXPECT_EQ(t->get().strides[0], 4);
  EXPECT_EQ(t->get().device, PHOBOS_DEVICE_HOST);
  dl.deviceType = 2, dl.deviceId = 3;
  EXPECT_EQ(phobos::TensorView::fromDLPack(&dl)->get().device, 3);
  dl.deviceType = 10; // another maker's
  EXPECT_NE(phobos::TensorView::fromDLPack(&dl).error().message.find("a device of kind 10"),
            std::string::npos);
  dl.deviceType = 1, dl.shape = nullptr;
  EXPECT_NE(phobos::TensorView::fromDLPack(&dl).error().message.find("has no shape"), std::string::npos);
  dl.shape = shape, dl.ndim = 6;
  EXPECT_NE(phobos::TensorView::fromDLPack(&dl).error().message.find("rank 6"), std::string::npos);
  dl.ndim = 2, dl.lanes = 4;
  EXPECT_NE(phobos::TensorView::fromDLPack(&dl).error().message.find("4 lanes"), std::string::npos);
  dl.lanes = 1, dl.bits = 128;
  EXPECT_FALSE(phobos::TensorView::fromDLPack(&dl));
  phobos_tensor a;
  int64_t bytes[] = {32, 8};
  ASSERT_EQ(phobos_tensor_from_array_interface(4096, "<f8", shape, bytes, 2, 0, &a), PHOBOS_OK);
  EXPECT_EQ(a.strides[0], 4);
  EXPECT_EQ(a.device, 0);
  auto view = phobos::TensorView::fromArrayInterface(4096, "<f4", shape, nullptr, 2, 1);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->get().device, 1);
  EXPECT_EQ(view->get().has_strides, 0);
  EXPECT_FALSE(phobos::TensorView::fromArrayInterface(4096, "<c8", shape, nullptr, 2, 1));
  EXPECT_EQ(phobos_tensor_from_array_interface(4096, ">f8", shape, bytes, 2, 0, &a), PHOBOS_INVALID_ARGUMENT);
  bytes[0] = 33;
  EXPECT_EQ(phobos_tensor_from_array_interface(4096, "<f8", shape, bytes, 2, 0, &a), PHOBOS_INVALID_ARGUMENT);
}

TEST(FromSource, CachesAndForgetsDamage) {
  std::string folder = testing::TempDir() + "phobos-cache-test";
  std::filesystem::remove_all(folder);
  phobos::CompileOptions options;
  options.kernels = {"saxpy"};
  options.cacheFolder = folder;
  auto first = phobos::compile(kSaxpy, "s.pho", options);
  ASSERT_TRUE(first.ok);
  EXPECT_FALSE(first.fromCache);
  auto second = phobos::compile(kSaxpy, "s.pho", options);
  EXPECT_TRUE(second.fromCache);
  EXPECT_EQ(second.bundle, first.bundle);
  options.points = {"BLOCK=128"};
  EXPECT_FALSE(phobos::compile(kSaxpy, "s.pho", options).fromCache) << "another point is another entry";
  options.points.clear();
  for (auto &e : std::filesystem::directory_iterator(folder))
    std::ofstream(e.path(), std::ios::binary | std::ios::in).seekp(100).write("damage", 6);
  auto third = phobos::compile(kSaxpy, "s.pho", options);
  EXPECT_TRUE(third.ok);
  EXPECT_FALSE(third.fromCache);
  EXPECT_TRUE(phobos::compile(kSaxpy, "s.pho", options).fromCache);
  for (auto &e : std::filesystem::directory_iterator(folder)) { // an entry that cannot be read is a miss
    std::filesystem::remove(e.path());
    std::filesystem::create_directory(e.path());
  }
  EXPECT_TRUE(phobos::compile(kSaxpy, "s.pho", options).ok);
  std::filesystem::remove_all(folder);
  options.cacheBytes = first.bundle.size() + 4000; // room for one entry
  for (const char *point : {"BLOCK=64", "BLOCK=256", "BLOCK=512"}) {
    options.points = {point};
    EXPECT_FALSE(phobos::compile(kSaxpy, "s.pho", options).fromCache);
  }
  uint64_t kept = 0;
  for (auto &e : std::filesystem::directory_iterator(folder))
    kept += e.file_size();
  EXPECT_LE(kept, options.cacheBytes);
  EXPECT_TRUE(phobos::compile(kSaxpy, "s.pho", options).fromCache) << "the latest stays";
}

TEST(FromSource, DiagnosticsAreValues) {
  phobos::CompileOptions options;
  options.cache = false;
  auto c = phobos::compile("kernel k(X: tensor<f32>[N]) {\n  X[0] = Z\n}\n", "f.pho", options);
  EXPECT_FALSE(c.ok);
  ASSERT_EQ(c.diagnostics.size(), 1u);
  EXPECT_EQ(c.diagnostics[0].severity, "error");
  EXPECT_EQ(c.diagnostics[0].line, 2u);
  EXPECT_EQ(c.diagnostics[0].column, 10u);
  EXPECT_NE(c.diagnostics[0].rendered.find("^"), std::string::npos);
  for (const char *unknown : {"tpu", "sm_91", "sm_61", "sm_1300"}) {
    options.targets = {unknown};
    EXPECT_FALSE(phobos::compile(kSaxpy, "f.pho", options).ok) << unknown;
  }
}

TEST(FromSource, AProcessorNewerThanTheCompilerIsCarriedForward) {
  phobos::CompileOptions options;
  options.cache = false;
  options.targets = {"sm_130a"}; // as deviceTarget() may say
  auto c = phobos::compile(kSaxpy, "f.pho", options);
  ASSERT_TRUE(c.ok);
  ASSERT_EQ(c.diagnostics.size(), 1u);
  EXPECT_EQ(c.diagnostics[0].code, "W0941");
  const std::string bundle(c.bundle.begin(), c.bundle.end());
  EXPECT_NE(bundle.find("sm_121"), std::string::npos);
  EXPECT_EQ(bundle.find("sm_121a"), std::string::npos);
  EXPECT_EQ(bundle.find("sm_130"), std::string::npos);
}

} // namespace
