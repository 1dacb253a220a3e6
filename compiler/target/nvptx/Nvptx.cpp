#include "compiler/target/nvptx/Nvptx.h"
#include "compiler/legality/IllegalPoint.h"
#include "compiler/legality/Legality.h"
#include "compiler/target/common/Quiet.h"
#include "compiler/target/nvptx/BlockOrder.h"
#include "compiler/target/nvptx/DotPlan.h"
#include "compiler/target/nvptx/Emitter.h"
#include "compiler/target/nvptx/PtxVersion.h"
#include "compiler/target/nvptx/Roles.h"
#include "compiler/target/nvptx/SplitContraction.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace phobos::nvptx {

// Those of the back end, from Turing on; `a` (an architecture's own features) begins with sm_90.
static constexpr unsigned processors[] = {75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

bool parseProcessor(const std::string &text, Options &options) {
  if (text.rfind("sm_", 0) != 0)
    return false;
  std::string digits = text.substr(3);
  bool specific = !digits.empty() && digits.back() == 'a';
  if (specific)
    digits.pop_back();
  if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
    return false;
  unsigned sm = static_cast<unsigned>(std::stoul(digits));
  if (!llvm::is_contained(processors, sm) || (specific && sm < 90))
    return false;
  options.sm = sm;
  options.archSpecific = specific;
  return true;
}

std::string processorName(const Options &o) {
  return "sm_" + std::to_string(o.sm) + (o.archSpecific ? "a" : "");
}

// Opt-in limits of CUDA's table of compute capabilities, less the 1 KB that the system keeps.
int64_t sharedLimitOf(const Options &o) {
  if (o.sharedLimit)
    return o.sharedLimit;
  switch (o.sm) {
  case 75:
    return 64 * 1024;
  case 80:
  case 87:
    return 163 * 1024;
  case 90:
  case 100:
  case 103:
    return 227 * 1024;
  default:
    return 99 * 1024;
  }
}

namespace {
Error failure(const std::string &what) {
  return createStringError(inconvertibleErrorCode(), "%s", what.c_str());
}

struct Variant {
  const char *suffix;
  bool aligned, nativeGrid;
};
// The fast one, and the one that assumes nothing.
constexpr Variant variants[] = {{"", true, true}, {"_any", false, false}};

mlir::func::FuncOp kernelOf(mlir::ModuleOp module) {
  for (auto func : module.getOps<mlir::func::FuncOp>())
    if (func->hasAttr("pho.kernel"))
      return func;
  return {};
}

/// What the kernel asks for by an attribute and this target does not give: said, never passed over.
std::string unkeptPromise(mlir::func::FuncOp func, const Options &options, const Variant &variant) {
  std::string why;
  bool hasRing = false;
  func.walk([&](mlir::Operation *op) {
    hasRing |= op->hasAttr("phog.ring");
    auto dot = mlir::dyn_cast<phog::DotOp>(op);
    auto buffer = dot ? mlir::dyn_cast<phog::BufferType>(dot.getB().getType()) : phog::BufferType();
    if (!buffer || dot.getPath() != "simt" || !buffer.getElementType().isF32() ||
        !func->hasAttr("pho.tensorcore"))
      return;
    why = options.sm < 80 && func->getAttrOfType<mlir::StringAttr>("pho.tensorcore").getValue() != "f16"
              ? "@tensorcore: tensor cores that take f32 operands rounded to bf16 or tf32 begin with sm_80, "
                "the "
                "target is " +
                    processorName(options) + "; f16 works there"
              : "@tensorcore: a product over " + std::to_string(dot.getK()) +
                    " elements does not fill the tensor cores' steps of 8 (tf32) or 16 (f16, bf16)";
  });
  auto stages = func->getAttrOfType<mlir::IntegerAttr>("pho.stages");
  if (why.empty() && variant.aligned && func->hasAttr("pho.pipelined") && !hasRing)
    why =
        options.sm < 80
            ? "@pipeline: " + processorName(options) + " has no asynchronous copies; they begin with sm_80"
        : stages && stages.getInt() == 1
            ? std::string("@pipeline(1): beside the one stage that is multiplied there is none to load ahead "
                          "into; from 2 stages on there is, @pipeline alone lets the compiler choose, and "
                          "without it STAGES=1 loads each step when it is due")
            : std::string("@pipeline: no loop loads a product's operand in rows that start at multiples of "
                          "16 bytes, so nothing can run ahead");
  return why;
}

/// Of a thread's registers, those left for addresses and temporaries where loads run ahead: some more than
/// `tile-registers` leaves, so that prefetching never makes a kernel spill.
constexpr int64_t kBesideTiles = 64;
/// As much as `tile-registers` leaves.
constexpr int64_t kBesideTilesLeast = 43;
/// Beside other roles: an epilogue with 208 for its tiles spills.
constexpr int64_t kBesideRoles = 52;
/// In the entry that assumes nothing: a condition and a longer address for each element that is read.
constexpr int64_t kBesideOneByOne = 80;

/// Of a block, those of every role.
int64_t threadsOf(mlir::func::FuncOp func) {
  auto helpers = func->getAttrOfType<mlir::IntegerAttr>("phog.helpers");
  return func->getAttrOfType<mlir::IntegerAttr>("phog.threads").getInt() + (helpers ? helpers.getInt() : 0);
}

/// A copy of the kernel's module after the target passes.
struct Lowered {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Target target;
  std::vector<DotPlan> plans; ///< of its products, in their order
  int64_t sharedBytes = 0;    ///< a block
  int64_t registers = 0;      ///< of a thread for its tiles
  int64_t withLoads = 0;      ///< and for loads beside them
  int64_t wished = 0;         ///< the same where elements are read one by one
  int64_t limit = 255;        ///< what a thread may have
};

Target targetOf(const Options &options, const Variant &variant, int64_t threads, bool roles) {
  return {options.sm,
          threads / 32,
          sharedLimitOf(options),
          variant.aligned,
          options.ptxVersion ? options.ptxVersion : usualPtxVersion(options),
          options.archSpecific,
          roles};
}

/// Bytes of the parameters as the emitter lays them out: an address and strides a tensor, the grid, a
/// workspace.
int64_t parameterBytes(mlir::func::FuncOp func) {
  int64_t bytes = 3 * 4 + (partsOf(func) > 1 ? 8 : 0);
  for (mlir::Type type : func.getArgumentTypes()) {
    auto view = mlir::dyn_cast<pho::ViewType>(type);
    bytes += view ? 8 * view.getRank() : 8; // a smaller scalar takes as much before an address
  }
  return bytes;
}

/// What PTX takes as a name: it has no `_` alone, and one name of its own.
std::string entryName(StringRef kernel) {
  return kernel == "_" || kernel == "WARP_SZ" ? "kernel_" + kernel.str() : kernel.str();
}

/// The target passes on the kernel of `lowered`, whose other members they find. `mayGrow`: it is for the
/// caller to see whether loads fit beside the tiles, and to try more threads if not.
Error runPasses(mlir::func::FuncOp func, const Options &options, const Variant &variant, bool mayGrow,
                Lowered &lowered) {
  Target &target = lowered.target;
  const int64_t threads = target.warps * 32;
  func->setAttr("phog.threads",
                mlir::IntegerAttr::get(mlir::IntegerType::get(func.getContext(), 64), threads));
  legality::Verdict names;
  func->walk([&](pho::DotOp dot) {
    if (names.isLegal())
      names = judgeNames(dot, target);
  });
  if (names.isLegal())
    names = orderBlocks(func);
  if (names.isLegal())
    names = splitContraction(func);
  if (!names.isLegal())
    return make_error<legality::IllegalPoint>(std::string(names.broken->name), names.reason);
  const Plans plans = planDots(func, target);
  func->walk([&](pho::DotOp dot) { lowered.plans.push_back(plans.dots.at(dot)); });
  assignLayouts(func, plans, target);
  lowerDots(func, plans, target);
  const int64_t unrolled = unrolledSize(func, target);
  assignRoles(func, plans, target);
  pipelineCopies(func, target);
  prefetchLoads(func, std::min<int64_t>(255, 65536 / threads) - kBesideTiles, target);
  if (std::string why = unkeptPromise(func, options, variant); !why.empty())
    return failure(why);
  lowered.sharedBytes = allocateShared(func);
  lowered.registers = tileRegisters(func);
  lowered.withLoads = std::max(lowered.registers, registersWithLoads(func, target));
  lowered.wished = std::max(lowered.withLoads, registersWithLoads(func, target, true));
  Point facts, completed;
  facts.set("THREADS", threads);
  facts.set("UNROLLED", unrolled);
  facts.set("PARAMETER_BYTES", parameterBytes(func));
  facts.set("PARAMETER_LIMIT", target.ptx >= 81 ? 32764 : 4352);
  facts.set("SHARED_BYTES", lowered.sharedBytes);
  facts.set("SHARED_LIMIT", target.sharedLimit);
  facts.set("TILE_REGISTERS", mayGrow ? lowered.registers : lowered.withLoads);
  int64_t minBlocks = 1;
  if (auto n = func->getAttrOfType<mlir::IntegerAttr>("pho.min_blocks"))
    facts.set("MIN_BLOCKS", minBlocks = n.getInt());
  int64_t most = workerRegisters(func, target.warps);
  if (auto n = func->getAttrOfType<mlir::IntegerAttr>("pho.max_registers"))
    most = std::min(most, n.getInt());
  facts.set("MAX_REGISTERS", most);
  lowered.limit = std::min(most, 65536 / (threads * minBlocks));
  if (auto v = legality::Judge(legality::Path::Gpu).complete(facts, {}, completed); !v.isLegal())
    return make_error<legality::IllegalPoint>(std::string(v.broken->name), v.reason);
  // Narrow elements share registers where they would be too many, each in its own.
  target.packsLoads =
      tileRegisters(func, true) + kBesideTilesLeast > std::min<int64_t>(most, 65536 / threads);
  insertBarriers(func);
  return Error::success();
}

Expected<Lowered> lower(mlir::ModuleOp tileModule, const Options &options, const Variant &variant,
                        int64_t threads, bool roles, bool mayGrow) {
  Lowered result;
  result.module = tileModule.clone();
  result.target = targetOf(options, variant, threads, roles);
  if (Error broken = runPasses(kernelOf(*result.module), options, variant, mayGrow, result))
    return std::move(broken);
  return result;
}

/// Where tiles do not fit, first other roles are given up, then more threads are tried if their number is
/// ours to choose and a thread would need more registers than it has; or nearly as many, for the entry that
/// assumes nothing, with its longer addresses and its conditions, in rounds, and beside other roles.
Expected<Lowered> lower(mlir::ModuleOp tileModule, const Options &options, const Variant &variant) {
  mlir::func::FuncOp source = kernelOf(tileModule);
  const bool isOurs = !source->hasAttr("pho.threads") && !source->hasAttr("pho.per_thread");
  bool roles = options.sm == 90 && options.archSpecific && variant.aligned;
  std::optional<Lowered> tight;
  for (int64_t threads = chooseThreads(source, options.sm);;) {
    const bool mayGrow = isOurs && threads < 256;
    auto result = lower(tileModule, options, variant, threads, roles, mayGrow);
    if (result) {
      const bool hasRoles = kernelOf(*result->module)->hasAttr("phog.helpers");
      const bool hasRounds = source->hasAttr("pho.persistent");
      const int64_t wished = hasRoles           ? result->registers + kBesideRoles
                             : !variant.aligned ? result->wished + kBesideOneByOne
                             : hasRounds        ? result->registers + kBesideTiles
                                                : result->registers;
      if (!mayGrow || (wished <= 255 && result->withLoads + kBesideTilesLeast <= result->limit))
        return result;
      tight = std::move(*result);
      threads *= 2;
      continue;
    }
    if (tight && tight->withLoads + kBesideTilesLeast <= tight->limit) {
      consumeError(result.takeError());
      return std::move(*tight);
    }
    bool again = false;
    Error left = handleErrors(result.takeError(), [&](std::unique_ptr<legality::IllegalPoint> why) -> Error {
      again = roles || (mayGrow && why->rule == "tile-registers");
      return again ? Error::success() : Error(std::move(why));
    });
    if (!again)
      return std::move(left);
    consumeError(std::move(left));
    threads *= roles ? 1 : 2;
    roles = false;
  }
}

/// Whether ptxas is told that one block at a time will do. Left to itself it spills some bytes where a
/// further block then fits, for which there may be no shared memory: it does not know of what the launch
/// takes; in the entry that assumes nothing it counts a product's conditions and addresses short, and in both
/// the sums of single instructions that are still to be added.
bool mayAskForOneBlock(mlir::func::FuncOp func, const Target &target, int64_t sharedBytes) {
  bool hasProduct = false, hasOwnSums = false;
  func.walk([&](phog::DotOp dot) { hasProduct = true, hasOwnSums |= dot->hasAttr(kOwnSums); });
  if (func->hasAttr("pho.min_blocks") || !hasProduct)
    return false;
  return hasOwnSums ||
         (target.passesRegisters() && (!target.aligned || 2 * sharedBytes > target.sharedLimit));
}

/// The registers that ptxas is told to do with; 0: it is not told. Left to itself it takes some less for one
/// more block at once, and for tiles of odd sizes then spills a few bytes; told that it may have all, it
/// takes what it needs. Of functions of a whole tile (gelu) it computes so many elements at once that it
/// takes all 255 and is a few short: where tiles leave much room it is told to leave some. Contractions in
/// tiles of powers of two are not told: none of them was found to spill, and the further blocks are worth
/// more.
int64_t registersToTell(mlir::func::FuncOp func, const Lowered &lowered) {
  if (func->hasAttr("pho.min_blocks") || func->hasAttr("pho.max_registers") || func->hasAttr("phog.helpers"))
    return 0;
  const bool hasRounds = func->hasAttr("pho.persistent");
  bool isOdd = false;
  func.walk([&](phog::DotOp dot) {
    if (!dot->getParentOp()->hasAttr("pho.contraction"))
      return;
    isOdd |= !llvm::isPowerOf2_64(dot.getK());
    for (int64_t size : shapeOf(dot.getType()))
      isOdd |= !llvm::isPowerOf2_64(static_cast<uint64_t>(size));
  });
  if (!isOdd)
    return 0;
  const bool hasFunctions = func.walk([](pho::MathOp math) {
                                  return mlir::isa<mlir::RankedTensorType>(math.getType())
                                             ? mlir::WalkResult::interrupt()
                                             : mlir::WalkResult::advance();
                                })
                                .wasInterrupted();
  const int64_t much = lowered.withLoads < 128 ? 232 : 240;
  const int64_t beside = lowered.target.aligned ? 60 : kBesideOneByOne;
  if (hasFunctions && !hasRounds && lowered.withLoads + beside <= much)
    return std::min(lowered.limit, much);
  constexpr int64_t kMany = 144; // which leave room for one block only, told or not
  return lowered.withLoads < kMany ? std::min<int64_t>(lowered.limit, 255) : 0;
}

/// A sentence of `--explain`.
std::string partsText(const DotPlan &plan, mlir::Type elem, int64_t parts, int64_t threads) {
  const int64_t bytes = parts * partBytes(plan.accumulator, elem, threads);
  std::string s;
  raw_string_ostream(s) << "k in " << parts << " parts (SPLIT_K): " << parts
                        << " blocks share each tile of the result, the last to finish adds up what all have "
                           "left; workspace: "
                        << format("%.3f MB times the blocks of the grid", static_cast<double>(bytes) / 1e6);
  return s;
}
} // namespace

void tellPaths(mlir::ModuleOp tileModule, const Options &options) {
  mlir::func::FuncOp func = kernelOf(tileModule);
  if (!func)
    return;
  tileModule.getContext()->getOrLoadDialect<phog::PhogDialect>();
  Target target = targetOf(options, variants[0], chooseThreads(func, options.sm), true);
  std::vector<DotPlan> plans;
  if (auto lowered = lower(tileModule, options, variants[0])) {
    target = lowered->target;
    plans = std::move(lowered->plans);
  } else { // the compilation says why; the paths are told all the same
    consumeError(lowered.takeError());
    const Plans free = planDots(func, target);
    func.walk([&](pho::DotOp dot) { plans.push_back(free.dots.at(dot)); });
  }
  const int64_t parts = partsOf(func);
  size_t next = 0;
  func.walk([&](pho::DotOp dot) {
    const DotPlan &plan = plans[next++];
    auto text = [&](const std::string &s) { return mlir::StringAttr::get(dot.getContext(), s); };
    std::string path = plan.isWgmma ? "wgmma (" + plan.kind + " on the tensor cores, by warpgroups)"
                       : plan.isMma ? "mma (" + plan.kind + " on the tensor cores)"
                                    : "simt (the threads' own fma)";
    path += ", " + std::to_string(plan.grid.m) + "x" + std::to_string(plan.grid.n) + " warps";
    if (plan.isWgmma)
      path += ", " + std::to_string(plan.producers) + " more bring the operands";
    dot->setAttr("pho.path", text(path));
    if (!plan.isMma)
      dot->setAttr("pho.path_reason", text("not mma: " + plan.whyNotMma));
    else if (!plan.whyNotWgmma.empty())
      dot->setAttr("pho.path_reason", text("not wgmma: " + plan.whyNotWgmma));
    if (parts > 1 && dot->getParentOp()->hasAttr("pho.contraction"))
      dot->setAttr("pho.parts", text(partsText(plan, elementOf(dot.getType()), parts, target.warps * 32)));
  });
}

Expected<std::string> printTargetIR(mlir::ModuleOp tileModule, const Options &options) {
  std::string text;
  raw_string_ostream out(text);
  tileModule.getContext()->getOrLoadDialect<phog::PhogDialect>();
  for (const Variant &variant : variants) {
    auto lowered = lower(tileModule, options, variant);
    if (!lowered)
      return lowered.takeError();
    out << "// " << (variant.aligned ? "aligned, native grid" : "any") << ": " << lowered->target.warps * 32
        << " threads, " << lowered->sharedBytes << " bytes of shared memory\n";
    lowered->module->print(out, mlir::OpPrintingFlags().useLocalScope());
  }
  return text;
}

Expected<std::unique_ptr<Module>> emitLLVM(mlir::ModuleOp tileModule, LLVMContext &context,
                                           const Options &options, EntryInfo &info) {
  tileModule.getContext()->getOrLoadDialect<phog::PhogDialect>();
  mlir::func::FuncOp source = kernelOf(tileModule);
  if (!source)
    return failure("the module has no kernel");
  target::silenceWarnings(context);
  auto module = std::make_unique<Module>("phobos", context);
  // Alignments of elements follow from the target's layout: of 64-bit integers an empty one has 4 bytes.
  module->setTargetTriple(Triple("nvptx64-nvidia-cuda"));
  module->setDataLayout(module->getTargetTriple().computeDataLayout());
  module->addModuleFlag(Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  DIBuilder debug(*module);
  std::string fileName;
  source->walk([&](mlir::Operation *op) {
    if (auto at = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>(); at && fileName.empty())
      fileName = at.getFilename().str();
  });
  DIFile *file = nullptr;
  if (!fileName.empty()) {
    size_t slash = fileName.rfind('/');
    file = debug.createFile(slash == std::string::npos ? fileName : fileName.substr(slash + 1),
                            slash == std::string::npos ? "." : fileName.substr(0, slash));
    debug.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C), file, "phobos", true, "", 0, "",
                            DICompileUnit::DebugDirectivesOnly);
  }
  info = {};
  info.persistent = source->hasAttr("pho.persistent");
  for (const Variant &variant : variants) {
    auto lowered = lower(tileModule, options, variant);
    if (!lowered)
      return lowered.takeError();
    mlir::func::FuncOp func = kernelOf(*lowered->module);
    const Target &target = lowered->target;
    Emitter emitter(*module, target, target.ptx, file ? &debug : nullptr, file);
    auto name = source->getAttrOfType<mlir::StringAttr>("pho.name");
    std::string symbol = entryName(name ? name.getValue() : source.getName()) + variant.suffix, error;
    if (!emitter.emitKernel(func, symbol, variant.nativeGrid, error))
      return failure(error);
    if (int64_t registers = registersToTell(func, *lowered))
      module->getFunction(symbol)->addFnAttr("nvvm.maxnreg", std::to_string(registers));
    else if (mayAskForOneBlock(func, target, lowered->sharedBytes))
      module->getFunction(symbol)->addFnAttr("nvvm.minctasm", "1");
    info.tileRegisters.push_back(lowered->withLoads);
    info.entries.push_back(
        {symbol, variant.aligned, variant.nativeGrid, variant.aligned ? kNarrowStride : 0,
         static_cast<uint32_t>(threadsOf(func)), static_cast<uint32_t>(lowered->sharedBytes),
         static_cast<uint32_t>(partsOf(source)), static_cast<uint64_t>(workspaceBytes(func))});
  }
  if (file)
    debug.finalize();
  std::string broken;
  raw_string_ostream out(broken);
  if (verifyModule(*module, &out))
    return failure("the emitted LLVM IR is malformed: " + broken);
  return module;
}

Expected<Ptx> emitPtx(mlir::ModuleOp tileModule, const Options &options) {
  LLVMContext context;
  Ptx out;
  auto module = emitLLVM(tileModule, context, options, out.info);
  if (!module)
    return module.takeError();
  optimize(**module, options);
  auto text = emitPtx(**module, options);
  if (!text)
    return text.takeError();
  out.text = std::move(*text);
  return out;
}

} // namespace phobos::nvptx
