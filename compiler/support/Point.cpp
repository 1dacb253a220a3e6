#include "compiler/support/Point.h"
#include <cctype>

namespace phobos {

void Point::set(std::string_view name, int64_t value) {
  for (auto &[n, v] : entries_)
    if (n == name) {
      v = value;
      return;
    }
  entries_.emplace_back(name, value);
}

std::optional<int64_t> Point::get(std::string_view name) const {
  for (auto &[n, v] : entries_)
    if (n == name)
      return v;
  return std::nullopt;
}

std::string Point::str() const {
  std::string s;
  for (auto &[n, v] : entries_)
    s += (s.empty() ? "" : " ") + n + "=" + std::to_string(v);
  return s;
}

static std::optional<int64_t> parseInteger(std::string_view s) {
  int64_t value = 0;
  unsigned base = 10;
  if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    base = 16;
    s.remove_prefix(2);
  }
  bool any = false;
  for (char c : s) {
    if (c == '_' && any)
      continue;
    unsigned char u = static_cast<unsigned char>(c);
    unsigned digit = std::isdigit(u)    ? u - '0'
                     : std::isxdigit(u) ? static_cast<unsigned>(std::tolower(u) - 'a') + 10
                                        : 99;
    if (digit >= base || value > (int64_t(1) << 48))
      return std::nullopt;
    value = value * base + digit;
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

static bool parseAssignments(std::string_view text, int64_t least, int64_t most, Point &point,
                             std::string &error, size_t *at) {
  Point result = point;
  size_t i = 0;
  auto isSeparator = [](char c) { return c == ',' || std::isspace(static_cast<unsigned char>(c)); };
  while (i < text.size()) {
    if (isSeparator(text[i])) {
      ++i;
      continue;
    }
    size_t begin = i;
    while (i < text.size() && !isSeparator(text[i]))
      ++i;
    std::string_view item = text.substr(begin, i - begin);
    if (at)
      *at = begin;
    size_t eq = item.find('=');
    // The whole text is the caller's to quote.
    const bool isAlone = item.size() == text.size();
    if (eq == std::string_view::npos || eq == 0) {
      error = isAlone ? "it should be written NAME=VALUE"
                      : "expected NAME=VALUE, found '" + std::string(item) + "'";
      return false;
    }
    auto value = parseInteger(item.substr(eq + 1));
    if (!value || *value < least || *value > most) {
      if (at)
        *at = begin + eq + 1;
      error = (isAlone ? "" : "'" + std::string(item) + "': ") + "the value must be an integer from " +
              std::to_string(least) + " to " + std::to_string(most);
      return false;
    }
    result.set(item.substr(0, eq), *value);
  }
  point = std::move(result);
  return true;
}

bool parsePoint(std::string_view text, Point &point, std::string &error, size_t *at) {
  return parseAssignments(text, 1, 2147483647, point, error, at);
}

bool parseExtents(std::string_view text, Point &extents, std::string &error) {
  return parseAssignments(text, 0, int64_t(1) << 48, extents, error, nullptr);
}

} // namespace phobos
