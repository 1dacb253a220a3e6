// A bundle as C text: linked in, it needs no file at run time; and typed C++ signatures of its kernels.
#pragma once
#include "runtime/bundle/Bundle.h"
#include <string>

namespace phobos::driver {

/// `static const unsigned char NAME_bundle[]` and `NAME_bundle_size`, for phobos_module_load_memory. Valid
/// C99 and C++.
std::string bundleAsC(const Bundle &bundle, const std::string &name);

/// For each kernel a C++ struct with `launch` and `prepare` whose parameters have the kernel's names and
/// types, so that a wrong count or scalar type does not compile.
std::string bundleAsHeader(const Bundle &bundle, const std::string &name);

/// For people: kernels, points, targets, entries, sizes (`phobos-bundle show`).
std::string describeBundle(const Bundle &bundle);

/// A C identifier made from a file's name.
std::string identifierOf(const std::string &path);

} // namespace phobos::driver
