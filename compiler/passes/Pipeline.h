// The tile pipeline: what every target's IR goes through. The list of passes is Passes.def.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
class OpPassManager;
class PassManager;
} // namespace mlir

namespace phobos::passes {

/// The default order, on one screen.
void buildTilePipeline(mlir::OpPassManager &pm);

struct PrintOptions {
  std::vector<std::string> after; ///< names of passes
  bool afterAll = false;
};
/// The names that PrintOptions::after may hold, in the order of the pipeline.
std::vector<std::string> pipelinePassNames();

/// Runs it. False if a pass failed (reported through the context's diagnostic handler).
bool runTilePipeline(mlir::ModuleOp module, const PrintOptions &print = {});

/// So that phobos-opt knows them by name.
void registerPasses();

} // namespace phobos::passes
