// What a search prints and writes.
#pragma once
#include "kbench/tune/Search.h"
#include <string>

namespace phobos::kbench {

/// What a report says about the search besides its results.
struct ReportContext {
  Setting setting;
  std::vector<std::string> names;     ///< of the points, in order
  std::vector<std::string> resources; ///< that the target's compilers tell
  std::string assembler;              ///< of the device (DeviceInfo)
  std::string file, kernelOption;     ///< `--kernel NAME` where the command needs it
  std::vector<std::pair<std::string, int64_t>> dims;
  std::string gridOption, targetOption; ///< options of the command, targetOption with those of the device
  std::vector<std::string> args;
  uint64_t seed = 1;
  std::string resumeCommand;        ///< takes an interrupted search up; empty: the command itself
  std::string roofAge;              ///< `3 h ago`, where the roof was measured before this run
  std::string baseline;             ///< the library that was asked for
  std::vector<std::string> inPlace; ///< tensors that the kernel reads and writes
};

/// `12.3 ms`, `45.6 us`.
std::string timeText(double nanoseconds);
/// `174 GFLOP/s` or `38.1 GB/s`, by what the kernel is bound by.
/// `dot bf16 makes 801000 GFLOP/s (wgmma m64n256k16)`
std::string productRoofText(const ProductRoof &roof);
std::string rateText(const Measurement &m, double nanoseconds);
/// How fast the winner is in percent of the baseline, rounded down; nullopt where they were not timed in the
/// same rounds, or where, as `whyNot` then says, the noise does not allow it.
std::optional<double> percentOfBaseline(const SearchOutcome &outcome, std::string &whyNot);
/// Words for a shell: quoted where need be.
std::string shellWord(const std::string &word);
/// The command that measures one point as this search did.
std::string reproduceCommand(const ReportContext &context, const Point &point);

/// The table of all points (of many, the fastest), why others failed, the ranking's ends and how to get the
/// winner again.
std::string reportText(const SearchOutcome &outcome, const ReportContext &context);
/// Every point in the order of the ranking, then the others; RFC 4180. The columns do not depend on how the
/// points end.
std::string reportCsv(const SearchOutcome &outcome, const ReportContext &context);
std::string reportJson(const SearchOutcome &outcome, const ReportContext &context);

} // namespace phobos::kbench
