#include "compiler/support/Diagnostics.h"
#include "compiler/support/Printable.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace phobos {

static const DiagnosticInfo kInfos[] = {
#define DIAGNOSTIC(CODE, SEVERITY, NAME, FORMAT) {CODE, Severity::SEVERITY, #NAME, FORMAT},
#include "compiler/support/Diagnostics.def"
};

const DiagnosticInfo &info(diag id) { return kInfos[static_cast<size_t>(id)]; }

std::string formatMessage(std::string_view format, const std::vector<std::string> &args) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '{' && i + 2 < format.size() && format[i + 2] == '}' && format[i + 1] >= '0' &&
        format[i + 1] <= '9') {
      size_t n = static_cast<size_t>(format[i + 1] - '0');
      out += n < args.size() ? args[n] : "?";
      i += 2;
    } else {
      out += format[i];
    }
  }
  return out;
}

Diagnostics::Builder &Diagnostics::Builder::note(SourceRange range, const std::string &message) {
  if (index_ != ~size_t(0))
    owner_.list_[index_].notes.push_back({printable(message), range});
  return *this;
}

Diagnostics::Builder &Diagnostics::Builder::help(const std::string &message) {
  if (index_ != ~size_t(0))
    owner_.list_[index_].help = printable(message);
  return *this;
}

Diagnostics::Builder Diagnostics::reportText(diag id, SourceRange range,
                                             const std::vector<std::string> &args) {
  constexpr size_t kLongestArgument = 1000;
  std::vector<std::string> shown;
  for (const std::string &a : args)
    shown.push_back(printable(shortened(a, kLongestArgument)));
  Diagnostic d{id, range, formatMessage(info(id).format, shown), {}, std::nullopt, shown};
  auto same = [&](const Diagnostic &o) {
    return o.id == d.id && o.range.begin == range.begin && o.range.end == range.end &&
           o.range.file == range.file && o.message == d.message;
  };
  if (isFull() || std::any_of(list_.begin(), list_.end(), same))
    return Builder(*this, ~size_t(0));
  errors_ += d.severity() == Severity::Error;
  list_.push_back(std::move(d));
  return Builder(*this, list_.size() - 1);
}

void Diagnostics::append(const Diagnostics &other) {
  for (const Diagnostic &d : other.list_) {
    auto same = [&](const Diagnostic &o) {
      return o.id == d.id && d.range.isValid() && o.range.begin == d.range.begin &&
             o.range.end == d.range.end && o.range.file == d.range.file;
    };
    if (std::any_of(list_.begin(), list_.end(), same))
      continue; // in a function called from two kernels, or at two points
    list_.push_back(d);
    errors_ += d.severity() == Severity::Error;
  }
}

void Diagnostics::sortByPlace() {
  auto before = [](const Diagnostic &a, const Diagnostic &b) {
    return a.range.file != b.range.file ? a.range.file < b.range.file : a.range.begin < b.range.begin;
  };
  for (auto it = list_.begin(); it != list_.end(); ++it)
    std::rotate(std::upper_bound(list_.begin(), it, *it, before), it, it + 1);
}

static const char *severityName(Severity s) {
  return s == Severity::Error ? "error" : s == Severity::Warning ? "warning" : "note";
}

namespace {
struct Colors {
  const char *error = "", *warning = "", *note = "", *bold = "", *reset = "";
};
} // namespace

/// The source line and a caret line under `range`; a range over several lines is marked to the end of its
/// first.
static void renderSnippet(std::string &out, const SourceFile &file, SourceRange range) {
  LineColumn from = file.lineColumn(range.begin);
  std::string_view line = file.line(from.line);
  if (line.size() > 400)
    return; // a generated line: the place above says enough
  std::string number = std::to_string(from.line);
  auto start = static_cast<uint32_t>(line.data() - file.text().data());
  std::string shown, carets;
  bool marked = false;
  for (uint32_t i = 0; i < line.size();) {
    unsigned length = std::max(1u, printableLength(line, i));
    std::string character = printable(line.substr(i, length));
    bool mark = start + i < std::max(range.end, range.begin + 1) && start + i + length > range.begin;
    size_t width =
        printableLength(line, i) ? 1 : character.size(); // a byte that is none is shown in hexadecimal
    if (start + i + length <= range.begin || mark)
      carets += mark ? std::string(width, '^') : line[i] == '\t' ? "\t" : std::string(width, ' ');
    shown += character;
    marked |= mark;
    i += length;
  }
  out += "  " + number + " | " + shown + "\n";
  out += "  " + std::string(number.size(), ' ') + " | " + carets + (marked ? "\n" : "^\n");
}

static void renderPlace(std::string &out, const SourceManager &sources, SourceRange range) {
  if (!range.isValid())
    return;
  const SourceFile &file = sources.file(range.file);
  LineColumn at = file.lineColumn(range.begin);
  out += printable(file.name()) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
}

std::string renderText(const Diagnostic &d, const SourceManager &sources, bool color) {
  Colors c;
  if (color)
    c = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1m", "\033[0m"};
  std::string out;
  renderPlace(out, sources, d.range);
  out += std::string(d.severity() == Severity::Error ? c.error : c.warning) + severityName(d.severity()) +
         "[" + info(d.id).code + "]" + c.reset + ": " + c.bold + d.message + c.reset + "\n";
  if (d.range.isValid())
    renderSnippet(out, sources.file(d.range.file), d.range);
  for (const DiagnosticNote &n : d.notes) {
    renderPlace(out, sources, n.range);
    out += std::string(c.note) + "note" + c.reset + ": " + n.message + "\n";
    if (n.range.isValid())
      renderSnippet(out, sources.file(n.range.file), n.range);
  }
  if (d.help)
    out += std::string(c.note) + "help" + c.reset + ": " + *d.help + "\n";
  return out;
}

std::string renderText(const Diagnostics &diags, const SourceManager &sources, bool color) {
  std::string out;
  for (const Diagnostic &d : diags.all())
    out += renderText(d, sources, color);
  return out;
}

static void addPlace(nlohmann::ordered_json &j, const SourceManager &sources, SourceRange range) {
  if (range.isValid()) {
    const SourceFile &file = sources.file(range.file);
    LineColumn at = file.lineColumn(range.begin), to = file.lineColumn(range.end);
    j["file"] = file.name(), j["line"] = at.line, j["column"] = at.column;
    j["endLine"] = to.line, j["endColumn"] = to.column;
  } else {
    j["file"] = nullptr, j["line"] = 0, j["column"] = 0;
  }
}

std::string renderJson(const Diagnostics &diags, const SourceManager &sources) {
  std::string out;
  for (const Diagnostic &d : diags.all()) {
    nlohmann::ordered_json j;
    j["severity"] = severityName(d.severity());
    j["code"] = info(d.id).code;
    addPlace(j, sources, d.range);
    j["message"] = d.message;
    j["notes"] = nlohmann::ordered_json::array();
    for (const DiagnosticNote &n : d.notes) {
      nlohmann::ordered_json k;
      k["message"] = n.message;
      addPlace(k, sources, n.range);
      j["notes"].push_back(std::move(k));
    }
    j["help"] = d.help ? nlohmann::ordered_json(*d.help) : nlohmann::ordered_json(nullptr);
    out += j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return out;
}

} // namespace phobos
