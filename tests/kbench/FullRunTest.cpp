// What a run at full size costs: the reference is computed once, however many points are compared with it,
// and what a kernel writes is restored on the device.
#include "kbench/target/Targets.h"
#include "kbench/workers/CompileWorker.h"
#include "kbench/workers/DeviceWorker.h"
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <unistd.h>

using namespace phobos;
using namespace phobos::kbench;

namespace {

/// What the device was asked for.
struct Counts {
  std::map<std::string, int> runs; ///< by point
  size_t written = 0, largeWrites = 0, largeReads = 0;
};
Counts counts;
constexpr size_t large = 4 * 60 * 50; ///< the bytes of the least tensor at full size

class CountedKernel : public DeviceKernel {
public:
  CountedKernel(std::unique_ptr<DeviceKernel> inner, std::string point)
      : inner_(std::move(inner)), point_(std::move(point)) {}
  bool run(const LaunchRequest &launch, std::string &error) override {
    ++counts.runs[point_];
    return inner_->run(launch, error);
  }
  bool time(const LaunchRequest &launch, bool cold, double &ns, std::string &error) override {
    return inner_->time(launch, cold, ns, error);
  }

private:
  std::unique_ptr<DeviceKernel> inner_;
  std::string point_;
};

class CountedDevice : public Device {
public:
  explicit CountedDevice(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}
  Address allocate(size_t bytes, std::string &error) override { return inner_->allocate(bytes, error); }
  void release(Address address) override { inner_->release(address); }
  bool write(Address to, const void *from, size_t bytes, std::string &error) override {
    counts.largeWrites += bytes >= large;
    return inner_->write(to, from, bytes, error);
  }
  bool read(void *to, Address from, size_t bytes, std::string &error) override {
    counts.largeReads += bytes >= large;
    return inner_->read(to, from, bytes, error);
  }
  bool copy(Address to, Address from, size_t bytes, std::string &error) override {
    return inner_->copy(to, from, bytes, error);
  }
  std::unique_ptr<DeviceKernel> load(const Code &code, const sema::TypedKernel &kernel,
                                     const Contract &contract, std::string &error) override {
    auto loaded = inner_->load(code, kernel, contract, error);
    return loaded ? std::make_unique<CountedKernel>(std::move(loaded), kernel.point.str()) : nullptr;
  }

private:
  std::unique_ptr<Device> inner_;
};

const char *const kGemm =
    "@autotune(TILE_M in [8, 16, 32], TILE_K in [4, 8])\n"
    "kernel gemm(A: tensor<f32>[M, K], B: tensor<f32>[K, N], C: tensor<f32>[M, N]) {\n"
    "  var acc: tile<f32>[TILE_M, 16] = 0.0\n"
    "  for k in range(0, K, TILE_K) {\n"
    "    acc += dot(A[ctx.block.x * TILE_M :+ TILE_M, k :+ TILE_K], B[k :+ TILE_K, ctx.block.y * 16 :+ 16])\n"
    "  }\n"
    "  C[ctx.block.x * TILE_M :+ TILE_M, ctx.block.y * 16 :+ 16] = acc\n"
    "}\n";

class FullRun : public testing::Test {
protected:
  void SetUp() override {
    counts = {};
    folder_ = std::filesystem::temp_directory_path() / ("kbench-full-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    target_ = interpTarget();
    target_.makeDevice = [](int index, std::string &error) {
      return std::unique_ptr<Device>(new CountedDevice(interpTarget().makeDevice(index, error)));
    };
    std::string error;
    session_.target = "interp";
    session_.file = "gemm.pho";
    session_.textPath = (folder_ / "source.pho").string();
    session_.kernel = "gemm";
    session_.dims = {{"M", 60}, {"K", 70}, {"N", 50}};
    session_.directory = folder_.string();
    ASSERT_TRUE(writeFile(session_.textPath, kGemm, std::strlen(kGemm), error)) << error;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Request::Item item(const std::string &point) { return {point, (folder_ / point).string(), ""}; }

  std::filesystem::path folder_;
  Target target_;
  Session session_;
};

TEST_F(FullRun, TheReferenceIsMadeOnceForAllPoints) {
  CompileWorker compiler(target_, session_);
  DeviceWorker device(target_, session_);
  std::string error;
  ASSERT_TRUE(compiler.start(error)) << error;
  ASSERT_TRUE(device.start(error)) << error;
  const std::string plain = "TILE_M=8 TILE_K=4";
  const std::vector<std::string> points = {plain, "TILE_M=16 TILE_K=4", "TILE_M=16 TILE_K=8",
                                           "TILE_M=32 TILE_K=8"};
  for (const std::string &p : points) {
    Request request;
    request.items = {item(p)};
    Reply reply = compiler.answer(request, [](const std::string &) {});
    ASSERT_TRUE(reply.verdict.ok()) << reply.verdict.detail;
  }
  auto verify = [&](const std::string &p) {
    Request request;
    request.kind = Request::Kind::VerifyFull;
    request.items = {item(p), item(plain)};
    Reply reply = device.answer(request, [](const std::string &) {});
    EXPECT_TRUE(reply.verdict.ok()) << p << ": " << reply.verdict.detail;
    EXPECT_EQ(reply.note, "");
    return reply.worstError;
  };
  verify(plain);
  EXPECT_EQ(counts.runs[plain], 2) << "on the inputs, and on their absolute values";
  const size_t before = counts.largeWrites;
  for (size_t i = 1; i < points.size(); ++i) {
    const size_t reads = counts.largeReads;
    EXPECT_LE(verify(points[i]), 1);
    EXPECT_EQ(counts.runs[points[i]], 1);
    EXPECT_EQ(counts.largeReads, reads + 1) << "the output alone";
  }
  EXPECT_EQ(counts.runs[plain], 2) << "never again";
  EXPECT_EQ(counts.largeWrites, before) << "inputs stay on the device, and what restores the output too";
}

} // namespace
