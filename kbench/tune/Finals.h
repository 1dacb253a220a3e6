// The end of a search: the fastest points timed in turns until their intervals separate, and the winner
// verified again in fresh processes on fresh inputs.
#pragma once
#include "kbench/tune/Search.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Pool.h"
#include <set>

namespace phobos::kbench {

/// Indices of the ok results: those that were in the finals by their medians there, after them the others by
/// their medians in the search. Medians of the two kinds were taken under different conditions and are never
/// compared.
std::vector<size_t> rankAll(const std::vector<PointResult> &results);

/// Indices of the results that go to the finals, at most `most`, the best of the search first: those whose
/// medians are near its median, or whose confidence intervals overlap with its.
std::vector<size_t> finalistsOf(const std::vector<PointResult> &results, size_t most);

/// Workers that have done nothing yet, for the winner to be verified in again.
struct FreshWorkers {
  Pool compilers, device;
};

class Finals {
public:
  Finals(const Session &session, const SearchOptions &options, const SearchEvents &events, Pool &compilers,
         Pool &device, FreshWorkers &again, SearchOutcome &outcome)
      : session_(session), options_(options), events_(events), compilers_(compilers), device_(device),
        again_(again), outcome_(outcome) {}
  void run();
  static constexpr size_t maxFinalists = 8;
  /// Of the best median so far: a point all of whose first repeats take longer is timed no further: it
  /// hardly comes into the finals.
  static constexpr double isSlow = 1.25;

private:
  /// Makes the files of a point that an earlier run measured. False if that fails now.
  bool prepare(size_t result);
  /// Verifies the library's routine like a point. False on an interrupt; where there is none, the outcome has
  /// a note.
  bool prepareBaseline(size_t result);
  bool verifyBaselineInFull(Request request, Reply &reply);
  bool rounds(std::vector<Finalist> &finalists);
  void decide(std::vector<Finalist> &finalists);
  bool confirm(size_t result);
  void fail(size_t result, const Verdict &verdict, const char *stage);
  /// One request to a pool and its outcome; nullopt on an interrupt.
  bool give(Pool &pool, uint64_t job, const Request &request, std::chrono::milliseconds limit);
  std::optional<Outcome> await(Pool &pool, uint64_t job);
  std::optional<Outcome> ask(Pool &pool, const Request &request, std::chrono::milliseconds limit);
  void report(const std::string &doing);
  std::string folder(size_t result) const { return session_.directory + "/p" + std::to_string(result); }

  const Session &session_;
  const SearchOptions &options_;
  const SearchEvents &events_;
  /// The compiling for confirm(), of every finalist while the rounds go on.
  Request againRequest(size_t result) const;
  void compileAgainAhead(const std::vector<Finalist> &finalists);
  std::optional<Outcome> compileAgain(size_t result);

  static constexpr uint64_t aloneJob = ~uint64_t(0); ///< results are jobs by their index
  Pool &compilers_, &device_;
  FreshWorkers &again_;
  std::set<size_t> ahead_; ///< whose compiling has been asked for
  std::map<uint64_t, Outcome> ended_;
  bool isDeviceUsed_ = false;
  SearchOutcome &outcome_;
  std::optional<Request::Item> baseline_; ///< what the device worker is asked for it; none: not timed
};

} // namespace phobos::kbench
