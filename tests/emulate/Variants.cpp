#include "tests/emulate/Variants.h"
#include "compiler/driver/Compile.h"
#include "compiler/sema/Space.h"
#include <algorithm>
#include <map>
#include <sstream>

namespace phobos::emulate {

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

std::string trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// The choices of each group, and the text without them.
std::map<std::string, std::vector<Values>> takeChoices(std::string &text) {
  std::map<std::string, std::vector<Values>> groups;
  std::istringstream lines(text);
  std::string line, rest;
  while (std::getline(lines, line)) {
    if (!line.starts_with("//! each ")) {
      rest += line + "\n";
      continue;
    }
    line.erase(0, 9);
    const size_t end = line.find(' ');
    std::istringstream parts(line.substr(end + 1));
    Values values;
    for (std::string part; std::getline(parts, part, ';');)
      values.emplace_back(trimmed(part.substr(0, part.find('='))), trimmed(part.substr(part.find('=') + 1)));
    // The longest name first: $ab is not $a and b.
    std::sort(values.begin(), values.end(),
              [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
    groups[line.substr(0, end)].push_back(std::move(values));
  }
  text = rest;
  return groups;
}

void replaceAll(std::string &text, const std::string &what, const std::string &with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

void addPoints(const Variant &v, std::vector<Variant> &out) {
  Diagnostics diags;
  auto loaded = driver::loadText("program.pho", v.text, {.stdlib = false}, diags);
  const ast::Kernel *kernel = diags.hasErrors() ? nullptr : driver::selectKernel(*loaded->file, "", diags);
  const sema::Space space = kernel ? sema::buildSpace(*kernel, diags) : sema::Space();
  std::vector<size_t> at(space.dimensions.size(), 0);
  for (;;) {
    Variant one = v;
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t value = space.dimensions[d].choices[at[d]];
      one.point.set(space.dimensions[d].name, value);
      one.name += " " + space.dimensions[d].name + "=" + std::to_string(value);
    }
    out.push_back(std::move(one));
    size_t d = at.size(); // the last name goes fastest
    for (; d > 0; --d) {
      if (++at[d - 1] < space.dimensions[d - 1].choices.size())
        break;
      at[d - 1] = 0;
    }
    if (d == 0)
      return;
  }
}

} // namespace

std::vector<Variant> variantsOf(const std::string &text) {
  std::string rest = text;
  std::vector<Variant> chosen{{"", "", {}}};
  const auto groups = takeChoices(rest);
  chosen[0].text = rest;
  for (const auto &[group, choices] : groups) {
    std::vector<Variant> next;
    for (const Variant &v : chosen)
      for (size_t k = 0; k < choices.size(); ++k) {
        Variant one = v;
        one.name += " " + group + " " + std::to_string(k + 1);
        // Twice: values have names in them.
        for (int round = 0; round < 2; ++round)
          for (const auto &[name, value] : choices[k])
            replaceAll(one.text, "$" + name, value);
        next.push_back(std::move(one));
      }
    chosen = std::move(next);
  }
  std::vector<Variant> out;
  for (const Variant &v : chosen)
    addPoints(v, out);
  return out;
}

} // namespace phobos::emulate
