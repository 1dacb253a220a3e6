// Which build of the compiler this is: measurements of different builds are not the same.
#pragma once
#include <string>

namespace phobos::kbench {

/// The version and a mark of the file that holds the compiler.
std::string buildName();

} // namespace phobos::kbench
