// What all workers of a run are told first, and the files that compile workers leave for the device worker.
#pragma once
#include "kbench/Backend.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace phobos::kbench {

/// The greeting: what is searched, and on what. The same for every point.
struct Session {
  std::string target;
  int device = 0;
  std::string file;     ///< as the user named it
  std::string textPath; ///< a copy of it as it was when the run began
  bool stdlib = true;
  std::string kernel;
  std::vector<std::pair<std::string, int64_t>> dims; ///< every runtime dimension, at the size to be timed
  std::vector<std::string> args;                     ///< as --arg gave them
  std::optional<std::array<int64_t, 3>> grid;
  std::string directory; ///< of the run: points leave their files below it
  uint64_t seed = 1;
  bool coldCache = true;
  std::string deviceFacts; ///< of DeviceInfo; empty before the device worker was asked

  std::string toLine() const;
  static bool fromLine(const std::string &line, Session &session, std::string &error);
};

/// One small size that a point is verified at.
struct VerificationCase {
  std::vector<int64_t> dims;
  std::array<int64_t, 3> grid{1, 1, 1};
  uint64_t seed = 0;
};

/// What a compile worker leaves in a point's folder.
struct PointFiles {
  Code code;
  std::vector<VerificationCase> cases;
  bool write(const std::string &folder, std::string &error) const;
  bool read(const std::string &folder, std::string &error);
};

bool writeFile(const std::string &path, const void *data, size_t bytes, std::string &error);
bool readFile(const std::string &path, std::string &bytes, std::string &error);
/// Where a case keeps an output's expected values, and its bounds.
std::string expectedPath(const std::string &folder, size_t caseIndex, size_t param, bool bounds);

} // namespace phobos::kbench
