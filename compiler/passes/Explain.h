// What became of each product and each loop, and why: `--explain`. Values made from the module after the tile
// pipeline (and after a target's own passes, which add their choice); no pass prints.
#pragma once
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include <string>
#include <vector>

namespace mlir {
class Location;
class ModuleOp;
} // namespace mlir

namespace phobos::passes {

/// Where something was written; line 0: nowhere.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
  bool isValid() const { return line != 0; }
  bool operator==(const Place &) const = default;
};

/// The place that a location names: of an inlined operation, the one inside the function.
Place placeOf(mlir::Location loc);
/// The call that inlined it, if one did; of several, the outermost.
Place callOf(mlir::Location loc);
/// The same place as a diagnostic carries it; invalid if no source has that name.
SourceRange rangeOf(const Place &place, const SourceManager &sources);

struct Explanation {
  enum class Kind : uint8_t { Dot, Loop };
  Kind kind = Kind::Dot;
  Place place;
  std::string what; ///< `dot of 64x16 and 16x32, f32`
  std::vector<std::string>
      details; ///< what was recognised, or why not; the path, if a target chose one; one sentence each
};

/// One for each product and each loop, in the order of the kernel. A target tells its choice by the
/// attributes `pho.path` (a string, the path's name), `pho.path_reason` (a string: why not the faster one)
/// and `pho.parts` (a string: how k is split) on the product.
std::vector<Explanation> explain(mlir::ModuleOp module);
/// `file:line:column: what`, then the details, indented.
std::string renderText(const std::vector<Explanation> &explanations);

/// The GEMM names of the point against the recognised contractions: a TILE_M, TILE_N or TILE_K that is not
/// the accumulator's or the k step's is error E0802. False if one was reported.
bool checkGemmNames(mlir::ModuleOp module, const SourceManager &sources, Diagnostics &diags);

} // namespace phobos::passes
