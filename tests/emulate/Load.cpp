#include "tests/emulate/Load.h"
#include "runtime/contract/Numeric.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/Support/TargetSelect.h"

namespace phobos::emulate {

namespace {

// Conversions that the host's code generator calls. A half is returned in the low bits of a float's register.
float bitsInFloat(uint64_t bits) { return fromWord<float>(bits); }
float truncToBf16(float x) { return bitsInFloat(numeric::bitsOf(ScalarType::BF16, x)); }
float truncToBf16FromDouble(double x) { return bitsInFloat(numeric::bitsOf(ScalarType::BF16, x)); }
float truncToF16(float x) { return bitsInFloat(numeric::bitsOf(ScalarType::F16, x)); }
float truncToF16FromDouble(double x) { return bitsInFloat(numeric::bitsOf(ScalarType::F16, x)); }
float extendF16(float x) {
  return static_cast<float>(numeric::decodeFloat(ScalarType::F16, toWord(x) & 0xffff));
}

class OrcLoaded : public Loaded {
public:
  explicit OrcLoaded(std::unique_ptr<llvm::orc::LLJIT> jit) : jit_(std::move(jit)) {}
  llvm::Expected<Machine::Kernel> kernel(const std::string &symbol) override {
    auto address = jit_->lookup("enter_" + symbol);
    if (!address)
      return address.takeError();
    return address->toPtr<Machine::Kernel>();
  }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

} // namespace

llvm::Expected<std::unique_ptr<Loaded>> load(std::unique_ptr<llvm::Module> module,
                                             std::unique_ptr<llvm::LLVMContext> context) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  // The processor's own conversions to bf16 take denormals as zeros; the device's keep them.
  host->addFeatures({"-avx512bf16", "-avxneconvert"});
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*host)).create();
  if (!jit)
    return jit.takeError();
  llvm::StripDebugInfo(*module); // the sites have the lines
  module->setTargetTriple((*jit)->getTargetTriple());
  module->setDataLayout((*jit)->getDataLayout());
  llvm::orc::SymbolMap symbols;
  auto define = [&](const char *name, auto *function) {
    symbols[(*jit)->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                              llvm::JITSymbolFlags::Exported |
                                                  llvm::JITSymbolFlags::Callable};
  };
  define("__truncsfbf2", truncToBf16);
  define("__truncdfbf2", truncToBf16FromDouble);
  define("__truncsfhf2", truncToF16);
  define("__truncdfhf2", truncToF16FromDouble);
  define("__extendhfsf2", extendF16);
  if (auto error = (*jit)->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return std::move(error);
  if (auto error = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return std::move(error);
  return std::make_unique<OrcLoaded>(std::move(*jit));
}

} // namespace phobos::emulate
