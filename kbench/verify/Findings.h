// What the checks of `phobos-run --check`, made on a point's small runs, mean for the point: an interpreter
// and a device that agree on one order of blocks prove nothing of a kernel whose result depends on the order.
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include "kbench/Status.h"
#include <optional>

namespace phobos::kbench {

/// Bytes that the checks may take beside a run: a larger run is not checked (Findings::warning says so).
inline constexpr uint64_t maxCheckBytes = uint64_t(1) << 29;
/// Whether the checks of a run at these extents take no more.
bool isCheckable(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims);

/// `FILE:LINE:COLUMN: error[CODE]`; without a place, the code alone.
std::string placeText(const Diagnostic &d, const SourceManager &sources);

/// Which blocks a run had: all that the kernel itself asks for; some of them, so that elements that are left
/// out say nothing; those that the host gave for a larger size, so that blocks may meet which there do not.
enum class GridRun : uint8_t { Whole, Part, Given };

struct Findings {
  std::optional<Verdict> wrong; ///< races, and elements that no block stored
  std::string warning;          ///< what may be meant; empty: nothing
};

/// Of what a checked run reported, `where` (` (at N=17)`). A point access outside a tensor is none: the
/// language defines it.
Findings findingsOf(const Diagnostics &checked, const SourceManager &sources, const std::string &where,
                    GridRun grid);

} // namespace phobos::kbench
