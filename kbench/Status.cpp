#include "kbench/Status.h"
#include "kbench/Backend.h"
#include <cstdio>

namespace phobos::kbench {
namespace {

struct Row {
  std::string_view text, meaning;
};
constexpr Row rows[] = {
#define STATUS(NAME, TEXT, MEANING) {TEXT, MEANING},
#include "kbench/Status.def"
};
static_assert(std::size(rows) == statusCount);

} // namespace

std::string_view name(Status s) { return rows[static_cast<size_t>(s)].text; }
std::string_view meaning(Status s) { return rows[static_cast<size_t>(s)].meaning; }

std::string resourceText(const std::string &name, double value) {
  const auto i = static_cast<size_t>(value);
  if (name == limiterResource && i < std::size(limiterNames))
    return std::string(limiterNames[i]);
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

std::optional<Status> statusNamed(std::string_view text) {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].text == text)
      return static_cast<Status>(i);
  return std::nullopt;
}

} // namespace phobos::kbench
