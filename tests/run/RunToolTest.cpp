// phobos-run: every flag, every exit status, every diagnostic of its own.
#include "compiler/driver/RunTool.h"
#include "compiler/driver/Progress.h"
#include "compiler/host/Npy.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace phobos;
using namespace phobos::driver;

namespace {

const char *const kScale = "@autotune(T in [4])\n"
                           "kernel scale(X: tensor<f32>[M, N], Y: tensor<bf16>[M, N], a: f32, n: i32) {\n"
                           "  let r = ctx.block.x\n"
                           "  for c in range(0, N, T) { Y[r, c :+ T] = bf16(X[r, c :+ T] * a + f32(n)) }\n"
                           "}\n";
const char *const kCount = "@launch(32)\n"
                           "@grid(host)\n"
                           "kernel count(X: tensor<i32>[N], H: tensor<i32>[4]) {\n"
                           "  for i in range(ctx.thread, N, 32) { atomic_add(H, X[i], 1) }\n"
                           "}\n";

class Run : public testing::Test {
protected:
  void SetUp() override {
    dir = std::filesystem::temp_directory_path() / ("phobos-run-" + std::to_string(getpid()));
    std::filesystem::create_directories(dir);
    r.target = "interp";
    source(kScale);
  }
  void TearDown() override { std::filesystem::remove_all(dir); }

  std::string path(const std::string &name) const { return (dir / name).string(); }
  void source(const std::string &text) {
    std::ofstream(path("k.pho")) << text;
    r.file = path("k.pho");
  }
  /// A .npy file of 0, 1, 2, ..
  std::string array(const std::string &name, ScalarType elem, std::vector<int64_t> shape) {
    HostArray a(elem, std::move(shape));
    for (int64_t i = 0; i < a.size(); ++i)
      a.setInt(i, i);
    std::string error;
    EXPECT_TRUE(writeNpy(path(name), a, error)) << error;
    return path(name);
  }
  HostArray result(const std::string &name) {
    std::string error;
    auto a = readNpy(path(name), error);
    EXPECT_TRUE(a) << error;
    return a ? std::move(*a) : HostArray();
  }
  int run() {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    int status = runKernel(r);
    err = testing::internal::GetCapturedStderr();
    out = testing::internal::GetCapturedStdout();
    return status;
  }
  /// Runs, and expects an exit status and words of the message.
  void expectFault(int status, const std::vector<std::string> &words) {
    EXPECT_EQ(run(), status) << err;
    for (const std::string &w : words)
      EXPECT_NE(err.find(w), std::string::npos) << "no '" << w << "' in: " << err;
  }
  void giveScale() {
    r.args = {"X=" + array("x.npy", ScalarType::F32, {2, 6}), "a=0.5", "n=3"};
    r.outputs = {"Y=" + path("y.npy")};
  }

  std::filesystem::path dir;
  RunRequest r;
  std::string err, out;
};

TEST_F(Run, ReadsFilesAndWritesNarrowFloatsAsF32) {
  giveScale();
  ASSERT_EQ(run(), 0) << err;
  HostArray y = result("y.npy");
  EXPECT_EQ(y.elem(), ScalarType::F32);
  EXPECT_EQ(y.extents(), (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(y.getFloat(11), 8.5);
}

TEST_F(Run, OnTheCpuToo) {
  giveScale();
  r.target = "cpu";
  ASSERT_EQ(run(), 0) << err;
  EXPECT_EQ(result("y.npy").getFloat(11), 8.5);
}

TEST_F(Run, AFloatArrayIsRoundedToANarrowerParameter) {
  source("kernel k(X: tensor<bf16>[3], Y: tensor<f32>[3]) { Y[:] = f32(X[:]) }\n");
  HostArray x(ScalarType::F64, {3});
  x.setFloat(0, 1.001), x.setFloat(1, -3), x.setFloat(2, 257);
  std::string error;
  ASSERT_TRUE(writeNpy(path("x.npy"), x, error));
  r.args = {"X=" + path("x.npy")};
  r.outputs = {"Y=" + path("y.npy")};
  ASSERT_EQ(run(), 0) << err;
  EXPECT_EQ(result("y.npy").getFloat(0), 1);
  EXPECT_EQ(result("y.npy").getFloat(2), 256);
}

TEST_F(Run, RulesAndDimensionsInsteadOfFiles) {
  r.args = {"X=arange", "a=2", "n=1"};
  r.dims = {"M=1 N=3"};
  r.outputs = {"Y=" + path("y.npy")};
  ASSERT_EQ(run(), 0) << err;
  EXPECT_EQ(result("y.npy").getFloat(2), 5);
}

TEST_F(Run, TheSeedDecidesTheNumbers) {
  r.args = {"X=uniform(-1,1)", "a=1", "n=0"};
  r.dims = {"M=1", "N=4"};
  std::vector<double> first;
  for (uint64_t seed : {1, 1, 2}) {
    r.seed = seed;
    r.outputs = {"X=" + path("x.npy")};
    ASSERT_EQ(run(), 0) << err;
    first.push_back(result("x.npy").getFloat(0));
  }
  EXPECT_EQ(first[0], first[1]);
  EXPECT_NE(first[0], first[2]);
}

TEST_F(Run, WithoutOutTheFirstElementsArePrinted) {
  giveScale();
  r.outputs.clear();
  ASSERT_EQ(run(), 0) << err;
  EXPECT_EQ(out, "Y: bf16[2, 6] 3 3.5 4 4.5 5 5.5 6 6.5 ..\n");
}

TEST_F(Run, PointGridAndKernel) {
  source(std::string(kScale) + kCount);
  giveScale();
  expectFault(1, {"E0903", "scale, count"});
  r.kernel = "scale";
  r.point = {"T=5"};
  EXPECT_EQ(run(), 0) << err;
  r.point = {"T=0"};
  EXPECT_NE(run(), 0);
  r.point.clear();
  r.kernel = "count";
  r.outputs = {"H=" + path("h.npy")};
  r.args = {"X=const(2)", "H=const(0)"};
  r.dims = {"N=100"};
  expectFault(1, {"E0932", "@grid(host)"});
  r.grid = "2";
  ASSERT_EQ(run(), 0) << err;
  EXPECT_EQ(result("h.npy").getInt(2), 200);
  r.grid = "0,1,1"; // nothing is launched
  ASSERT_EQ(run(), 0) << err;
  EXPECT_EQ(result("h.npy").getInt(2), 0);
}

TEST_F(Run, AGridThatStoresLessIsAWarning) {
  giveScale();
  r.grid = "1";
  EXPECT_EQ(run(), 0);
  EXPECT_NE(err.find("W0933"), std::string::npos) << err;
}

TEST_F(Run, CheckReportsWhatTheInterpreterFinds) {
  source("@grid(x = 2)\nkernel k(Y: tensor<f32>[9]) {\n  Y[ctx.block.x * 4 :+ 5] = 1.0\n}\n");
  r.check = true;
  expectFault(1, {"E1001", "k.pho:3:"});
  r.check = false;
  EXPECT_EQ(run(), 0) << err;
}

TEST_F(Run, StepLimit) {
  source("kernel k(Y: tensor<f32>[1]) {\n  var i = 0\n  while i < 10 { i = i * 1 }\n  Y[0] = 1.0\n}\n");
  r.maxSteps = 1000;
  expectFault(1, {"E1006", "1000"});
}

TEST_F(Run, Cancelled) {
  source("kernel k(Y: tensor<f32>[1]) {\n  var i = 0\n  while i < 10 { i = i * 1 }\n  Y[0] = 1.0\n}\n");
  std::atomic<bool> cancel = true;
  r.cancel = &cancel;
  expectFault(1, {"E1007"});
}

TEST_F(Run, JsonDiagnostics) {
  r.jsonDiagnostics = true;
  expectFault(1, {"\"code\":\"E0922\"", "\"severity\":\"error\""});
}

TEST_F(Run, WithoutTheStandardLibrary) {
  source("kernel k(Y: tensor<f32>[4]) { Y[:] = relu(Y[:]) }\n");
  r.args = {"Y=const(-1)"};
  EXPECT_EQ(run(), 0) << err;
  r.noStd = true;
  EXPECT_EQ(run(), 1);
}

TEST_F(Run, Usage) {
  r.args = {"X"};
  expectFault(2, {"E0920", "NAME=VALUE"});
  r.args = {"X=uniform(1)"};
  expectFault(2, {"E0920", "uniform(low, high)"});
  r.args = {"X=unifrm(1,2)"};
  expectFault(2, {"E0920", "no rule is called 'unifrm'", "uniform"});
  r.args = {"X=arange", "X=const(1)", "a=1", "n=1"};
  expectFault(2, {"E0937", "--arg", "'X=arange'", "'X=const(1)'"});
  r.args = {"XX=arange", "a=1", "n=1", "X=arange"};
  expectFault(1, {"E0921", "X, Y, a, n"});
  r.args = {"X=arange"};
  r.dims = {"M=2"};
  expectFault(1, {"E0922", "'a'", "f32", "--arg a=1"});
  r.args = {"X=arange", "a=1", "n=1"};
  expectFault(1, {"E0928", "'N'", "--dim N="});
  r.dims = {"Q=2"};
  expectFault(1, {"E0935", "'Q'", "M, N"});
  r.dims = {"M=2", "N=2 M=3"};
  expectFault(2, {"E0937", "--dim", "'M=2'", "'M=3'"});
  r.dims = {"M"};
  expectFault(2, {"E0927"});
  r.dims = {"M=2 N=2"};
  for (const char *grid : {"x", "1,", "1,2,3,4", "-1", "1;2"}) {
    r.grid = grid;
    expectFault(2, {"E0930"});
  }
  r.grid.clear();
  r.outputs = {"Q=q.npy"};
  expectFault(1, {"E0936", "X, Y"});
  r.outputs = {"Y"};
  expectFault(2, {"E0931"});
  r.outputs.clear();
  r.kernel = "other";
  expectFault(1, {"E0904"});
  r.kernel.clear();
  r.point = {"T"};
  expectFault(2, {"E0905"});
  r.point.clear();
  r.target = "abacus";
  expectFault(2, {"abacus", "interp"});
}

TEST_F(Run, ArgumentsThatDoNotFit) {
  giveScale();
  auto with = [&](const std::string &x) { r.args[0] = "X=" + x; };
  with(array("i.npy", ScalarType::I32, {2, 6}));
  expectFault(1, {"E0923", "'X'", "tensor<f32>[M, N]", "i32", "[2, 6]"});
  with(array("h.npy", ScalarType::F32, {6}));
  expectFault(1, {"E0924", "'X'", "tensor<f32>[M, N]", "[6]"});
  with("0.5");
  expectFault(1, {"E0925", "const(0.5)"});
  giveScale();
  r.args[2] = "n=0.5";
  expectFault(1, {"E0926", "'n'", "i32", "0.5"});
  giveScale();
  r.args.push_back("Y=" + array("y5.npy", ScalarType::F32, {2, 5}));
  expectFault(1, {"E0932", "'N'", "6", "5", "'X'", "'Y'"});
}

TEST_F(Run, RulesThatLeaveTheTypesRange) {
  source(
      "kernel k(X: tensor<i8>[N], Y: tensor<i8>[N]) { Y[ctx.block.x * 4 :+ 4] = X[ctx.block.x * 4 :+ 4] }\n");
  r.dims = {"N=200"};
  for (const char *rule :
       {"const(300)", "const(1.5)", "uniform(0,128)", "uniform(0.2,0.8)", "normal(0,100)", "arange"}) {
    r.args = {std::string("X=") + rule};
    expectFault(1, {"E0926", "'X'", "i8"});
  }
  for (const char *rule : {"const(-128)", "uniform(-128,127)", "normal"}) {
    r.args = {std::string("X=") + rule};
    EXPECT_EQ(run(), 0) << rule << err;
  }
}

TEST_F(Run, EmptyTensors) {
  r.args = {"X=arange", "a=0.5", "n=3"};
  r.outputs = {"Y=" + path("empty.npy")};
  r.dims = {"M=0", "N=6"};
  for (const char *target : {"interp", "cpu"}) {
    r.target = target;
    ASSERT_EQ(run(), 0) << err;
    EXPECT_EQ(result("empty.npy").extents(), (std::vector<int64_t>{0, 6}));
  }
  r.dims = {"M=0", "N=3000000000"};
  EXPECT_EQ(run(), 0) << err;
}

TEST_F(Run, AStoppedRunLeavesNothing) {
  source("kernel k(Y: tensor<f32>[1]) {\n  var i = 0\n  while i < 10 { i = i * 1 }\n  Y[0] = 1.0\n}\n");
  r.maxSteps = 1000;
  for (bool check : {false, true}) {
    r.check = check;
    expectFault(1, {"E1006"});
    EXPECT_EQ(out, "");
  }
  r.outputs = {"Y=" + path("none.npy")};
  expectFault(1, {"E1006"});
  EXPECT_FALSE(std::filesystem::exists(path("none.npy")));
}

TEST_F(Run, AFileThatIsNoArrayIsTheInputsFault) {
  giveScale();
  std::ofstream(path("bad.npy")) << "not an array";
  r.args[0] = "X=" + path("bad.npy");
  expectFault(1, {"E0938", "bad.npy"});
  r.args[0] = "X=" + path(".");
  expectFault(3, {"E0901", "it is a directory"});
  r.args[0] = "X=" + array("half.npy", ScalarType::I8, {2, 6});
  expectFault(1, {"E0923", "help", "float32"});
}

TEST_F(Run, TheEnvironment) {
  giveScale();
  r.args[0] = "X=" + path("missing.npy");
  expectFault(3, {"E0901", "missing.npy"});
  giveScale();
  r.outputs = {"Y=/nonexistent/y.npy"};
  expectFault(3, {"E0906"});
  giveScale();
  r.args[0] = "X=arange";
  r.dims = {"M=1000000000 N=1000000000"};
  expectFault(3, {"E0929", "'X'"});
  r.file = path("missing.pho");
  expectFault(3, {"E0901", "missing.pho"});
}

TEST_F(Run, ErrorsOfTheSourceAreItsFault) {
  source("kernel k(Y: tensor<f32>[4]) { Y[:] = z }\n");
  expectFault(1, {"E0301"});
  source("kernel k(Y: tensor<f32>[4]) { Y[:] = \n");
  EXPECT_EQ(run(), 1);
}

// Runs that would not end --------------------------------------------------

const char *const kForever = "@grid(host)\n"
                             "kernel forever(Y: tensor<f32>[N]) {\n"
                             "  if ctx.block.x == 0 { Y[0 :+ 8] = 1.0 }\n"
                             "}\n";

TEST_F(Run, GridsThatNobodyCountsAreRefused) {
  source(kForever);
  r.dims = {"N=8"};
  r.grid = "2147483647,2147483647,2147483647";
  for (const char *target : {"interp", "cpu"}) {
    r.target = target;
    EXPECT_EQ(run(), 1);
    EXPECT_NE(err.find("E0939"), std::string::npos) << err;
  }
}

TEST_F(Run, StoppedBetweenBlocksWritesNothing) {
  source(kForever);
  r.dims = {"N=8"};
  r.grid = "2147483647,400000000";
  r.outputs = {"Y=" + path("y.npy")};
  for (const char *target : {"interp", "cpu"}) {
    r.target = target;
    std::atomic<bool> cancel = false;
    r.cancel = &cancel;
    std::thread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      cancel = true;
    });
    EXPECT_EQ(run(), 1);
    user.join();
    EXPECT_NE(err.find("E1007"), std::string::npos) << err;
    EXPECT_NE(err.find("W0940"), std::string::npos) << err; // years, said at once
    EXPECT_FALSE(std::filesystem::exists(path("y.npy")));
  }
}

TEST(Progress, SaysWhatIsDoneAndLeft) {
  EXPECT_EQ(progressText(0, 100, 1), "0 of 100 blocks, 1 s");
  EXPECT_EQ(progressText(25, 100, 12), "25 of 100 blocks (25 %), 12 s, about 36 s left");
  EXPECT_EQ(durationText(119), "119 s");
  EXPECT_EQ(durationText(3600 * 3.5), "3.5 hours");
  EXPECT_EQ(durationText(86400 * 365 * 20.0), "20 years");
  EXPECT_EQ(durationText(86400 * 365 * 2e9), "2e+09 years");
  int64_t blocks = 0;
  EXPECT_TRUE(countBlocks({3, 4, 5}, blocks));
  EXPECT_EQ(blocks, 60);
  EXPECT_FALSE(countBlocks({INT64_MAX, 2, 1}, blocks));
}

/// What is on standard error after `seconds` of each of two things.
std::string toldOf(bool isTerminal, Waiting::Times after, double seconds) {
  testing::internal::CaptureStderr();
  {
    Waiting waiting("phobos-compile", isTerminal, after);
    for (const char *what : {"compiling 'k' for sm_90a", "ptxas assembles the code for sm_90a"}) {
      waiting.at(what);
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    }
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Waiting, SaysWhatLasts) {
  using std::chrono::milliseconds;
  const Waiting::Times soon{milliseconds(20), milliseconds(20)},
      late{milliseconds(60000), milliseconds(60000)};
  EXPECT_EQ(toldOf(true, late, 0.05), "");
  EXPECT_EQ(toldOf(false, late, 0.05), "");
  const std::string line = toldOf(true, soon, 0.3);
  EXPECT_NE(line.find("compiling 'k' for sm_90a, "), std::string::npos) << line;
  EXPECT_NE(line.find("\r\x1b[Kptxas assembles the code for sm_90a, "), std::string::npos) << line;
  EXPECT_TRUE(line.ends_with("\r\x1b[K")) << "the line goes again";
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const std::string log = toldOf(false, soon, 0.3);
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << "each once: " << log;
  EXPECT_EQ(log.find("phobos-compile: compiling 'k' for sm_90a, "), 0u) << log;
  EXPECT_NE(log.find(" so far\nphobos-compile: ptxas assembles"), std::string::npos) << log;
  EXPECT_EQ(log.find('\x1b'), std::string::npos);
}

} // namespace
