// pho-gpu FILE (.pho or .mlir) ["NAME=VALUE .."] [--target sm_80] [--emit ptx|llvm|opt|target-ir|ir]: a
// kernel through the GPU target alone, and with --launch FILE what a launch needs to know, as JSON. For
// tests.
#include "compiler/driver/Compile.h"
#include "compiler/ir/Build.h"
#include "compiler/passes/Pipeline.h"
#include "compiler/target/nvptx/Nvptx.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "tests/ir/Kernels.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace phobos;

namespace {

struct Request {
  std::string file, point, target = "sm_80", emit = "ptx", launch;
};

void writeLaunch(const Request &r, const Contract &contract, const nvptx::EntryInfo &info) {
  std::error_code code;
  llvm::raw_fd_ostream out(r.launch, code);
  out << "{\"params\": [";
  for (auto [k, p] : llvm::enumerate(gpuKernel(contract, info.entries, info.persistent).params))
    out << (k ? ", " : "") << "[" << static_cast<int>(p.kind) << ", " << p.param << ", " << p.axis << ", \""
        << name(p.elem) << "\"]";
  out << "], \"names\": [";
  for (auto [k, p] : llvm::enumerate(contract.params))
    out << (k ? ", " : "") << '"' << p.name << '"';
  out << "], \"extents\": [";
  for (auto [k, p] : llvm::enumerate(contract.params)) {
    out << (k ? ", " : "") << "[";
    for (auto [a, e] : llvm::enumerate(p.extents))
      out << (a ? ", " : "") << (e.fixed ? -1 : e.value);
    out << "]";
  }
  out << "], \"dims\": [";
  for (auto [k, d] : llvm::enumerate(contract.dims))
    out << (k ? ", " : "") << '"' << d << '"';
  out << "], \"grid\": [";
  for (auto [k, e] : llvm::enumerate(contract.grid))
    out << (k ? ", " : "") << '"' << (contract.gridFromHost ? "0" : e.str(contract.dims)) << '"';
  out << "], \"persistent\": " << (info.persistent ? "true" : "false") << ", \"entries\": [";
  for (auto [k, e] : llvm::enumerate(info.entries))
    out << (k ? ", " : "") << "{\"symbol\": \"" << e.symbol << "\", \"aligned\": " << (e.aligned16 ? 1 : 0)
        << ", \"native\": " << (e.nativeGrid ? 1 : 0) << ", \"threads\": " << e.threads
        << ", \"shared\": " << e.sharedBytes << ", \"parts\": " << e.parts
        << ", \"workspace\": " << e.workspaceBytes << "}";
  out << "]}\n";
}

int emit(mlir::ModuleOp module, const Request &r, const Contract *contract = nullptr) {
  nvptx::Options options;
  if (!nvptx::parseProcessor(r.target, options)) {
    llvm::errs() << "target '" << r.target << "' is not known\n";
    return 2;
  }
  auto show = [](llvm::Expected<std::string> text) {
    if (text) {
      llvm::outs() << *text;
      return 0;
    }
    llvm::errs() << llvm::toString(text.takeError()) << '\n';
    return 1;
  };
  if (r.emit == "ir") {
    module.print(llvm::outs());
    return 0;
  }
  if (r.emit == "target-ir")
    return show(nvptx::printTargetIR(module, options));
  llvm::LLVMContext context;
  nvptx::EntryInfo info;
  auto llvmModule = nvptx::emitLLVM(module, context, options, info);
  if (!llvmModule)
    return show(llvmModule.takeError());
  for (size_t n = 0; n < info.entries.size(); ++n)
    llvm::errs() << "entry " << info.entries[n].symbol << " threads " << info.entries[n].threads << " shared "
                 << info.entries[n].sharedBytes << " tile registers " << info.tileRegisters[n]
                 << (info.entries[n].parts > 1
                         ? " parts " + std::to_string(info.entries[n].parts) + " workspace " +
                               std::to_string(info.entries[n].workspaceBytes)
                         : std::string())
                 << '\n';
  if (!r.launch.empty() && contract)
    writeLaunch(r, *contract, info);
  if (r.emit == "llvm") {
    llvm::outs() << **llvmModule;
    return 0;
  }
  nvptx::optimize(**llvmModule, options);
  if (r.emit == "opt") {
    llvm::outs() << **llvmModule;
    return 0;
  }
  return show(nvptx::emitPtx(**llvmModule, options));
}

} // namespace

int main(int argc, char **argv) {
  Request r;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--target" && i + 1 < argc)
      r.target = argv[++i];
    else if (arg == "--launch" && i + 1 < argc)
      r.launch = argv[++i];
    else if (arg == "--emit" && i + 1 < argc)
      r.emit = argv[++i];
    else
      (r.file.empty() ? r.file : r.point) = arg;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ir::loadDialects(context);
  if (r.file.size() > 5 && r.file.substr(r.file.size() - 5) == ".mlir") {
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(r.file, &context);
    return module ? emit(*module, r) : 1;
  }
  Point point;
  std::string error;
  if (!parsePoint(r.point, point, error)) {
    llvm::errs() << error << '\n';
    return 2;
  }
  irtest::Kernels kernels(r.file);
  int status = 0;
  for (const auto &k : kernels.file().kernels) {
    auto typed = kernels.check(*k, point);
    if (!typed)
      continue;
    auto module = ir::build(*typed, context, kernels.sources());
    if (!module || !passes::runTilePipeline(*module))
      return 1;
    Contract contract = driver::contractOf(*typed);
    status = std::max(status, emit(*module, r, &contract));
  }
  llvm::errs() << kernels.errors();
  return status ? status : kernels.errors().empty() ? 0 : 1;
}
