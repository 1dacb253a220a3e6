#include "kbench/Environment.h"
#include <algorithm>
#include <cstdlib>

namespace phobos::kbench {
namespace {

struct Row {
  const char *variable, *meaning;
};
constexpr Row rows[] = {
#define ENVIRONMENT(NAME, VARIABLE, MEANING) {VARIABLE, MEANING},
#include "kbench/Environment.def"
};

} // namespace

std::optional<std::string> get(Environment variable) {
  const char *value = std::getenv(rows[static_cast<size_t>(variable)].variable);
  return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::string environmentHelp() {
  std::string text;
  for (const Row &r : rows) {
    std::string line = "  " + std::string(r.variable);
    line.resize(std::max<size_t>(line.size() + 2, 24), ' ');
    text += line + r.meaning + "\n";
  }
  return text;
}

} // namespace phobos::kbench
