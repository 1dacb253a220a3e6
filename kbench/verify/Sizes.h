// The small sizes at which a point is compared with the interpreter, chosen from the tiles that its accesses
// have.
#pragma once
#include "compiler/sema/Typed.h"
#include "runtime/contract/Contract.h"
#include <string>
#include <vector>

namespace phobos::kbench {

/// For each runtime dimension the lengths of the slices taken along it; empty where it is only indexed.
std::vector<std::vector<int64_t>> sliceLengths(const sema::TypedKernel &kernel);

/// Up to three choices of the runtime dimensions, cheapest first: one that leaves every last tile partly
/// filled, one smaller than a tile, one of whole tiles; as far as @aligned and @require let them. `full` is
/// the size to be timed, a last resort where they let nothing else. Without runtime dimensions: one empty
/// choice.
std::vector<std::vector<int64_t>> smallSizes(const sema::TypedKernel &kernel, const Contract &contract,
                                             const std::vector<int64_t> &full);

} // namespace phobos::kbench
