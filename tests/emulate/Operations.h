// Which handler does an instruction, by its name. An intrinsic is looked up by its name without `llvm.nvvm.`,
// inline assembly by its text.
#pragma once
#include "tests/emulate/Machine.h"
#include <string_view>

namespace phobos::emulate {

/// Fills the handler and the numbers of `op`; false where nobody does what `text` says. Each file looks after
/// its subject; findOperation asks them all.
bool findOperation(std::string_view text, Operation &op);
bool findSpecial(std::string_view text,
                 Operation &op); // Special.cpp: registers, shuffles, predicated accesses
bool findNumber(std::string_view text, Operation &op);  // Numbers.cpp: approximations, conversions
bool findBarrier(std::string_view text, Operation &op); // Barriers.cpp: barriers, mbarriers, fences
bool findCopy(std::string_view text, Operation &op);    // Copies.cpp: cp.async
bool findMatrix(std::string_view text, Operation &op);  // Matrix.cpp: ldmatrix, mma.sync
bool findProduct(std::string_view text, Operation &op); // Wgmma.cpp

/// Lands the copies of thread `t` that are begun.
void finishCopies(Machine &m, const Operation &op, std::vector<Copy> &copies);
/// The value of the `bits` of a float type of 8, 16 or 32 bits, by its name in PTX; tf32: what it keeps of an
/// f32.
double decode(std::string_view type, uint64_t bits);

/// What follows `prefix` in `text`, if it begins with it.
inline bool takePrefix(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace phobos::emulate
