// Names shared by the writer and the reader of bundles.
#pragma once
#include "runtime/bundle/Bundle.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace phobos::fields {

inline constexpr const char *formatName = "phobos-bundle";
inline constexpr const char *predicateNames[] = {"aligned16",    "native-grid",   "whole-tiles",
                                                 "extent-below", "dense-strides", "strides-below"};
inline constexpr const char *imageNames[] = {"ptx", "cubin", "elf-object"};

} // namespace phobos::fields
