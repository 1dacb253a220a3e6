// "did you mean": the nearest of the names that would have been right.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phobos {

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; a difference of case alone is
/// none.
unsigned editDistance(std::string_view a, std::string_view b);
/// The nearest of `candidates`, the first of equals, if it is near enough to be what was meant: edits of a
/// third of the name's length, one in three to five letters, none but of case in fewer.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string> &candidates);

} // namespace phobos
