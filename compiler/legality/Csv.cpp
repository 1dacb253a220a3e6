#include "compiler/legality/Legality.h"
#include <algorithm>
#include <charconv>
#include <istream>
#include <ostream>

namespace phobos::legality {

static std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> list;
  for (;;) {
    size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    size_t begin = std::min(field.find_first_not_of(" \t\r"), field.size());
    field.remove_prefix(begin);
    field = field.substr(0, field.find_last_not_of(" \t\r") + 1);
    list.push_back(field);
    if (comma == std::string_view::npos)
      return list;
    line.remove_prefix(comma + 1);
  }
}

static bool isBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

constexpr size_t kMaxLineBytes = 4096; ///< points may be without number, a line may not be without end

/// As std::getline, but of a line that is too long only as much as shows it.
static bool readLine(std::istream &in, std::string &line) {
  line.clear();
  for (char c; line.size() <= kMaxLineBytes && in.get(c);) {
    if (c == '\n')
      return true;
    line += c;
  }
  return !line.empty();
}

/// The numbers of one line under their names.
static bool readPoint(const std::vector<std::string> &header, std::string_view line, Point &point,
                      std::string &error) {
  std::vector<std::string_view> row = fields(line);
  if (row.size() != header.size()) {
    error = "found " + std::to_string(row.size()) + " fields, expected " + std::to_string(header.size());
    return false;
  }
  for (size_t i = 0; i < row.size(); ++i) {
    if (header[i] == "verdict")
      continue;
    int64_t n;
    auto [end, status] = std::from_chars(row[i].data(), row[i].data() + row[i].size(), n);
    if (status != std::errc() || end != row[i].data() + row[i].size()) {
      error = header[i] + " is '" + std::string(row[i]) + "', expected an integer";
      return false;
    }
    point.set(header[i], n);
  }
  return true;
}

/// Whether any of the lists knows the name: columns of points for another list do no harm.
static bool isQuantity(const std::string &name) {
  if (name == "verdict" || name == "SHARED_LIMIT" ||
      std::any_of(unsetNames().begin(), unsetNames().end(), [&](const Unset &u) { return u.name == name; }))
    return true;
  for (std::string_view list : listNames()) {
    const std::vector<std::string> inputs = Judge(*pathNamed(list)).inputs();
    if (std::find(inputs.begin(), inputs.end(), name) != inputs.end())
      return true;
  }
  return false;
}

static bool checkHeader(const std::vector<std::string> &header, const Judge &judge, std::string &error) {
  for (size_t i = 0; i < header.size(); ++i)
    if (std::find(header.begin(), header.begin() + static_cast<ptrdiff_t>(i), header[i]) !=
        header.begin() + static_cast<ptrdiff_t>(i)) {
      error = "column '" + header[i] + "' occurs twice";
      return false;
    }
  for (const std::string &name : judge.inputs())
    if (name != "SHARED_LIMIT" && std::find(header.begin(), header.end(), name) == header.end()) {
      error = "no column is called '" + name + "'";
      return false;
    }
  for (const std::string &name : header)
    if (!isQuantity(name)) {
      error = "column '" + name + "' is no quantity of the rules";
      return false;
    }
  return true;
}

bool judgeCsv(std::istream &in, std::string_view list, int64_t sharedLimit, std::ostream &out,
              std::string &error) {
  auto path = pathNamed(list);
  if (!path) {
    error = "no list of rules is called '" + std::string(list) + "'; there are";
    for (std::string_view name : listNames())
      error += " " + std::string(name);
    return false;
  }
  Judge judge(*path);
  std::string line;
  if (!readLine(in, line) || line.size() > kMaxLineBytes || isBlank(line)) {
    error = "line 1: expected a header of names";
    return false;
  }
  std::vector<std::string> header;
  for (std::string_view name : fields(line))
    header.emplace_back(name);
  if (!checkHeader(header, judge, error)) {
    error = "line 1: " + error;
    return false;
  }
  Point limits;
  limits.set("SHARED_LIMIT", sharedLimit);
  for (uint64_t number = 2; readLine(in, line); ++number) {
    if (line.size() > kMaxLineBytes) {
      error = "line " + std::to_string(number) + ": longer than " + std::to_string(kMaxLineBytes) + " bytes";
      return false;
    }
    if (isBlank(line))
      continue;
    Point point, completed;
    if (!readPoint(header, line, point, error)) {
      error = "line " + std::to_string(number) + ": " + error;
      return false;
    }
    Verdict v = judge.complete(point, limits, completed);
    out << (v.isLegal() ? std::string_view("legal") : v.broken->name) << '\n';
  }
  return true;
}

} // namespace phobos::legality
