// A .pho file, checked: what the tests of the IR start from.
#pragma once
#include "compiler/sema/Check.h"
#include "compiler/sema/Stdlib.h"
#include "compiler/syntax/Parse.h"
#include <fstream>
#include <sstream>

namespace phobos::irtest {

class Kernels {
public:
  explicit Kernels(const std::string &path) : Kernels(path, read(path)) {}
  Kernels(const std::string &name, const std::string &text) {
    file_ = syntax::parse(sources_, sources_.add(name, text), diags_);
    std::string stdlib;
    for (const auto &[file, body] : sema::stdlibSources())
      stdlib += body + "\n";
    stdlib_ = syntax::parse(sources_, sources_.add("<stdlib>", stdlib), diags_);
    for (auto &f : stdlib_->functions)
      f->fromStdlib = true;
  }

  /// Names that the kernel does not declare are left out of `overrides`.
  std::unique_ptr<sema::TypedKernel> check(const ast::Kernel &kernel, const Point &overrides) {
    sema::Space space = sema::buildSpace(kernel, diags_);
    Point known, point;
    for (const auto &[name, value] : overrides.entries())
      if (space.find(name) || sema::isGemmName(name))
        known.set(name, value);
    if (!sema::completePoint(space, known, point, diags_))
      return nullptr;
    return sema::check(*file_, kernel, stdlib_.get(), point, diags_);
  }

  const ast::File &file() const { return *file_; }
  const SourceManager &sources() const { return sources_; }
  /// Rendered; empty if there are none (warnings left out).
  std::string errors() const { return diags_.hasErrors() ? renderText(diags_, sources_) : ""; }

private:
  static std::string read(const std::string &path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  SourceManager sources_;
  Diagnostics diags_;
  std::unique_ptr<ast::File> file_, stdlib_;
};

} // namespace phobos::irtest
