// A generated program: a tree that prints as .pho text and can be cut down.
#pragma once
#include "compiler/support/Types.h"
#include <string>
#include <vector>

namespace phobos::differential {

/// What is known of a float value: every value is a multiple of 2^-fraction of magnitude at most `magnitude`
/// and computed without rounding, so that targets must agree exactly (`error` 0); or it is within `error` of
/// the exact one.
struct Bounds {
  double magnitude = 0;
  int fraction = 0;
  double error = 0;
  bool isExact() const { return error == 0; }
};

/// `text` with $0, $1, .. in the places of `args`.
struct Node {
  Type type;
  std::string text;
  std::vector<Node> args;
  Bounds bounds;
};

/// `text` with $n in the places of `nodes` and #n in those of `bodies` (which print in braces).
struct Statement {
  std::string text;
  std::vector<Node> nodes;
  std::vector<std::vector<Statement>> bodies;
};

struct Parameter {
  std::string name, type; ///< as written
  std::string fill;       ///< of an input: how its values are made (Inputs.h)
  bool isOutput = false;
  double tolerance = 0; ///< of an output: the largest difference between targets
};

struct Program {
  uint64_t seed = 0;
  std::vector<std::pair<std::string, int64_t>> dims; ///< runtime dimensions and their values
  std::vector<Parameter> params;
  std::vector<std::string> functions; ///< whole texts
  std::string attributes;
  std::vector<Statement> body;
};

/// The .pho text. Its first lines, `//! ..`, say all that a run needs (Inputs.h), so that a program can be
/// kept as a file.
std::string print(const Program &program);
std::string print(const Node &node);

} // namespace phobos::differential
