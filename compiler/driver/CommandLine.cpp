#include "compiler/driver/CommandLine.h"
#include "compiler/driver/Status.h"
#include "compiler/support/Suggest.h"
#include <CLI/CLI.hpp>

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

} // namespace

int finishParsing(const CLI::App &app, const CLI::ParseError &error) {
  if (app.exit(error) == 0)
    return Success;
  auto near = nearestOfApp(app);
  if (!near)
    near = nearestOfValues(error.what());
  if (near)
    std::cerr << "help: did you mean '" << *near << "'?\n";
  return UsageFault;
}

} // namespace phobos::driver
