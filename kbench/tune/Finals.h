// The end of a search: the fastest points timed in turns until their intervals separate, and the winner
// verified again in fresh processes on fresh inputs.
#pragma once
#include "kbench/tune/Search.h"
#include "kbench/workers/Messages.h"
#include "kbench/workers/Pool.h"

namespace phobos::kbench {

/// Indices of the ok results: those that were in the finals by their medians there, after them the others by
/// their medians in the search. Medians of the two kinds were taken under different conditions and are never
/// compared.
std::vector<size_t> rankAll(const std::vector<PointResult> &results);

class Finals {
public:
  Finals(const Session &session, const SearchOptions &options, const SearchEvents &events, Pool &compilers,
         Pool &device, SearchOutcome &outcome)
      : session_(session), options_(options), events_(events), compilers_(compilers), device_(device),
        outcome_(outcome) {}
  void run();

private:
  std::vector<size_t> chooseFinalists() const;
  /// Makes the files of a point that an earlier run measured. False if that fails now.
  bool prepare(size_t result);
  /// Verifies the library's routine like a point. False on an interrupt; where there is none, the outcome has
  /// a note.
  bool prepareBaseline(size_t result);
  bool rounds(std::vector<Finalist> &finalists);
  void decide(std::vector<Finalist> &finalists);
  bool confirm(size_t result);
  void fail(size_t result, const Verdict &verdict, const char *stage);
  /// One request to a pool and its outcome; nullopt on an interrupt.
  std::optional<Outcome> ask(Pool &pool, const Request &request, std::chrono::milliseconds limit);
  void report(const std::string &doing);
  std::string folder(size_t result) const { return session_.directory + "/p" + std::to_string(result); }

  const Session &session_;
  const SearchOptions &options_;
  const SearchEvents &events_;
  Pool &compilers_, &device_;
  SearchOutcome &outcome_;
  std::optional<Request::Item> baseline_; ///< what the device worker is asked for it; none: not timed
};

} // namespace phobos::kbench
