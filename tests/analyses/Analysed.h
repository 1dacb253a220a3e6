// One kernel checked, with what the analyses found.
#pragma once
#include "tests/sema/Sources.h"

namespace phobos::test {

struct Analysed {
  std::unique_ptr<Checked> checked;

  explicit Analysed(const std::string &text) : checked(checkSource(text)) {}
  const sema::TypedKernel &kernel() const { return *checked->kernels.at(0); }
  bool isValid() const { return !checked->kernels.empty() && checked->kernels[0]; }

  /// `E0620@3:5 W0630@7:1`
  std::string codes() const {
    std::string out;
    for (const Diagnostic &d : checked->diags.all()) {
      out += (out.empty() ? "" : " ") + std::string(info(d.id).code);
      if (d.range.isValid() && checked->sources.file(d.range.file).name() == "test.pho") {
        LineColumn at = checked->sources.file(d.range.file).lineColumn(d.range.begin);
        out += "@" + std::to_string(at.line) + ":" + std::to_string(at.column);
      }
    }
    return out;
  }
  /// Message, notes and help of the first diagnostic.
  std::string words() const {
    if (checked->diags.all().empty())
      return "";
    const Diagnostic &d = checked->diags.all()[0];
    std::string out = d.message;
    for (const DiagnosticNote &n : d.notes)
      out += "\n" + n.message;
    return out + "\n" + d.help.value_or("");
  }
};

} // namespace phobos::test
