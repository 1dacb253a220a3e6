#include "compiler/ir/Build.h"
#include "compiler/ir/KernelBuilder.h"
#include "compiler/ir/Types.h"
#include <numeric>

using namespace mlir;

namespace phobos::ir {

void loadDialects(MLIRContext &context) {
  context.loadDialect<pho::PhoDialect, arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
}

OwningOpRef<ModuleOp> build(const sema::TypedKernel &kernel, MLIRContext &context,
                            const SourceManager &sources) {
  return KernelBuilder(kernel, context, sources).build();
}

KernelBuilder::KernelBuilder(const sema::TypedKernel &kernel, MLIRContext &context,
                             const SourceManager &sources)
    : kernel_(kernel), context_(context), sources_(sources), b_(&context), slots_(kernel.vars.size()),
      here_(UnknownLoc::get(&context)) {}

Location KernelBuilder::location(SourceRange range) {
  if (!range.isValid() || range.file >= sources_.size())
    return here_;
  const SourceFile &file = sources_.file(range.file);
  LineColumn at = file.lineColumn(range.begin);
  Location place = FileLineColLoc::get(&context_, file.name(), at.line, at.column);
  return callSite_ ? Location(CallSiteLoc::get(place, *callSite_)) : place;
}

void KernelBuilder::setAttributes(func::FuncOp function) {
  auto flagIf = [&](bool is, const char *name) {
    if (is)
      function->setAttr(name, b_.getUnitAttr());
  };
  auto numberIf = [&](std::optional<int64_t> n, const char *name) {
    if (n)
      function->setAttr(name, b_.getI64IntegerAttr(*n));
  };
  flagIf(true, "pho.kernel");
  flagIf(kernel_.usesThreads, "pho.per_thread");
  flagIf(kernel_.pipelined, "pho.pipelined");
  flagIf(kernel_.persistent, "pho.persistent");
  numberIf(kernel_.usesThreads ? kernel_.threadCount() : kernel_.threads, "pho.threads");
  numberIf(kernel_.minBlocks, "pho.min_blocks");
  numberIf(kernel_.maxRegisters, "pho.max_registers");
  numberIf(kernel_.stages, "pho.stages");
  if (kernel_.tensorcore)
    function->setAttr(
        "pho.tensorcore",
        b_.getStringAttr(*kernel_.tensorcore == ScalarType::F32 ? "tf32" : name(*kernel_.tensorcore)));
  SmallVector<NamedAttribute> point;
  for (const auto &[name, n] : kernel_.point.entries())
    point.push_back(b_.getNamedAttr(name, b_.getI64IntegerAttr(n)));
  function->setAttr("pho.point", b_.getDictionaryAttr(point));
}

func::FuncOp KernelBuilder::createFunction() {
  SmallVector<mlir::Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Location> places;
  auto add = [&](mlir::Type type, StringRef name, Location loc) -> NamedAttrList {
    types.push_back(type);
    places.push_back(loc);
    NamedAttrList list;
    list.set("pho.name", b_.getStringAttr(name));
    return list;
  };
  for (const sema::Param &p : kernel_.params) {
    mlir::Type type = elementType(&context_, p.elem);
    if (p.isTensor)
      type = pho::ViewType::get(&context_, static_cast<int64_t>(p.extents.size()), type);
    NamedAttrList list = add(type, p.name, location(p.range));
    if (isUnsigned(p.elem))
      list.set("pho.unsigned", b_.getUnitAttr());
    if (p.isTensor && p.isWritten)
      list.set("pho.written", b_.getUnitAttr());
    attributes.push_back(list.getDictionary(&context_));
  }
  for (auto [d, name] : llvm::enumerate(kernel_.dims)) {
    NamedAttrList list = add(b_.getIndexType(), name, here_);
    list.set("pho.dim", b_.getUnitAttr());
    int64_t multiple = 1;
    for (const sema::Aligned &a : kernel_.aligned)
      if (a.dim == d && a.multiple > 0 && multiple <= (int64_t(1) << 31) && a.multiple <= (int64_t(1) << 31))
        multiple = std::lcm(multiple, a.multiple);
    if (multiple > 1)
      list.set("pho.multiple", b_.getI64IntegerAttr(multiple));
    attributes.push_back(list.getDictionary(&context_));
  }

  auto function = func::FuncOp::create(b_, here_, kernel_.name, b_.getFunctionType(types, {}));
  setAttributes(function);
  function.setAllArgAttrs(attributes);
  Block *entry = b_.createBlock(&function.getBody(), {}, types, places);
  size_t params = kernel_.params.size();
  arguments_.append(entry->args_begin(), entry->args_begin() + params);
  dims_.append(entry->args_begin() + params, entry->args_end());
  return function;
}

OwningOpRef<ModuleOp> KernelBuilder::build() {
  here_ = location(kernel_.range);
  OwningOpRef<ModuleOp> module = ModuleOp::create(here_);
  b_.setInsertionPointToEnd(module->getBody());
  createFunction();
  frames_.push_back({newSlot(), std::nullopt});
  set(frames_.back().returned, flag(here_, false));
  statements(kernel_.body.statements);
  func::ReturnOp::create(b_, here_);
  return module;
}

} // namespace phobos::ir
