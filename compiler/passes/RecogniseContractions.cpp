#include "compiler/passes/RecogniseContractions.h"
#include "compiler/passes/Contraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace phobos::passes {
namespace {

DictionaryAttr describe(const ContractionOperand &operand, Builder b) {
  NamedAttrList list;
  auto number = [&](StringRef name, int64_t n) { list.set(name, b.getI64IntegerAttr(n)); };
  pho::LoadOp load = operand.load;
  if (auto arg = dyn_cast<BlockArgument>(load.getView()))
    number("param", arg.getArgNumber());
  number("k_axis", operand.kAxis);
  number("free_axis", operand.freeAxis);
  if (operand.converted)
    list.set("converted", b.getUnitAttr());
  if (operand.computed)
    list.set("computed", b.getUnitAttr());
  return list.getDictionary(b.getContext());
}

DictionaryAttr describe(const Contraction &c, Builder b) {
  NamedAttrList list;
  auto number = [&](StringRef name, int64_t n) { list.set(name, b.getI64IntegerAttr(n)); };
  number("m", c.m);
  number("n", c.n);
  number("k", c.k);
  number("advance", c.advance);
  number("acc", c.iterArg);
  list.set("a", describe(c.a, b));
  list.set("b", describe(c.b, b));
  if (c.pure)
    list.set("pure", b.getUnitAttr());
  return list.getDictionary(b.getContext());
}

struct RecogniseContractions : PassWrapper<RecogniseContractions, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RecogniseContractions)
  StringRef getArgument() const final { return "pho-recognise-contractions"; }
  StringRef getDescription() const final { return "marks the loops that are contractions"; }

  void runOnOperation() final {
    getOperation()->walk([](scf::ForOp loop) {
      loop->removeAttr("pho.contraction");
      if (auto c = contractionOf(loop))
        loop->setAttr("pho.contraction", describe(*c, Builder(loop.getContext())));
    });
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createRecogniseContractions() { return std::make_unique<RecogniseContractions>(); }

} // namespace phobos::passes
