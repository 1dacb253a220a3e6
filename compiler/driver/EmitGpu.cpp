#include "compiler/driver/EmitGpu.h"
#include "compiler/driver/Progress.h"
#include "compiler/target/common/ShortPipeline.h"
#include "compiler/target/nvptx/PtxVersion.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/cuda/Assemble.h"
#include "runtime/cuda/Driver.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace phobos::driver {

bool isGpuTarget(const std::string &target) {
  nvptx::Options options;
  return nvptx::parseProcessor(target, options);
}

std::string compiledFor(const std::string &processor, unsigned driverPtx) {
  if (isGpuTarget(processor))
    return processor;
  unsigned sm = 0;
  if (!llvm::StringRef(processor).starts_with("sm_") ||
      llvm::StringRef(processor).drop_front(3).rtrim('a').getAsInteger(10, sm) || sm > 999)
    return "";
  for (; sm > 0; --sm) {
    const std::string known = "sm_" + std::to_string(sm);
    nvptx::Options options;
    if (nvptx::parseProcessor(known, options) &&
        (driverPtx == 0 || nvptx::leastPtxVersion(options) <= driverPtx))
      return known;
  }
  return "";
}

std::string carriedForward(const std::string &processor, const std::string &compiled) {
  return processor == compiled ? ""
                               : processor + " is not known here: what runs on it is PTX for " + compiled +
                                     ", which its driver carries forward";
}

void tellGpuPaths(mlir::ModuleOp tileModule, const std::string &target) {
  nvptx::Options options;
  if (nvptx::parseProcessor(target, options))
    nvptx::tellPaths(tileModule, options);
}

bool choosePtx(const std::string &target, const std::string &asked, bool runsHere, unsigned &version,
               std::string &error) {
  nvptx::PtxSources sources;
  if (!asked.empty() && !(sources.asked = nvptx::parsePtxVersion(asked))) {
    error = "--ptx '" + asked + "': a version of PTX is written as in 8.4";
    return false;
  }
  nvptx::Options options;
  if (!nvptx::parseProcessor(target, options)) {
    error = "--ptx is for GPU targets, the target is " + target;
    return false;
  }
  std::string absent;
  if (const cuda::Driver *driver = runsHere ? cuda::Driver::get(absent) : nullptr) {
    sources.driverCuda = driver->version;
    sources.driver = cuda::ptxVersionOf(driver->version);
    sources.assembler = cuda::assemblerPtxVersion();
    if (!sources.assembler && !cuda::assemblerFound().empty())
      sources.assembler = nvptx::usualPtxVersion(options); // one of unknown age: nothing newer than needed
  }
  if (!nvptx::choosePtxVersion(options, sources, error))
    return false;
  version = options.ptxVersion;
  return true;
}

namespace {
std::vector<EntryPoint> entryPoints(const nvptx::EntryInfo &info) {
  std::vector<EntryPoint> out;
  for (const GpuEntry &entry : info.entries) {
    EntryPoint e;
    e.symbol = entry.symbol;
    e.threads = entry.threads;
    e.sharedBytes = entry.sharedBytes;
    e.persistent = info.persistent;
    e.parts = entry.parts;
    e.workspaceBytes = static_cast<int64_t>(entry.workspaceBytes);
    EntryPredicate p;
    if (entry.aligned16)
      e.predicates.push_back(p);
    p.kind = EntryPredicate::Kind::StridesBelow;
    p.value = entry.stridesBelow;
    if (entry.stridesBelow)
      e.predicates.push_back(p);
    p = {};
    p.kind = EntryPredicate::Kind::NativeGrid;
    if (entry.nativeGrid)
      e.predicates.push_back(p);
    out.push_back(std::move(e));
  }
  return out;
}
} // namespace

llvm::Expected<Emitted> emitGpu(mlir::ModuleOp tileModule, const EmitOptions &request) {
  nvptx::Options options;
  nvptx::parseProcessor(request.target, options);
  options.ptxVersion = request.ptx;
  if (request.kind == EmitKind::TargetIr) {
    auto text = nvptx::printTargetIR(tileModule, options);
    if (!text)
      return text.takeError();
    return Emitted{std::move(*text), {}};
  }
  llvm::LLVMContext context;
  nvptx::EntryInfo info;
  auto module = nvptx::emitLLVM(tileModule, context, options, info);
  if (!module)
    return module.takeError();
  if (request.kind == EmitKind::Llvm) {
    Emitted e;
    llvm::raw_string_ostream(e.bytes) << **module;
    return e;
  }
  if (request.kind == EmitKind::Explanation)
    return Emitted{"", {}, common::isTooLargeToOptimize(**module, common::kLargestGpu)};
  nvptx::optimize(**module, options);
  auto ptx = nvptx::emitPtx(**module, options);
  if (!ptx)
    return ptx.takeError();
  if (request.kind == EmitKind::Asm)
    return Emitted{std::move(*ptx), entryPoints(info)};
  cuda::AssembleOptions assemble;
  assemble.target = request.target;
  if (request.doing)
    request.doing(assembling(request.target));
  cuda::Assembled cubin = cuda::assemble(*ptx, assemble);
  if (!cubin.ok())
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "%s", cubin.error.c_str());
  return Emitted{std::move(cubin.cubin), entryPoints(info)};
}

} // namespace phobos::driver
