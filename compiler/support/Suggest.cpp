#include "compiler/support/Suggest.h"
#include "compiler/support/ForeignWords.h"
#include <algorithm>
#include <cctype>

namespace phobos {

unsigned editDistance(std::string_view a, std::string_view b) {
  auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  // rows[i % 3][j]: distance of a's first i from b's first j; a swap of neighbours looks two rows back
  std::vector<unsigned> rows[3];
  for (auto &row : rows)
    row.assign(b.size() + 1, 0);
  for (size_t j = 0; j <= b.size(); ++j)
    rows[0][j] = static_cast<unsigned>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    auto &row = rows[i % 3], &above = rows[(i - 1) % 3], &twoAbove = rows[(i + 1) % 3];
    row[0] = static_cast<unsigned>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({row[j - 1] + 1, above[j] + 1, above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], twoAbove[j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string> &candidates) {
  constexpr size_t kLongest = 64; // names longer than this are compared with nothing
  if (name.size() > kLongest)
    return std::nullopt;
  if (auto type = foreignType(name);
      !type.empty() && std::find(candidates.begin(), candidates.end(), type) != candidates.end())
    return std::string(type);
  // Of a name of one or two letters every edit makes another name: only its case may be wrong.
  unsigned most = name.size() <= 2 ? 0 : std::max<unsigned>(1, static_cast<unsigned>(name.size()) / 3);
  unsigned best = most + 1;
  const std::string *found = nullptr;
  for (const std::string &c : candidates) {
    if (c == name || c.size() > kLongest || (c.size() <= 1 && name.size() > 1))
      continue;
    unsigned d = editDistance(name, c);
    if (d < best && d < std::max(c.size(), name.size())) {
      best = d;
      found = &c;
    }
  }
  return found ? std::optional(*found) : std::nullopt;
}

} // namespace phobos
