#include "compiler/target/common/ShortPipeline.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace phobos::common {

namespace {

constexpr const char *kMark = "phobos.short";

/// Selecting instructions for a block takes time that grows with its square.
constexpr unsigned kLargestBlock = 400;

/// Cuts blocks that are longer; what crosses a cut goes through the stack.
void splitBlocks(Function &f) {
  for (BasicBlock &block : make_early_inc_range(f)) {
    BasicBlock *rest = &block;
    unsigned count = 0;
    for (Instruction *i = &*rest->getFirstNonPHIOrDbg(), *next = nullptr; i && !i->isTerminator(); i = next) {
      next = i->getNextNode();
      if (++count % kLargestBlock == 0 && !isa<AllocaInst>(i))
        rest = rest->splitBasicBlock(i);
    }
  }
}

/// Loops are counted by the branches back to a block that dominates them.
unsigned loopsOf(Function &f) {
  DominatorTree tree(f);
  unsigned loops = 0;
  for (BasicBlock &block : f)
    for (BasicBlock *next : successors(&block))
      loops += tree.dominates(next, &block);
  return loops;
}

} // namespace

bool isTooLargeToOptimize(const Module &module, const LargestOptimized &largest) {
  size_t loops = 0, blocks = 0, instructions = 0;
  for (const Function &f : module) {
    if (f.isDeclaration())
      continue;
    blocks += f.size();
    instructions += f.getInstructionCount();
    loops += loopsOf(const_cast<Function &>(f));
  }
  return loops > largest.loops || blocks > largest.blocks || instructions > largest.instructions;
}

void runShortPipeline(Module &module, ModuleAnalysisManager &analyses) {
  SimplifyCFGOptions shape;
  shape.needCanonicalLoops(true);
  FunctionPassManager function;
  function.addPass(SROAPass(SROAOptions::ModifyCFG));
  function.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  function.addPass(SimplifyCFGPass(shape));
  function.addPass(InstSimplifyPass()); // InstCombine asks every condition about every value that it compares
  function.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  function.addPass(SimplifyCFGPass(shape));
  function.addPass(ADCEPass());
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(function)));
  passes.run(module, analyses);
  for (Function &f : module)
    splitBlocks(f);
  module.getOrInsertNamedMetadata(kMark);
}

CodeGenOptLevel codeGenLevel(const Module &module, CodeGenOptLevel usual) {
  return module.getNamedMetadata(kMark) ? CodeGenOptLevel::None : usual;
}

} // namespace phobos::common
