// The condition of a point in a bundle: what stands after @ in `TILE_M=64 @ M <= 1024`.
#pragma once
#include "compiler/support/Point.h"
#include "runtime/contract/Contract.h"
#include <optional>
#include <string>

namespace phobos::driver {

/// Reads `text` as a condition over the runtime dimensions of `contract` and the names of `point`; numbers
/// are 64-bit. Nothing, with the reason in `bad`, where it is none.
std::optional<HostExpr> readCondition(const std::string &text, const Contract &contract, const Point &point,
                                      std::string &bad);

} // namespace phobos::driver
