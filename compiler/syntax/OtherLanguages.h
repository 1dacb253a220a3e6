// Syntax errors that are habits of Python, Triton, C or CUDA: what to write instead.
#pragma once
#include "PhobosParser.h"
#include <string>

namespace phobos::syntax {

/// Where the parser stands at an error.
struct ErrorPlace {
  antlr4::TokenStream &tokens;
  antlr4::Token *found;
  size_t rule;      ///< of the grammar, that could not go on
  size_t statement; ///< the index of the first token of the statement or declaration
  std::string expected;
};

/// The help line for a habit of another language; empty where the error looks like none.
std::string habitHelp(const ErrorPlace &place);

} // namespace phobos::syntax
