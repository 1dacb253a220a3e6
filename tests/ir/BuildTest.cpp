// Every conformance case builds, verifies, goes through the pipeline and verifies again, each operation with
// a place in the source.
#include "compiler/ir/Build.h"
#include "compiler/passes/Pipeline.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "tests/ir/Kernels.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace phobos;
namespace fs = std::filesystem;

namespace {

std::string buildAndRun(irtest::Kernels kernels, const Point &point) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) { messages += d.str() + "\n"; });
  for (const auto &k : kernels.file().kernels) {
    auto typed = kernels.check(*k, point);
    if (!typed)
      break;
    auto module = ir::build(*typed, context, kernels.sources());
    if (mlir::failed(mlir::verify(*module)))
      return "built IR is wrong: " + messages;
    if (!passes::runTilePipeline(*module))
      return "pipeline failed: " + messages;
  }
  return kernels.errors();
}

std::vector<fs::path> cases() {
  std::vector<fs::path> list;
  for (const auto &entry : fs::directory_iterator(PHOBOS_SOURCE_DIR "/tests/conformance/run"))
    if (fs::exists(entry.path() / "case.json"))
      list.push_back(entry.path());
  std::sort(list.begin(), list.end());
  return list;
}

class Conformance : public ::testing::TestWithParam<fs::path> {};

TEST_P(Conformance, BuildsAndPasses) {
  std::ifstream in(GetParam() / "case.json");
  auto json = nlohmann::json::parse(in);
  Point point;
  const auto values = json.value("point", nlohmann::json::object()); // outlives its items()
  for (const auto &[name, value] : values.items())
    point.set(name, value.get<int64_t>());
  EXPECT_EQ(buildAndRun(irtest::Kernels((GetParam() / "kernel.pho").string()), point), "");
}

INSTANTIATE_TEST_SUITE_P(Run, Conformance, ::testing::ValuesIn(cases()),
                         [](const auto &i) { return i.param.filename().string(); });

std::string buildText(const std::string &text) { return buildAndRun(irtest::Kernels("k.pho", text), {}); }

TEST(Build, AThousandEarlyExitsInARowDoNotNest) {
  std::string body = "  var a = X[p]\n", loop;
  for (int i = 0; i < 1000; ++i) {
    std::string n = std::to_string(i);
    body += "  if a == " + n + " { return }\n  let b" + n + " = a * 3\n  a = b" + n + " + 1\n";
    loop += "    if a == " + n + " { " + (i % 2 ? "break" : "continue") + " }\n    a = a * 5 + " + n + "\n";
  }
  EXPECT_EQ(buildText("kernel k(X: tensor<i32>[N]) {\n  let p = ctx.block.x\n" + body + "  X[p] = a\n}\n"),
            "");
  EXPECT_EQ(
      buildText(
          "kernel k(X: tensor<i32>[N]) {\n  let p = ctx.block.x\n  var a = X[p]\n  for i in range(0, 9) {\n" +
          loop + "  }\n  X[p] = a\n}\n"),
      "");
}

TEST(Build, DeepNesting) {
  std::string text = "kernel k(X: tensor<i32>[N]) {\n  let p = ctx.block.x\n  var a = X[p]\n";
  for (int i = 0; i < 100; ++i)
    text += i % 2 ? "if a > " + std::to_string(i) + " {\n"
                  : "for i" + std::to_string(i) + " in range(0, 2) {\n a = a + 1\n";
  text += "if a > 1000 { return }\n";
  for (int i = 0; i < 100; ++i)
    text += "a = a * 3\n}\n";
  EXPECT_EQ(buildText(text + "  X[p] = a\n}\n"), "");
}

TEST(Build, LongExpressions) {
  std::string sum = "X[p]";
  for (int i = 0; i < 3000; ++i)
    sum += " + X[p + " + std::to_string(i) + "]";
  std::string message = buildText(
      "kernel k(X: tensor<i32>[N], Y: tensor<i32>[N]) {\n  let p = ctx.block.x\n  Y[p] = " + sum + "\n}\n");
  EXPECT_TRUE(message.empty() || message.find("error[E") != std::string::npos)
      << message; // a limit of the front end is an answer too
}

} // namespace
