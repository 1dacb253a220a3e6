// Works around a wrong assumption of ptxas.
#pragma once

namespace llvm {
class Module;
}

namespace phobos::nvptx {

/// Cuts a wider value to what a store takes of it behind a move. LLVM stores the lower half of a 64-bit
/// register as it is (st.b32 of %rd); ptxas (13.0) takes a register that holds an f64 for one to convert, and
/// stores the number, rounded to an integer, instead of the bits. Where nothing in the value comes from a
/// float, the store stays. Runs after the optimiser, which would fold it back.
void narrowStoredBits(llvm::Module &module);

} // namespace phobos::nvptx
