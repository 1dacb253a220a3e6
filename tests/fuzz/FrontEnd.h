// The whole front end on one text, as a tool would run it.
#pragma once
#include "compiler/sema/Check.h"
#include "compiler/sema/Stdlib.h"
#include "compiler/syntax/Parse.h"
#include <functional>
#include <string>

namespace phobos::test {

/// Parses the stdlib once; run() is called with text after text.
class FrontEnd {
public:
  FrontEnd() {
    for (const auto &[name, text] : sema::stdlibSources())
      text_ += text + "\n";
    SourceManager sources;
    Diagnostics diags;
    stdlib_ = syntax::parse(sources, sources.add("stdlib", text_), diags);
    for (auto &f : stdlib_->functions)
      f->fromStdlib = true;
  }

  /// What follows the front end, on a kernel that it takes; says what is wrong, or nothing.
  using Next = std::function<std::string(const sema::TypedKernel &, const SourceManager &)>;

  /// What is wrong with the compiler, not with the text: empty if all is well.
  std::string run(std::string text, bool *isValid = nullptr, const Next &next = nullptr) const {
    SourceManager sources;
    Diagnostics diags;
    sources.add("stdlib", text_);
    uint32_t index = sources.add("input.pho", std::move(text));
    auto file = syntax::parse(sources, index, diags);
    ast::dump(*file);
    if (!diags.hasErrors())
      sema::checkFile(*file, stdlib_.get(), diags);
    std::string wrong;
    if (!diags.hasErrors())
      for (const auto &k : file->kernels)
        wrong += kernel(*file, *k, sources, next, diags);
    for (const Diagnostic &d : diags.all())
      wrong += place(sources, d.range) + (d.message.empty() ? "an empty message\n" : "");
    renderText(diags, sources);
    if (isValid)
      *isValid = !diags.hasErrors() && !file->kernels.empty();
    return wrong;
  }

private:
  std::string kernel(const ast::File &file, const ast::Kernel &k, const SourceManager &sources,
                     const Next &next, Diagnostics &diags) const {
    Diagnostics own;
    sema::Space space = sema::buildSpace(k, own);
    Point point;
    std::string wrong;
    if (!own.hasErrors() && sema::completePoint(space, {}, point, own)) {
      auto typed = sema::check(file, k, stdlib_.get(), point, own);
      if ((typed != nullptr) == own.hasErrors())
        wrong = typed ? "a kernel in spite of errors\n" : "no kernel and no error\n";
      if (typed)
        sema::dump(*typed);
      if (typed && next)
        wrong += next(*typed, sources);
    }
    diags.append(own);
    return wrong;
  }

  static std::string place(const SourceManager &sources, SourceRange r) {
    if (!r.isValid())
      return "";
    bool inside = r.file < sources.size() && r.begin <= r.end && r.end <= sources.file(r.file).text().size();
    return inside ? "" : "a place outside of the text\n";
  }

  std::string text_;
  std::unique_ptr<ast::File> stdlib_;
};

} // namespace phobos::test
