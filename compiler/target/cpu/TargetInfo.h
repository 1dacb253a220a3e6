// What the processor can do, as far as the emitter's choices depend on it.
#pragma once
#include "compiler/target/common/Scalar.h"
#include "compiler/target/cpu/Cpu.h"

namespace llvm {
class TargetMachine;
}

namespace phobos::cpu {

struct TargetInfo {
  unsigned vectorLanes = 4; ///< 32-bit elements in a register: 16 with AVX-512, 8 with AVX2, else 4
  unsigned vectorRegisters = 16;
  bool hasAvx512 = false, hasAvx2 = false, hasVnni = false, hasAvx512Bw = false;
  target::ScalarTarget scalar;
};

TargetInfo targetInfoOf(const llvm::TargetMachine &machine);
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Options &options);

} // namespace phobos::cpu
