// Diagnostics as values: declared once in Diagnostics.def, reported by name, collected in a list, rendered as
// text or JSON.
#pragma once
#include "compiler/support/Source.h"
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace phobos {

enum class Severity : uint8_t { Error, Warning, Note };

/// One line of Diagnostics.def.
struct DiagnosticInfo {
  const char *code; ///< E0123 or W0123, stable
  Severity severity;
  const char *name;   ///< the enumerator, as a test names it
  const char *format; ///< {0}, {1}, .. are the arguments
};

enum class diag : uint16_t {
#define DIAGNOSTIC(CODE, SEVERITY, NAME, FORMAT) NAME,
#include "compiler/support/Diagnostics.def"
  Count
};

const DiagnosticInfo &info(diag id);

struct DiagnosticNote {
  std::string message;
  SourceRange range; ///< may be invalid
};

struct Diagnostic {
  diag id;
  SourceRange range; ///< may be invalid (a message about the command line)
  std::string message;
  std::vector<DiagnosticNote> notes;
  std::optional<std::string> help;
  std::vector<std::string> args; ///< what the message was made of, for who decides by it
  Severity severity() const { return info(id).severity; }
};

/// What a phase reports into. Not thread-safe; one per compilation.
class Diagnostics {
public:
  /// Lets a report carry notes and a help line: `diags.report(..).note(range, "declared here").help("write
  /// ..")`.
  class Builder {
  public:
    Builder(Diagnostics &owner, size_t index) : owner_(owner), index_(index) {}
    Builder &note(SourceRange range, const std::string &message);
    Builder &help(const std::string &message);

  private:
    Diagnostics &owner_;
    size_t index_; ///< ~0 where the message was dropped (a duplicate, or past the limit)
  };

  template <typename... Args> Builder report(diag id, SourceRange range, const Args &...args) {
    return reportText(id, range, {text(args)...});
  }
  Builder reportText(diag id, SourceRange range, const std::vector<std::string> &args);

  const std::vector<Diagnostic> &all() const { return list_; }
  unsigned errorCount() const { return errors_; }
  bool hasErrors() const { return errors_ != 0; }
  /// True once the limit (64 errors) is reached: phases stop early.
  bool isFull() const { return errors_ >= 64; }
  void append(const Diagnostics &other);
  /// In the order of their places; those of one place keep theirs.
  void sortByPlace();

private:
  static std::string text(const std::string &s) { return s; }
  static std::string text(std::string_view s) { return std::string(s); }
  static std::string text(const char *s) { return s; }
  template <typename T>
    requires std::is_integral_v<T>
  static std::string text(T n) {
    return std::to_string(n);
  }

  std::vector<Diagnostic> list_;
  unsigned errors_ = 0;
};

/// Replaces {0}, {1}, .. in `format`.
std::string formatMessage(std::string_view format, const std::vector<std::string> &args);

/// `file:line:col: error[E0123]: message`, the source line, carets, notes, help.
std::string renderText(const Diagnostics &diags, const SourceManager &sources, bool color = false);
std::string renderText(const Diagnostic &diagnostic, const SourceManager &sources, bool color = false);
/// One JSON object a line: severity, code, file, line, column, message, notes [{message, file, line,
/// column}], help.
std::string renderJson(const Diagnostics &diags, const SourceManager &sources);

} // namespace phobos
