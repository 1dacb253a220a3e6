// What every tool says of a command line that CLI11 does not take.
#pragma once

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace phobos::driver {

/// Prints CLI11's message, or the help that was asked for; under a word that is no option, subcommand or
/// value the nearest that is one. Returns the exit status.
int finishParsing(const CLI::App &app, const CLI::ParseError &error);

} // namespace phobos::driver
