#include "kbench/Status.h"

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

std::optional<Status> statusNamed(std::string_view text) {
  for (size_t i = 0; i < std::size(rows); ++i)
    if (rows[i].text == text)
      return static_cast<Status>(i);
  return std::nullopt;
}

} // namespace phobos::kbench
