// The environment variables of Environment.def.
#pragma once
#include <optional>
#include <string>

namespace phobos::kbench {

enum class Environment {
#define ENVIRONMENT(NAME, VARIABLE, MEANING) NAME,
#include "kbench/Environment.def"
};

/// Its value, unless it is unset or empty.
std::optional<std::string> get(Environment variable);
/// `VARIABLE  meaning`, a line each, for --help; those for tests too.
std::string environmentHelp();

} // namespace phobos::kbench
