// --list: the points of a space and how many there are.
#pragma once
#include "kbench/space/Count.h"
#include "kbench/tool/Subject.h"

namespace phobos::kbench {

/// `27 points`, `about 1.2e+07 points (estimated from 5000 samples, give or take 3%)`.
std::string countText(const SpaceCount &count);
/// Prints the first page at once, then the count. Returns an exit status.
int listPoints(const Subject &subject, const Options &options);

} // namespace phobos::kbench
