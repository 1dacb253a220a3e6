#include "tests/differential/Program.h"
#include <cstdio>

namespace phobos::differential {

static void printNode(const Node &node, std::string &out) {
  for (size_t i = 0; i < node.text.size(); ++i) {
    if (node.text[i] == '$')
      printNode(node.args[static_cast<size_t>(node.text[++i] - '0')], out);
    else
      out += node.text[i];
  }
}

std::string print(const Node &node) {
  std::string out;
  printNode(node, out);
  return out;
}

static void printBody(const std::vector<Statement> &body, unsigned indent, std::string &out);

static void printStatement(const Statement &s, unsigned indent, std::string &out) {
  out += std::string(indent, ' ');
  for (size_t i = 0; i < s.text.size(); ++i) {
    char c = s.text[i];
    if (c == '$') {
      printNode(s.nodes[static_cast<size_t>(s.text[++i] - '0')], out);
    } else if (c == '#') {
      out += "{\n";
      printBody(s.bodies[static_cast<size_t>(s.text[++i] - '0')], indent + 2, out);
      out += std::string(indent, ' ') + "}";
    } else {
      out += c;
      if (c == '\n')
        out += std::string(indent, ' ');
    }
  }
  out += "\n";
}

static void printBody(const std::vector<Statement> &body, unsigned indent, std::string &out) {
  for (const Statement &s : body)
    printStatement(s, indent, out);
}

std::string print(const Program &p) {
  std::string out = "//! seed " + std::to_string(p.seed) + "\n";
  for (const auto &[name, value] : p.dims)
    out += "//! dim " + name + " " + std::to_string(value) + "\n";
  for (const Parameter &a : p.params) {
    char tolerance[32];
    std::snprintf(tolerance, sizeof tolerance, "%.3g", a.tolerance);
    out +=
        a.isOutput ? "//! out " + a.name + " " + tolerance + "\n" : "//! in " + a.name + " " + a.fill + "\n";
  }
  for (const std::string &f : p.functions)
    out += f + "\n";
  out += p.attributes + "kernel k(";
  for (size_t i = 0; i < p.params.size(); ++i)
    out += (i ? ", " : "") + p.params[i].name + ": " + p.params[i].type;
  out += ") {\n";
  printBody(p.body, 2, out);
  return out + "}\n";
}

} // namespace phobos::differential
