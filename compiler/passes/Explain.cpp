#include "compiler/passes/Explain.h"
#include "compiler/ir/Types.h"
#include "compiler/passes/Contraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace phobos::passes {

//===-- places --===//

Place placeOf(Location loc) {
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return placeOf(call.getCallee());
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return {file.getFilename().str(), file.getLine(), file.getColumn()};
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (Place p = placeOf(part); p.isValid())
        return p;
  if (auto named = dyn_cast<NameLoc>(loc))
    return placeOf(named.getChildLoc());
  return {};
}

Place callOf(Location loc) {
  Place outermost;
  while (auto call = dyn_cast<CallSiteLoc>(loc)) {
    loc = call.getCaller();
    outermost = placeOf(loc);
  }
  return outermost;
}

phobos::SourceRange rangeOf(const Place &place, const SourceManager &sources) {
  for (uint32_t i = 0; place.isValid() && i < sources.size(); ++i)
    if (sources.file(i).name() == place.file) {
      uint32_t at = sources.file(i).offset({place.line, place.column});
      return {at, at, i};
    }
  return {};
}

//===-- products and loops --===//

namespace {

std::string elementName(mlir::Type t, bool isUnsigned) {
  return std::string(name(ir::scalarTypeOf(getElementTypeOrSelf(t), isUnsigned)));
}

std::string shapeText(mlir::Type t) {
  std::string text;
  for (int64_t n : cast<RankedTensorType>(t).getShape())
    text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

std::string lineText(Location loc) { return "line " + std::to_string(placeOf(loc).line); }

std::string operandText(const ContractionOperand &operand) {
  std::string text = "a tensor";
  pho::LoadOp load = operand.load;
  if (auto arg = dyn_cast<BlockArgument>(load.getView()))
    if (auto function = dyn_cast<func::FuncOp>(arg.getOwner()->getParentOp()))
      if (auto name = function.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "pho.name"))
        text = name.str();
  text += " along its axis " + std::to_string(operand.kAxis);
  if (operand.computed)
    text += ", computed on before it is multiplied";
  else if (operand.converted)
    text += ", converted";
  return text;
}

void addCall(Location loc, std::vector<std::string> &details) {
  if (Place call = callOf(loc); call.isValid())
    details.push_back("inlined at " + call.file + ":" + std::to_string(call.line) + ":" +
                      std::to_string(call.column));
}

Explanation explainDot(pho::DotOp dot) {
  Explanation e{Explanation::Kind::Dot, placeOf(dot.getLoc()), {}, {}};
  mlir::Type a = dot.getA().getType(), b = dot.getB().getType();
  e.what = "dot of " + shapeText(a) + (dot.getTransA() ? " (transposed)" : "") + " and " + shapeText(b) +
           (dot.getTransB() ? " (transposed)" : "") + ", " + elementName(a, dot.getIsUnsigned()) + " into " +
           elementName(dot.getType(), false);
  ContractionMatch match = matchContraction(dot);
  if (match.found) {
    const Contraction &c = *match.found;
    e.details.push_back("a contraction over the loop of " + lineText(c.dot->getParentOp()->getLoc()) +
                        ": block tile " + std::to_string(c.m) + "x" + std::to_string(c.n) + ", " +
                        std::to_string(c.k) + " of k in a step that moves " + std::to_string(c.advance));
    e.details.push_back("reads " + operandText(c.a) + ", and " + operandText(c.b));
    if (!c.pure)
      e.details.push_back("its loop does other work too");
  } else {
    e.details.push_back("not a contraction loop: " + match.whyNot);
  }
  if (auto path = dot->getAttrOfType<StringAttr>("pho.path"))
    e.details.push_back("path: " + path.str());
  if (auto reason = dot->getAttrOfType<StringAttr>("pho.path_reason"))
    e.details.push_back(reason.str());
  if (auto parts = dot->getAttrOfType<StringAttr>("pho.parts"))
    e.details.push_back(parts.str());
  addCall(dot.getLoc(), e.details);
  return e;
}

Explanation explainLoop(Operation *op) {
  Explanation e{Explanation::Kind::Loop, placeOf(op->getLoc()), "loop", {}};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    APInt step;
    e.what = matchPattern(loop.getStep(), m_ConstantInt(&step))
                 ? "for, in steps of " + std::to_string(step.getSExtValue())
                 : "for, in steps known at run time";
    unsigned products = static_cast<unsigned>(llvm::range_size(loop.getBody()->getOps<pho::DotOp>()));
    auto c = contractionOf(loop);
    if (c)
      e.details.push_back(c->pure ? "a contraction, and nothing else"
                                  : "holds a contraction, and other work");
    else if (products)
      e.details.push_back("holds " + std::to_string(products) + (products == 1 ? " dot" : " dots") +
                          ", not a contraction (see there)");
  } else {
    e.what = "while, or a for that may be left early";
    if (op->walk([](pho::DotOp) { return WalkResult::interrupt(); }).wasInterrupted())
      e.details.push_back(
          "its dots are computed one step after the other: a loop that may end at any step is not pipelined");
  }
  if (auto unroll = op->getAttrOfType<IntegerAttr>("pho.unroll"))
    e.details.push_back("unrolled by " + std::to_string(unroll.getInt()) + ", the remainder after it");
  unsigned masked = 0, inside = 0;
  op->walk([&](Operation *inner) {
    ArrayRef<bool> inBounds;
    if (auto load = dyn_cast<pho::LoadOp>(inner))
      inBounds = load.getInBounds();
    else if (auto store = dyn_cast<pho::StoreOp>(inner))
      inBounds = store.getInBounds();
    else
      return;
    llvm::is_contained(inBounds, false) ? ++masked : ++inside;
  });
  if (masked + inside)
    e.details.push_back(std::to_string(inside) + " of " + std::to_string(masked + inside) +
                        " tensor accesses are proved to stay inside; the others are checked at the edge");
  addCall(op->getLoc(), e.details);
  return e;
}

} // namespace

std::vector<Explanation> explain(ModuleOp module) {
  std::vector<Explanation> list;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto dot = dyn_cast<pho::DotOp>(op))
      list.push_back(explainDot(dot));
    else if (isa<scf::ForOp, scf::WhileOp>(op))
      list.push_back(explainLoop(op));
  });
  return list;
}

std::string renderText(const std::vector<Explanation> &explanations) {
  std::string text;
  for (const Explanation &e : explanations) {
    text += e.place.file + ":" + std::to_string(e.place.line) + ":" + std::to_string(e.place.column) + ": " +
            e.what + "\n";
    for (const std::string &detail : e.details)
      text += "    " + detail + "\n";
  }
  return text;
}

//===-- the GEMM names --===//

bool checkGemmNames(ModuleOp module, const SourceManager &sources, Diagnostics &diags) {
  bool ok = true;
  module->walk([&](func::FuncOp function) {
    auto point = function->getAttrOfType<DictionaryAttr>("pho.point");
    SmallVector<Contraction> contractions;
    function->walk([&](scf::ForOp loop) {
      if (auto c = contractionOf(loop))
        contractions.push_back(*c);
    });
    if (!point || contractions.empty())
      return;
    struct Named {
      const char *name, *what;
      int64_t Contraction::*size;
    };
    for (const Named &n : {Named{"TILE_M", "the accumulator's first extent", &Contraction::m},
                           Named{"TILE_N", "the accumulator's second extent", &Contraction::n},
                           Named{"TILE_K", "the k step", &Contraction::k}}) {
      auto given = point.getAs<IntegerAttr>(n.name);
      if (!given ||
          llvm::any_of(contractions, [&](const Contraction &c) { return c.*n.size == given.getInt(); }))
        continue;
      Contraction &c = contractions.front();
      diags.report(diag::TileNameDisagrees, rangeOf(placeOf(c.dot.getLoc()), sources), n.name, given.getInt(),
                   n.what, c.*n.size);
      ok = false;
    }
  });
  return ok;
}

} // namespace phobos::passes
