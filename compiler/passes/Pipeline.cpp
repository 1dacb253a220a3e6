#include "compiler/passes/Pipeline.h"
#include "compiler/passes/VerifyLocations.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace phobos::passes {

void buildTilePipeline(OpPassManager &pm) {
#ifndef NDEBUG
  pm.addPass(createVerifyLocations());
#endif
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
#ifndef NDEBUG
  pm.addPass(createVerifyLocations());
#endif
}

bool runTilePipeline(ModuleOp module, const PrintOptions &print) {
  PassManager pm(module.getContext());
  if (print.afterAll || !print.after.empty()) {
    module.getContext()->disableMultithreading(); // printing asks for it
    pm.enableIRPrinting(
        [](Pass *, Operation *) { return false; },
        [&](Pass *pass, Operation *) { return print.afterAll || pass->getArgument() == print.after; },
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
