// One section of a .rules file (README.md beside this says what may stand in it).
#pragma once
#include "runtime/contract/ScalarType.h"
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phobos::testing {

struct TensorText {
  ScalarType elem = ScalarType::F32;
  std::vector<int64_t> extents;
  std::vector<std::string> values;
};

struct ExpectedMessage {
  std::string code;
  unsigned line = 0; ///< of the program
  std::vector<std::string> words;
};

struct Section {
  std::string file;
  unsigned line = 0; ///< of its `===`
  std::vector<std::string> rules;
  std::map<std::string, TensorText> in, out;
  std::map<std::string, std::string> scalars;
  std::string point;
  std::optional<std::array<int64_t, 3>> grid;
  double tolerance = 0;
  std::vector<ExpectedMessage> messages;
  bool isChecked = false;                ///< a checking run in the interpreter alone
  std::vector<ExpectedMessage> findings; ///< of it
  std::vector<std::string> launchWords;
  std::string refusedCode; ///< by the CPU target
  std::vector<std::string> refusedWords;
  std::string program;

  bool expectsError() const;
};

/// The sections of one file; `problem` says what is wrong with it.
std::vector<Section> readSections(const std::string &path, std::string &problem);

} // namespace phobos::testing
