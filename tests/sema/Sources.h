// Sources checked as a tool would check them: parsed, the space built, the stdlib visible, at the first point
// or a given one.
#pragma once
#include "compiler/sema/Check.h"
#include "compiler/sema/Stdlib.h"
#include "compiler/syntax/Parse.h"
#include <string>

namespace phobos::test {

struct Checked {
  SourceManager sources; ///< the stdlib is 0
  Diagnostics diags;
  std::unique_ptr<ast::File> file;
  std::vector<std::unique_ptr<sema::TypedKernel>> kernels; ///< null where there were errors
  std::string rendered() const { return renderText(diags, sources); }
};

/// All files of the stdlib as one text.
inline std::string stdlibText() {
  std::string all;
  for (const auto &[name, text] : sema::stdlibSources())
    all += text + "\n";
  return all;
}

/// As file 0 of `sources`, its functions marked.
inline std::unique_ptr<ast::File> parseStdlib(SourceManager &sources, Diagnostics &diags) {
  auto file = syntax::parse(sources, sources.add("stdlib", stdlibText()), diags);
  for (auto &f : file->functions)
    f->fromStdlib = true;
  return file;
}

/// Parsed once for all tests: trees never change.
inline const ast::File &sharedStdlib() {
  static const std::unique_ptr<ast::File> file = [] {
    SourceManager sources;
    Diagnostics diags;
    return parseStdlib(sources, diags);
  }();
  return *file;
}

inline std::unique_ptr<Checked> checkSource(const std::string &text, const Point &overrides = {},
                                            const std::string &name = "test.pho") {
  auto c = std::make_unique<Checked>();
  const ast::File *stdlib = &sharedStdlib();
  c->sources.add("stdlib", stdlibText());
  c->file = syntax::parse(c->sources, c->sources.add(name, text), c->diags);
  sema::checkFile(*c->file, stdlib, c->diags);
  for (const auto &k : c->file->kernels) {
    sema::Space space = sema::buildSpace(*k, c->diags);
    Point point;
    if (!sema::completePoint(space, overrides, point, c->diags))
      continue;
    c->kernels.push_back(sema::check(*c->file, *k, stdlib, point, c->diags));
  }
  return c;
}

} // namespace phobos::test
