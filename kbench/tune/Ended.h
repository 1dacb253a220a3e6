// What the end of a worker says of the point it was on.
#pragma once
#include "kbench/Status.h"
#include "kbench/workers/Pool.h"
#include <chrono>
#include <optional>

namespace phobos::kbench {

/// Of an outcome that is no answer. `limit` is the one that it had; nullopt: give the point another chance,
/// which is not `secondTime`.
std::optional<Verdict> verdictOfEnd(const Outcome &o, bool isCompiler, std::chrono::milliseconds limit,
                                    bool secondTime);

} // namespace phobos::kbench
