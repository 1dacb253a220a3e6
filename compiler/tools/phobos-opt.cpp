// phobos-opt: runs passes on tile IR text. Everything is in the library; see `phobos-opt --help`.
#include "compiler/driver/Status.h"
#include "compiler/ir/Pho.h"
#include "compiler/passes/Pipeline.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/tools/Output.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>
#include <fstream>
#include <iostream>
#include <unistd.h>

using namespace phobos;

namespace {

int fail(diag id, const std::string &path, const std::string &reason) {
  Diagnostics diags;
  diags.report(id, {}, path, reason);
  SourceManager none;
  std::cerr << renderText(diags, none);
  return EnvironmentFault;
}

/// LLVM ends the process where its own standard output (--help) cannot be written.
void onFatalError(void *, const char *reason, bool) {
  constexpr std::string_view prefix = "IO failure on output stream: ";
  const std::string_view text = reason;
  if (text.starts_with(prefix))
    _exit(fail(diag::CannotWriteFile, "<stdout>", std::string(text.substr(prefix.size()))));
  std::cerr << "phobos-opt: " << text << "\n";
  std::abort();
}

int optimise(const std::string &input, const std::string &output, mlir::DialectRegistry &registry) {
  std::string text;
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input, /*IsText=*/true);
  if (!buffer)
    return fail(diag::CannotReadFile, input, buffer.getError().message());
  llvm::raw_string_ostream out(text);
  const bool ok = mlir::succeeded(
      mlir::MlirOptMain(out, std::move(*buffer), registry, mlir::MlirOptMainConfig::createFromCLOptions()));
  if (output == "-") {
    std::cout << text;
  } else if (ok) {
    std::ofstream file(output, std::ios::binary);
    file << text;
    file.close();
    if (!file)
      return fail(diag::CannotWriteFile, output, std::strerror(errno ? errno : EIO));
  }
  return ok ? Success : InputFault;
}

} // namespace

int main(int argc, char **argv) {
  tools::holdStandardStreams();
  llvm::install_fatal_error_handler(onFatalError);
  mlir::DialectRegistry registry;
  registry
      .insert<pho::PhoDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect>();
  passes::registerPasses();
  const std::string header = mlir::registerCLIOptions(
      "Phobos tile IR passes\n\nExit status: 0 success; 1 the input is at fault; 2 usage; 3 files.\n",
      registry);
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<input file>"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output filename"), llvm::cl::value_desc("filename"),
                                    llvm::cl::init("-"));
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, header, &llvm::errs()))
    return UsageFault;
  const auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
  return tools::finishOutput(optimise(input, output, registry), /*jsonDiagnostics=*/false);
}
