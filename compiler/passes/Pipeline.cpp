#include "compiler/passes/Pipeline.h"
#include "compiler/passes/FoldMasks.h"
#include "compiler/passes/HoistSlices.h"
#include "compiler/passes/PlaceConstants.h"
#include "compiler/passes/ProveInBounds.h"
#include "compiler/passes/RecogniseContractions.h"
#include "compiler/passes/VerifyLocations.h"
#include "compiler/passes/WidenAccumulators.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace phobos::passes {

static void clean(OpPassManager &pm) {
  // From the bottom up: the driver asks whether an operation is dead each time it meets it, which for a
  // branch means all that is in it; top down, a thousand early exits in a row would take minutes.
  GreedyRewriteConfig config;
  config.setUseTopDownTraversal(false);
  pm.addPass(createCanonicalizerPass(config));
  pm.addPass(createCSEPass());
}

static void verifyLocations([[maybe_unused]] OpPassManager &pm) {
#ifndef NDEBUG
  pm.addPass(createVerifyLocations());
#endif
}

void buildTilePipeline(OpPassManager &pm) {
  verifyLocations(pm);
  clean(pm);
  OpPassManager &kernel = pm.nest<func::FuncOp>();
  kernel.addPass(createWidenAccumulators());
  kernel.addPass(createHoistSlices());
  kernel.addPass(createFoldMasks());
  pm.addPass(createLoopInvariantCodeMotionPass());
  clean(pm);
  OpPassManager &facts = pm.nest<func::FuncOp>(); // nothing below this line changes what is computed
  facts.addPass(createPlaceConstants());
  facts.addPass(createProveInBounds());
  facts.addPass(createRecogniseContractions());
  verifyLocations(pm);
}

static void collectNames(OpPassManager &pm, std::vector<std::string> &names) {
  for (Pass &pass : pm.getPasses()) {
    std::string name = pass.getArgument().str();
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(name);
  }
}

std::vector<std::string> pipelinePassNames() {
  std::vector<std::string> names;
#define PASS(NAME, CREATE, SUMMARY) names.push_back(NAME);
#include "compiler/passes/Passes.def"
  OpPassManager pm;
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  collectNames(pm, names);
  return names;
}

bool runTilePipeline(ModuleOp module, const PrintOptions &print) {
  PassManager pm(module.getContext());
  if (print.afterAll || !print.after.empty()) {
    module.getContext()->disableMultithreading(); // printing asks for it
    pm.enableIRPrinting([](Pass *, Operation *) { return false; },
                        [&](Pass *pass, Operation *) {
                          return print.afterAll || llvm::is_contained(print.after, pass->getArgument().str());
                        },
                        /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  }
  buildTilePipeline(pm);
  return succeeded(pm.run(module));
}

void registerPasses() {
#define PASS(NAME, CREATE, SUMMARY) registerPass([] { return CREATE(); });
#include "compiler/passes/Passes.def"
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  PassPipelineRegistration<>("pho-tile-pipeline", "the default pipeline of the tile IR", buildTilePipeline);
}

} // namespace phobos::passes
