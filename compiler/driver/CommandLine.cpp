#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Status.h"
#include "compiler/support/Suggest.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

namespace phobos::driver {

namespace {

using Names = std::vector<std::string>;

Names optionNames(const CLI::App &app) {
  Names names;
  for (const CLI::Option *option : app.get_options())
    for (const std::string &n : option->get_lnames())
      names.push_back("--" + n);
  return names;
}

Names subcommandNames(const CLI::App &app) {
  Names names;
  for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

/// The first word that nothing takes and that is near to an option or a subcommand.
std::optional<std::string> nearestOfApp(const CLI::App &app) {
  const Names subcommands = subcommandNames(app);
  for (std::string word : app.remaining()) {
    word = word.substr(0, word.find('='));
    if (word.size() > 2 && word[0] == '-' && word[1] != '-')
      word = "-" + word; // `-output`
    if (auto near = nearest(word, word.starts_with("--") ? optionNames(app) : subcommands))
      return near;
  }
  for (const CLI::App *sub : app.get_subcommands())
    if (auto near = nearestOfApp(*sub))
      return near;
  return std::nullopt;
}

/// Of `--emit: object not in {ast,typed,ir}` the nearest in the braces.
std::optional<std::string> nearestOfValues(const std::string &message) {
  constexpr std::string_view middle = " not in {";
  const size_t colon = message.find(": "), in = message.find(middle), end = message.rfind('}');
  if (colon == std::string::npos || in == std::string::npos || end == std::string::npos || in < colon + 2)
    return std::nullopt;
  Names values;
  for (size_t from = in + middle.size(); from < end;) {
    const size_t comma = std::min(message.find(',', from), end);
    values.push_back(message.substr(from, comma - from));
    from = comma + 1;
  }
  const std::string word = message.substr(colon + 2, in - colon - 2);
  if (auto near = nearest(word, values))
    return near;
  for (const std::string &v : values) // `object` for `obj`
    if (v.size() > 1 && (word.starts_with(v) || v.starts_with(word)) && !word.empty())
      return v;
  return std::nullopt;
}

/// `T=8`
bool isAssignment(const std::string &word) {
  const size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

const CLI::App *lastSubcommand(const CLI::App &app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? &app : lastSubcommand(*parsed.back());
}

} // namespace

std::string strayValue(const CLI::App &app, int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with("--"))
      continue;
    // `--pin T=8 U=1` or `--pin=T=8 U=1`
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    std::vector<std::string> values;
    if (equals != std::string::npos)
      values.push_back(words[i].substr(equals + 1));
    for (size_t j = i + 1; j < words.size() && isAssignment(words[j]); ++j)
      values.push_back(words[j]);
    const CLI::Option *option = lastSubcommand(app)->get_option_no_throw(name);
    if (values.size() < 2 || !isAssignment(values[0]) || !option || option->get_items_expected_max() == 0)
      continue;
    const bool isOneEach = name == "--arg" || name == "--out";
    std::string text = isOneEach ? "" : name + " \"";
    for (size_t v = 0; v < values.size(); ++v)
      text += (v ? " " : "") + (isOneEach ? name + " " : "") + values[v];
    return "'" + values[1] + "' is a word of its own: write " + text + (isOneEach ? "" : "\"");
  }
  return "";
}

int finishParsing(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv) {
  if (app.exit(error) == 0)
    return Success;
  if (const std::string stray = strayValue(app, argc, argv); !stray.empty()) {
    std::cerr << "help: " << stray << "\n";
    return UsageFault;
  }
  auto near = nearestOfApp(app);
  if (!near)
    near = nearestOfValues(error.what());
  if (near)
    std::cerr << "help: did you mean '" << *near << "'?\n";
  return UsageFault;
}

} // namespace phobos::driver
