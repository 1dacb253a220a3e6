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

/// What a kernel does at full size besides what it should, and of which point.
enum class Misdeed : uint8_t { None, Overruns, FailsToRun, CannotBeRead };
Misdeed misdeed = Misdeed::None;
std::string culprit;
/// What a device may say; nothing follows from its words.
const char *const words = "a value was written that was left out behind the last element";

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
    if (!isCulprit(launch))
      return inner_->run(launch, error);
    if (misdeed == Misdeed::FailsToRun) {
      error = words;
      return false;
    }
    if (!inner_->run(launch, error))
      return false;
    if (misdeed == Misdeed::Overruns)
      *reinterpret_cast<char *>(launch.args[2].data + large) ^= 1;
    return true;
  }
  bool time(const LaunchRequest &launch, bool cold, double &ns, std::string &error) override {
    return inner_->time(launch, cold, ns, error);
  }

private:
  bool isCulprit(const LaunchRequest &launch) const { return point_ == culprit && launch.dims[0] == 60; }
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
    if (misdeed == Misdeed::CannotBeRead && bytes >= large) {
      error = words;
      return false;
    }
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
    misdeed = Misdeed::None;
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

  /// Makes the points' code.
  void compile(const std::vector<std::string> &points) {
    CompileWorker compiler(target_, session_);
    std::string error;
    ASSERT_TRUE(compiler.start(error)) << error;
    for (const std::string &p : points) {
      Request request;
      request.items = {item(p)};
      const Reply reply = compiler.answer(request, [](const std::string &) {});
      ASSERT_TRUE(reply.verdict.ok()) << reply.verdict.detail;
    }
  }

  Request::Item item(const std::string &point) { return {point, (folder_ / point).string(), ""}; }

  std::filesystem::path folder_;
  Target target_;
  Session session_;
};

TEST_F(FullRun, TheReferenceIsMadeOnceForAllPoints) {
  const std::string plain = "TILE_M=8 TILE_K=4";
  const std::vector<std::string> points = {plain, "TILE_M=16 TILE_K=4", "TILE_M=16 TILE_K=8",
                                           "TILE_M=32 TILE_K=8"};
  compile(points);
  DeviceWorker device(target_, session_);
  std::string error;
  ASSERT_TRUE(device.start(error)) << error;
  auto verify = [&](const std::string &p) {
    Request request;
    request.kind = Request::Kind::VerifyFull;
    request.items = {item(p), item(plain)};
    Reply reply = device.answer(request, [](const std::string &) {});
    EXPECT_TRUE(reply.verdict.ok()) << p << ": " << reply.verdict.detail;
    EXPECT_EQ(reply.verdict.detail, "");
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

TEST_F(FullRun, StatusesFollowFromWhatHappenedNotFromWords) {
  const std::string plain = "TILE_M=8 TILE_K=4", other = "TILE_M=16 TILE_K=8", third = "TILE_M=32 TILE_K=8";
  compile({plain, other, third});
  struct {
    Misdeed misdeed;
    Status status;
    const char *detail;
  } cases[] = {{Misdeed::Overruns, Status::Wrong, "C: memory 0 bytes behind its last element was written"},
               {Misdeed::FailsToRun, Status::Fault, words},
               {Misdeed::CannotBeRead, Status::Fault, words}};
  for (const auto &c : cases)
    for (auto kind : {Request::Kind::VerifyFull, Request::Kind::Stored}) {
      DeviceWorker device(target_, session_);
      std::string error;
      ASSERT_TRUE(device.start(error)) << error;
      auto ask = [&](const std::string &p, const std::string &reference) {
        Request request;
        request.kind = kind;
        request.items = {item(p), item(reference)};
        return device.answer(request, [](const std::string &) {}).verdict;
      };
      misdeed = Misdeed::None;
      EXPECT_TRUE(ask(other, plain).ok());
      misdeed = c.misdeed;
      culprit = other;
      const Verdict verdict = ask(other, plain);
      EXPECT_EQ(verdict.status, c.status) << verdict.detail;
      EXPECT_NE(verdict.detail.find(c.detail), std::string::npos) << verdict.detail;
      if (c.status != Status::Wrong)
        continue; // the worker ends
      // It costs nobody else anything, and the plain point in its place is as wrong.
      EXPECT_TRUE(ask(third, plain).ok()) << ask(third, plain).detail;
      const Verdict asPlain = ask(other, other);
      EXPECT_EQ(asPlain.status, kind == Request::Kind::Stored ? Status::Wrong : Status::Ok);
    }
}

TEST_F(FullRun, AWrongPlainPointIsNoFaultOfAnother) {
  const std::string plain = "TILE_M=8 TILE_K=4", other = "TILE_M=16 TILE_K=8";
  compile({plain, other});
  DeviceWorker device(target_, session_);
  std::string error;
  ASSERT_TRUE(device.start(error)) << error;
  misdeed = Misdeed::Overruns;
  culprit = plain;
  auto ask = [&](const std::string &p) {
    Request request;
    request.kind = Request::Kind::VerifyFull;
    request.items = {item(p), item(plain)};
    return device.answer(request, [](const std::string &) {}).verdict;
  };
  EXPECT_EQ(ask(plain).status, Status::Wrong);
  const Verdict verdict = ask(other);
  EXPECT_TRUE(verdict.ok()) << verdict.detail;
  EXPECT_EQ(verdict.detail.find("the plain point: C: memory"), 0) << verdict.detail;
}

} // namespace
