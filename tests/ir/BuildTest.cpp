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

std::string buildAndRun(const fs::path &file, const Point &point) {
  irtest::Kernels kernels(file.string());
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
  for (const auto &[name, value] : json.value("point", nlohmann::json::object()).items())
    point.set(name, value.get<int64_t>());
  EXPECT_EQ(buildAndRun(GetParam() / "kernel.pho", point), "");
}

INSTANTIATE_TEST_SUITE_P(Run, Conformance, ::testing::ValuesIn(cases()),
                         [](const auto &i) { return i.param.filename().string(); });

} // namespace
