// One text parsed, with what was said about it.
#pragma once
#include "compiler/syntax/Parse.h"
#include <string>

namespace phobos::test {

struct Parsed {
  SourceManager sources;
  Diagnostics diags;
  std::unique_ptr<ast::File> file;

  explicit Parsed(std::string text) {
    sources.add("test.pho", std::move(text));
    file = syntax::parse(sources, 0, diags);
  }
  std::string messages() const { return renderText(diags, sources); }
  /// `E0102@3:5 E0101@4:1`
  std::string codes() const {
    std::string out;
    for (const Diagnostic &d : diags.all()) {
      LineColumn at = sources.file(0).lineColumn(d.range.begin);
      out += (out.empty() ? "" : " ") + std::string(info(d.id).code) + "@" + std::to_string(at.line) + ":" +
             std::to_string(at.column);
    }
    return out;
  }
};

/// The body's only statement, parsed and dumped.
inline std::string statement(const std::string &text) {
  Parsed p("kernel k() {\n  " + text + "\n}\n");
  if (!p.diags.all().empty())
    return p.messages();
  std::string s = ast::dump(*p.file);
  std::string head = "kernel k() {\n  ", tail = "\n}\n";
  return s.substr(head.size(), s.size() - head.size() - tail.size());
}

} // namespace phobos::test
