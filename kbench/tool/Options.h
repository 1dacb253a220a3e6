// The command line of phobos-kbench.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phobos::kbench {

struct Options {
  std::string file, kernel;
  std::string target = "auto";
  int device = 0;
  std::vector<std::string> autotune, pin, points; ///< points are files of tuples
  std::vector<std::string> dims, args;
  std::string grid;
  bool list = false, roof = false, fresh = false, best = false, noStd = false, quiet = false;
  std::optional<size_t> limit;
  std::string shard;                                ///< I/N
  std::optional<std::pair<size_t, size_t>> shardOf; ///< the same as numbers, from 0
  std::vector<std::string> csv, json, merge;
  std::string ledger, baseline;
  double compileSeconds = 60, runSeconds = 30, budgetMs = 200;
  unsigned jobs = 0;
  uint64_t seed = 1;
  bool warmCache = false;
  std::string command;       ///< as it was called, for the ledger
  std::string resumeCommand; ///< the same without --fresh; empty: it has none
};

/// An exit status if the program should end here (--help, --version, or a mistake that has been reported).
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace phobos::kbench
