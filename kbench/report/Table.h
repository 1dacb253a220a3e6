// Text in columns.
#pragma once
#include <string>
#include <vector>

namespace phobos::kbench {

class Table {
public:
  void row(std::vector<std::string> cells);
  /// Right-aligned columns, two spaces between them and before the first.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace phobos::kbench
