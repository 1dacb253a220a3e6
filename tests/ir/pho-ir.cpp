// pho-ir FILE.pho ["NAME=VALUE .."] [--pipeline]: the tile IR of a file's kernels, without any target. For
// tests.
#include "compiler/ir/Build.h"
#include "compiler/passes/Pipeline.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "tests/ir/Kernels.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace phobos;

int main(int argc, char **argv) {
  bool pipeline = false;
  std::string file, pointText, error;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--pipeline"))
      pipeline = true;
    else
      (file.empty() ? file : pointText) = argv[i];
  }
  Point point;
  if (!parsePoint(pointText, point, error)) {
    llvm::errs() << error << '\n';
    return 2;
  }
  irtest::Kernels kernels(file);
  mlir::MLIRContext context;
  ir::loadDialects(context);
  bool ok = true;
  for (const auto &k : kernels.file().kernels) {
    auto typed = kernels.check(*k, point);
    if (!typed)
      continue;
    auto module = ir::build(*typed, context, kernels.sources());
    ok &= mlir::succeeded(mlir::verify(*module));
    if (pipeline)
      ok &= passes::runTilePipeline(*module);
    module->print(llvm::outs());
    llvm::outs() << '\n';
  }
  llvm::errs() << kernels.errors();
  return ok && kernels.errors().empty() ? 0 : 1;
}
