#include "kbench/report/Table.h"
#include <algorithm>

namespace phobos::kbench {

void Table::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const auto &row : rows_)
    for (size_t c = 0; c < row.size(); ++c) {
      widths.resize(std::max(widths.size(), c + 1));
      widths[c] = std::max(widths[c], row[c].size());
    }
  std::string text;
  for (const auto &row : rows_) {
    for (size_t c = 0; c < row.size(); ++c)
      text += "  " + std::string(widths[c] - row[c].size(), ' ') + row[c];
    text += "\n";
  }
  return text;
}

} // namespace phobos::kbench
