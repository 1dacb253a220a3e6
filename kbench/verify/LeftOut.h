// Elements of a tensor that a kernel only writes which no block of a whole run stored: they hold what they
// were filled with, in each of two runs another poison.
#pragma once
#include "compiler/host/HostArray.h"
#include <string>
#include <vector>

namespace phobos::kbench {

/// Which elements look as poison() left them: not stored, or stored with just that value. Empty: none.
std::vector<bool> stillPoisoned(const HostArray &array);
/// Fills with a pattern that an element which held the first by chance does not hold.
void poisonOtherwise(HostArray &array);
/// A sentence on those of `suspects` that hold the other pattern too; empty where there are none.
std::string leftOut(const HostArray &array, const std::vector<bool> &suspects, const std::string &name);

} // namespace phobos::kbench
