// Which handler does an instruction, by its name. An intrinsic is looked up by its name without `llvm.nvvm.`,
// inline assembly by its text.
#pragma once
#include "tests/emulate/Machine.h"
#include <span>
#include <string_view>
#include <utility>

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

/// Fills the handler by a table of whole texts.
inline bool findIn(std::span<const std::pair<std::string_view, Operation::Handler>> known,
                   std::string_view text, Operation &op) {
  for (auto [name, handler] : known)
    if (name == text) {
      op.handler = handler;
      return true;
    }
  return false;
}

/// What follows `prefix` in `text`, if it begins with it.
inline bool takePrefix(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace phobos::emulate
