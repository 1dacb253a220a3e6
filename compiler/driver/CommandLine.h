// What every tool says of a command line that CLI11 does not take.
#pragma once
#include <string>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace phobos::driver {

/// Prints CLI11's message, or the help that was asked for; under a word that is no option, subcommand or
/// value the nearest that is one, under one that was to belong to an option before it how to write that.
/// Returns the exit status.
int finishParsing(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv);

/// Of `--pin T=8 U=1 FILE`, where `U=1` is a word of its own: how to write it. Empty: there is no such word.
std::string strayValue(const CLI::App &app, int argc, char **argv);

} // namespace phobos::driver
