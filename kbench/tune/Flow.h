// The flow of points through the workers: compiled, verified at small sizes and at full size, timed. Flow.cpp
// gives work, FlowEnds.cpp takes what comes back.
#pragma once
#include "kbench/tune/Finals.h"
#include "kbench/tune/PlainPoint.h"
#include "kbench/tune/RoofTask.h"
#include "kbench/tune/Search.h"
#include "kbench/workers/Messages.h"
#include <deque>
#include <set>

namespace phobos::kbench {

class Flow {
public:
  Flow(const Session &session, PointSource &source, const SearchOptions &options, const SearchEvents &events,
       std::map<std::string, Measurement> known, Pool &device, SearchOutcome &outcome);

  void run();
  /// Points that an interrupt caught half way have no result.
  void dropUnfinished();
  Pool &compilers() { return compilers_; }
  FreshWorkers &again() { return again_; }

private:
  /// Compare: only with the plain point, by the interpreter.
  enum class Stage : uint8_t { Compile, Compare, Verify, Full, Time };
  static bool isOfCompilers(Stage s) { return s == Stage::Compile || s == Stage::Compare; }
  // What is no point's: jobs beyond every index.
  static constexpr uint64_t roofJob = ~uint64_t(0), plainJob = roofJob - 1;
  // Points wait between stages; a processor that is shared works in batches, so that nothing compiles while a
  // point is timed.
  static constexpr size_t batch = 64;

  void beginCompilers();
  // The copy is the device worker's first job, products of a type follow once a point's code has said that
  // the kernel makes them. Where the compilers share its processor they wait, and all is measured before.
  void giveRoof();
  void givePlain();
  void giveWork();
  size_t compiledAlready() const;
  bool isEmpty() const { return toRepeat_.empty() && toCompare_.empty() && compiledAlready() == 0; }
  bool mayCompile() const;
  /// False if there is nothing to compile.
  bool compileNext();
  bool give(Pool &pool, size_t i, Stage stage);
  bool giveOwn(Pool &pool, uint64_t job, const Request &request, std::chrono::milliseconds limit);

  void ended(const Outcome &o);
  void measuredRoof(const Outcome &o);
  void plainEnded(const Outcome &o);
  void compiled(const Outcome &o);
  void compared(const Outcome &o);
  void ran(const Outcome &o);
  /// A point that is right at small sizes waits for the plain point; then it is compared with it at full
  /// size, if the interpreter says that both compute the same; else only whether it stores all is looked at.
  void afterSmall(size_t i);
  /// Takes an answer apart; nullopt where the point waits for another attempt, or has ended.
  std::optional<Reply> answerOf(const Outcome &o, Stage stage);
  void end(size_t i, Verdict verdict);
  bool hasEnded(size_t i) const { return ended_.count(i) || outcome_.results[i].fromLedger; }
  void noteBest(size_t i);
  void checkpoint();
  void report();
  std::string folder(size_t i) const { return session_.directory + "/p" + std::to_string(i); }

  const Session &session_;
  PointSource &source_;
  const SearchOptions &options_;
  const SearchEvents &events_;
  std::map<std::string, Measurement> known_;
  SearchOutcome &outcome_;
  Pool compilers_;
  Pool &device_;
  FreshWorkers again_;
  bool isAgainBegun_ = false;
  RoofTask roofs_;
  PlainPoint plain_;
  std::deque<size_t> toRepeat_; ///< to compile once more
  std::deque<size_t> toVerify_, waiting_, toCompare_, toFull_, toTime_;
  /// Of an ok point, with why it is not compared with candidate `comparedWith_`, if it is not.
  std::vector<Verdict> comparable_;
  std::vector<std::optional<size_t>> comparedWith_;
  std::map<size_t, Stage> stages_;
  std::vector<unsigned> attempts_;
  std::set<size_t> ended_;
  std::optional<size_t> best_;
  size_t done_ = 0, ok_ = 0, checkpointed_ = 0;
  Clock::time_point lastCheckpoint_ = Clock::now();
  bool sourceEnded_ = false;
  bool timing_ = false; ///< a shared processor is timing a batch
};

} // namespace phobos::kbench
