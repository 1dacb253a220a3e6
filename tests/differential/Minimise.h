// Cuts a program down while it stays faulty.
#pragma once
#include "tests/differential/Program.h"
#include <functional>

namespace phobos::differential {

/// Tries to leave out statements, to put an operand in the place of an operation and a constant in that of an
/// expression, as long as `isFaulty` still holds of the printed text; at most `maxTries` of them. `isFaulty`
/// rejects what no longer compiles.
Program minimise(Program program, const std::function<bool(const std::string &)> &isFaulty,
                 int maxTries = 600);

} // namespace phobos::differential
