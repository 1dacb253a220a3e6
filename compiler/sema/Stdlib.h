// The functions of stdlib/*.pho, embedded when the library is built.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace phobos::sema {

/// The files by name, in order of name.
std::vector<std::pair<std::string, std::string>> stdlibSources();

} // namespace phobos::sema
