// One file, many programs.
#pragma once
#include "compiler/support/Point.h"
#include <string>
#include <vector>

namespace phobos::emulate {

struct Variant {
  std::string name; ///< what was chosen
  std::string text;
  Point point;
};

/// A line `//! each GROUP name=value; name=value` is a choice of GROUP: it puts the values in the places of
/// `$name` in the text, and in those of other choices. The programs of all choices, each at every point of
/// its kernel's space. One with an empty point, and its text as it is, where the kernel cannot be read.
std::vector<Variant> variantsOf(const std::string &text);

} // namespace phobos::emulate
