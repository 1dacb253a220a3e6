// `--check` without a point: a kernel at the points of its space, for a shape may fit at one and not at
// another.
#pragma once
#include "compiler/driver/Compile.h"

namespace phobos::driver {

/// A space of more points is sampled: each choice of each name beside the first choices of the others, then
/// points drawn evenly, the same ones every time.
inline constexpr size_t kMostPointsChecked = 256;

struct SpaceCheck {
  double points = 0;  ///< of the space, constraints not applied
  size_t checked = 0; ///< of them, legal ones and illegal ones
};

/// Reports each error once a place, with a note that names the point where it was found first if that is not
/// the first point. A point that a @require or a rule forbids is no error while another is legal.
SpaceCheck checkSpace(const LoadedFile &loaded, const ast::Kernel &kernel, Diagnostics &diags);

} // namespace phobos::driver
