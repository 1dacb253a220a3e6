// A kernel's space as kbench searches it: the names that matter to the target, the pinned ones fixed, the
// constraints as formulas. See Walk.h for its points and Count.h for their number.
#pragma once
#include "compiler/sema/Space.h"
#include "compiler/support/Point.h"
#include "kbench/space/Formula.h"
#include <string>
#include <vector>

namespace phobos::kbench {

struct FreeName {
  std::string name;
  std::vector<int64_t> choices; ///< two or more, in the order of the spec
  /// The target ignores it: it takes the first choice that some constraint allows and multiplies nothing.
  bool isIgnored = false;
};

struct SearchSpace {
  std::vector<FreeName> names;       ///< in declaration order; the bit of a NameSet is the place here
  Point fixed;                       ///< pinned names and those of one choice
  Point runtimeDims;                 ///< extents that constraints may use
  std::vector<std::string> declared; ///< every name, in the order a point lists them
  FormulaPool pool;
  std::vector<NodeId> constraints; ///< all must hold; constants already dropped
  std::vector<size_t> sources;     ///< of each: the @require it is part of
  /// The @require that is false whatever the free names are; the space is empty.
  std::optional<size_t> neverHolds;

  double rawSize() const; ///< of the names that are not ignored
};

struct SpaceOptions {
  Point pinned;                     ///< values need not be among the choices
  Point runtimeDims;                ///< known extents: constraints over unknown ones are left to the launch
  std::vector<std::string> ignored; ///< names the target does not look at
};

/// `pinned` has been checked (sema::completePoint). The nodes refer to the space's syntax tree, which must
/// outlive this.
SearchSpace makeSearchSpace(const sema::Space &space, const SpaceOptions &options);

} // namespace phobos::kbench
