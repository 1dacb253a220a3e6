// Everything measured, kept: an SQLite file of rows that are only ever added. "Best" is a query.
#pragma once
#include "compiler/support/Point.h"
#include "kbench/Backend.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace phobos::kbench {

/// What must be equal for two measurements to be comparable.
struct Setting {
  std::string kernel, kernelHash;
  std::string target, device, driver;
  std::string build; ///< of the compiler
  std::string mode;  ///< how it was timed: `cold cache`, `warm cache`
  std::string shape; ///< `M=1024 N=1024 K=1024`, and the grid if it was given
  std::string args;  ///< as --arg gave them
  bool operator==(const Setting &) const = default;
};

/// One search.
struct RunRecord {
  std::string id;      ///< unique over machines
  std::string started; ///< UTC, ISO 8601
  Setting setting;
  std::string search; ///< which points: pins, lists, limit, shard
  std::string file, host, command;
};

/// One thing that happened to a point.
struct Measurement {
  std::string
      stage; ///< `search`, `final`, `again`: timed in the search, among finalists, verified again as
             ///< the winner; `baseline`: a library's routine (no point; its name is in the verdict's detail)
  Point point;
  Verdict verdict; ///< of an ok one the detail says why it was not verified at full size; empty: it was
  double compileMs = 0, worstError = 0, flops = 0, bytes = 0;
  unsigned cases = 0;
  bool isComputeBound = false;
  Resources resources;
  std::vector<double> samplesNs;
};

/// A row of the ranking.
struct Ranked {
  /// In the latest run that timed it beside others. The ranking is by this first: medians of different kinds
  /// are not compared. Of a run of one point the only one has won nothing: it is Searched, among 1.
  enum class Standing : uint8_t { Winner, Finalist, Searched };
  Point point;
  Standing standing = Standing::Searched;
  size_t among = 1; ///< points that passed in that run
  double medianNs = 0, madNs = 0;
  size_t samples = 0;
};

class Ledger {
public:
  /// Opens or creates; `:memory:` keeps nothing. Null with a reason.
  static std::unique_ptr<Ledger> open(const std::string &path, std::string &error);
  /// One that nothing is added to: also where neither it nor its folder can be written.
  static std::unique_ptr<Ledger> openToRead(const std::string &path, std::string &error);
  ~Ledger();
  Ledger(const Ledger &) = delete;
  Ledger &operator=(const Ledger &) = delete;

  /// The latest run of this setting and search that was not finished.
  std::optional<std::string> unfinishedRun(const Setting &setting, const std::string &search);
  /// Fills in the id and the time.
  bool begin(RunRecord &run, std::string &error);
  bool add(const std::string &run, const Measurement &m, std::string &error);
  bool finish(const std::string &run, const std::string &outcome, std::string &error);
  /// In the order in which they were added.
  std::vector<Measurement> measurements(const std::string &run);
  /// Points that were ok in the latest run that timed them beside others (else alone), of all runs of this
  /// setting (of any build where it names none): the winners of their runs, then other finalists, then the
  /// rest, each kind the fastest first. Of one run that is the order of its report. `error` is set where the
  /// file cannot be read.
  std::vector<Ranked> ranking(const Setting &setting, std::string &error);
  /// The arguments of the runs that have measured a point in this setting but for them, the latest first.
  std::vector<std::string> otherArguments(const Setting &setting);
  /// Adds what `path` has and this one lacks.
  bool merge(const std::string &path, size_t &runsAdded, size_t &rowsAdded, std::string &error);

private:
  Ledger() = default;
  bool execute(const std::string &sql, std::string &error);
  /// `name` as SQLite takes it, a path or a URI.
  bool connect(const std::string &name, bool isReadOnly, std::string &error);
  sqlite3 *db_ = nullptr;
  std::string name_; ///< what another one attaches it by
};

/// 128 bits of a text, in hexadecimal: tells contents apart (it is no protection against intent).
std::string contentHash(std::string_view text);

} // namespace phobos::kbench
