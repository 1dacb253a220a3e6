#include "tests/spec/Section.h"
#include <filesystem>
#include <fstream>
#include <sstream>

namespace phobos::testing {

bool Section::expectsError() const {
  for (const ExpectedMessage &m : messages)
    if (m.code[0] == 'E')
      return true;
  return false;
}

namespace {

std::vector<std::string> words(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> r;
  for (std::string w; in >> w;)
    r.push_back(w);
  return r;
}

/// `X: f32[2, 3] = 1 2 3 4 5 6`
bool readTensor(const std::string &text, std::string &name, TensorText &t) {
  size_t colon = text.find(':'), open = text.find('['), close = text.find(']'), equals = text.find('=');
  if (colon == std::string::npos || open == std::string::npos || close == std::string::npos ||
      equals == std::string::npos)
    return false;
  name = words(text.substr(0, colon)).at(0);
  auto elem = scalarTypeNamed(words(text.substr(colon + 1, open - colon - 1)).at(0));
  if (!elem)
    return false;
  t.elem = *elem;
  std::string dims = text.substr(open + 1, close - open - 1);
  for (char &c : dims)
    if (c == ',')
      c = ' ';
  for (const std::string &d : words(dims))
    t.extents.push_back(std::stoll(d));
  t.values = words(text.substr(equals + 1));
  return true;
}

bool readLine(Section &s, const std::string &key, const std::string &rest) {
  if (key == "in" || key == "out") {
    std::string name;
    TensorText t;
    if (!readTensor(rest, name, t))
      return false;
    (key == "in" ? s.in : s.out)[name] = t;
  } else if (key == "set") {
    auto w = words(rest);
    if (w.size() != 3)
      return false;
    s.scalars[w[0]] = w[2];
  } else if (key == "point") {
    s.point = rest;
  } else if (key == "grid") {
    s.grid = {1, 1, 1};
    std::istringstream in(rest);
    std::string n;
    for (size_t i = 0; i < 3 && std::getline(in, n, ','); ++i)
      (*s.grid)[i] = std::stoll(n);
  } else if (key == "tolerance") {
    s.tolerance = std::stod(rest);
  } else if (key == "error" || key == "warning") {
    auto w = words(rest);
    if (w.size() < 2)
      return false;
    s.messages.push_back({w[0], unsigned(std::stoul(w[1])), {w.begin() + 2, w.end()}});
  } else if (key == "check") {
    s.isChecked = true;
    auto w = words(rest);
    if (w.size() >= 2)
      s.findings.push_back({w[0], unsigned(std::stoul(w[1])), {w.begin() + 2, w.end()}});
    return w.size() >= 2 || rest == "clean";
  } else if (key == "refused") {
    s.refusedWords = words(rest);
    if (s.refusedWords.empty())
      return false;
    s.refusedCode = s.refusedWords.front();
  } else if (key == "launch") {
    s.launchWords = words(rest);
  } else {
    return false;
  }
  return true;
}

} // namespace

std::vector<Section> readSections(const std::string &path, std::string &problem) {
  std::ifstream file(path);
  std::vector<Section> r;
  std::string line;
  bool inProgram = false;
  for (unsigned n = 1; std::getline(file, line); ++n) {
    if (line.rfind("=== ", 0) == 0) {
      r.emplace_back();
      r.back().file = std::filesystem::path(path).stem();
      r.back().line = n;
      r.back().rules = words(line.substr(4));
      inProgram = false;
    } else if (r.empty()) {
      continue; // the file's own words
    } else if (inProgram) {
      r.back().program += line + "\n";
    } else if (line == "---") {
      inProgram = true;
    } else if (!line.empty()) {
      size_t space = line.find(' ');
      if (space == std::string::npos || !readLine(r.back(), line.substr(0, space), line.substr(space + 1)))
        problem += path + ":" + std::to_string(n) + ": cannot read '" + line + "'\n";
    }
  }
  return r;
}

} // namespace phobos::testing
