// Works around a wrong assumption of ptxas.
#pragma once

namespace llvm {
class Module;
}

namespace phobos::nvptx {

/// Writes integer llvm.abs as (x ^ m) - m with m = x >> (bits - 1), the shift hidden from LLVM's pattern
/// matching. ptxas (12.x and 13.0) takes the result of abs.s32 and abs.s64 for non-negative and drops the
/// sign handling of a division or remainder after it; of the least integer, which is its own absolute value
/// here (spec/arithmetic.md), the result then has the wrong sign. Runs after the optimiser, which would fold
/// it back.
void spellOutAbs(llvm::Module &module);

} // namespace phobos::nvptx
