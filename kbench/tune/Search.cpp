#include "kbench/tune/Search.h"
#include "kbench/tune/Finals.h"
#include "kbench/tune/PlainPoint.h"
#include "kbench/tune/RoofTask.h"
#include "kbench/workers/Messages.h"
#include <algorithm>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

namespace phobos::kbench {

PoolOptions workerPool(const Session &session, const SearchOptions &options, const char *role,
                       unsigned workers) {
  PoolOptions pool;
  pool.command = options.workerCommand;
  pool.command.push_back(role);
  pool.greeting = session.toLine();
  pool.workers = workers;
  pool.interrupt = options.interrupt;
  return pool;
}

namespace {

DeviceInfo parseDevice(const std::string &line) {
  auto j = nlohmann::json::parse(line, nullptr, false);
  return j.is_object() ? DeviceInfo{j.value("name", ""), j.value("driver", ""), j.value("processor", ""),
                                    j.value("facts", "")}
                       : DeviceInfo{};
}

/// Compare: only with the plain point, by the interpreter.
enum class Stage : uint8_t { Compile, Compare, Verify, Full, Time };
bool isOfCompilers(Stage s) { return s == Stage::Compile || s == Stage::Compare; }

/// What the end of a worker means for the point it was on; nullopt: give it another chance.
std::optional<Verdict> verdictOf(const Outcome &o, Stage stage, std::chrono::milliseconds limit,
                                 bool secondTime) {
  std::string seconds =
      std::to_string(limit.count() / 1000) + "." + std::to_string(limit.count() % 1000 / 100) + " s";
  switch (o.kind) {
  case Outcome::Kind::Crash:
    return Verdict{isOfCompilers(stage) ? Status::CompileError : Status::Fault, "",
                   (isOfCompilers(stage) ? "the compiler " : "the device worker ") + o.detail};
  case Outcome::Kind::Timeout:
    if (!o.phase.empty()) // compiled, but what it must compute is not known: the kernel itself does not end
      return Verdict{Status::Hang, "", o.phase + " did not end within " + seconds};
    return Verdict{isOfCompilers(stage) ? Status::CompileTimeout : Status::Hang, "",
                   "no answer within " + seconds};
  default:
    if (!secondTime)
      return std::nullopt;
    return Verdict{Status::Lost, "", "its worker " + o.detail + ", twice"};
  }
}

/// The flow of points through the workers.
class Flow {
public:
  Flow(const Session &session, PointSource &source, const SearchOptions &options, const SearchEvents &events,
       std::map<std::string, Measurement> known, Pool &device, SearchOutcome &outcome)
      : session_(session), source_(source), options_(options), events_(events), known_(std::move(known)),
        outcome_(outcome), compilers_(workerPool(session, options, "compile", options.compileWorkers)),
        device_(device),
        again_{Pool(freshCompilers(session, options)), Pool(workerPool(session, options, "device", 1))},
        roofs_(options.keptRoof), plain_(session, options) {
    outcome_.noFullSize = options.noFullSize;
    outcome_.roof = options.keptRoof.value_or(Roof());
  }

  void run() {
    if (!options_.sharesProcessor || roofs_.isBegun()) // else the roof would be measured beside their start
      beginCompilers();
    if (!options_.sharesProcessor)
      again_.device.begin(1);
    while (outcome_.environmentError.empty() && !outcome_.wasInterrupted) {
      giveWork();
      if (!outcome_.environmentError.empty() ||
          (sourceEnded_ && compilers_.busy() == 0 && device_.busy() == 0 && isEmpty() && plain_.isSettled()))
        break;
      outcome_.wasInterrupted =
          waitForAny({&compilers_, &device_}, options_.interrupt, std::chrono::milliseconds(500));
      for (Pool *pool : {&compilers_, &device_})
        for (Outcome &o : pool->collect())
          ended(o);
      report();
      checkpoint();
    }
    if (outcome_.device.name.empty())
      outcome_.device = parseDevice(device_.readyLine());
  }

  std::string folder(size_t i) const { return session_.directory + "/p" + std::to_string(i); }
  Pool &compilers() { return compilers_; }
  FreshWorkers &again() { return again_; }

private:
  static PoolOptions freshCompilers(const Session &session, const SearchOptions &options) {
    PoolOptions pool = workerPool(session, options, "compile",
                                  options.sharesProcessor ? 1 : static_cast<unsigned>(Finals::maxFinalists));
    pool.isOnceOnly = true;
    return pool;
  }

  // What is no point's: jobs beyond every index.
  static constexpr uint64_t roofJob = ~uint64_t(0), plainJob = roofJob - 1;

  void ended(const Outcome &o) {
    if (o.job == roofJob)
      measuredRoof(o);
    else if (o.job == plainJob)
      plainEnded(o);
    else if (stages_[o.job] == Stage::Compile)
      compiled(o);
    else if (stages_[o.job] == Stage::Compare)
      compared(o);
    else
      ran(o);
  }

  void beginCompilers() {
    const double most = std::max(1.0, options_.expectedPoints) + (plain_.isSettled() ? 0 : 1);
    compilers_.begin(static_cast<unsigned>(std::min<double>(options_.compileWorkers, most)));
  }

  bool giveOwn(Pool &pool, uint64_t job, const Request &request, std::chrono::milliseconds limit) {
    const bool given = pool.give(job, request.toLine(), limit, outcome_.environmentError, options_.runLimit);
    if (!given && outcome_.environmentError.empty())
      outcome_.environmentError = "a worker cannot be started";
    return given;
  }

  // The copy is the device worker's first job, products of a type follow once a point's code has said that
  // the kernel makes them. Where the compilers share its processor they wait, and all is measured before.
  void giveRoof() {
    if (!device_.hasIdle())
      return;
    if (auto request = roofs_.next(options_.sharesProcessor ? Products{} : outcome_.products))
      giveOwn(device_, roofJob, *request, options_.runLimit);
  }

  void measuredRoof(const Outcome &o) {
    const bool isFirst = !roofs_.isBegun();
    outcome_.spent.roof += o.seconds;
    roofs_.ended(o, outcome_.roof, outcome_.noProductRoof);
    if (isFirst && options_.sharesProcessor)
      beginCompilers();
  }

  void givePlain() {
    if (!plain_.wantsWorker() || timing_ || (options_.sharesProcessor && !roofs_.isBegun()))
      return;
    const bool compiles = plain_.wantsCompiler();
    if (Pool &pool = compiles ? compilers_ : device_; pool.hasIdle())
      giveOwn(pool, plainJob, plain_.take(), compiles ? options_.compileLimit : options_.runLimit);
  }

  void plainEnded(const Outcome &o) {
    (plain_.wantsCompiler() ? outcome_.spent.compiling : outcome_.spent.reference) += o.seconds;
    plain_.ended(o);
    if (!plain_.isSettled())
      return;
    outcome_.plain = plain_.found();
    outcome_.noFullSize = plain_.why();
    for (size_t i : std::exchange(waiting_, {}))
      afterSmall(i);
  }

  // A point that is right at small sizes waits for the plain point; then it is compared with it at full size,
  // if the interpreter says that both compute the same.
  void afterSmall(size_t i) {
    Measurement &m = outcome_.results[i].measurement;
    if (!plain_.isSettled()) {
      waiting_.push_back(i);
    } else if (!outcome_.plain) {
      m.verdict.detail = outcome_.noFullSize;
      toTime_.push_back(i);
    } else if (comparedWith_[i] != plain_.candidate()) {
      toCompare_.push_back(i); // it was compared with one that has failed since
    } else {
      m.verdict.detail = notes_[i];
      (notes_[i].empty() ? toFull_ : toTime_).push_back(i);
    }
  }

  void compared(const Outcome &o) {
    outcome_.spent.compiling += o.seconds;
    auto reply = answerOf(o, Stage::Compare);
    if (!reply)
      return;
    comparedWith_[o.job] = plain_.candidate();
    notes_[o.job] = reply->note;
    afterSmall(o.job);
  }

  // Points wait between stages; a processor that is shared works in batches, so that nothing compiles while a
  // point is timed.
  static constexpr size_t batch = 64;
  size_t compiledAlready() const {
    return toVerify_.size() + waiting_.size() + toFull_.size() + toTime_.size();
  }
  bool isEmpty() const { return toRepeat_.empty() && toCompare_.empty() && compiledAlready() == 0; }
  bool mayCompile() const {
    if (!options_.sharesProcessor)
      return compiledAlready() < batch;
    return roofs_.isBegun() && !timing_ && compiledAlready() + compilers_.busy() < batch;
  }

  void giveWork() {
    giveRoof();
    givePlain();
    while (compilers_.hasIdle() && !toCompare_.empty() && !timing_)
      if (!give(compilers_, take(toCompare_), Stage::Compare))
        return;
    while (mayCompile() && compilers_.hasIdle())
      if (!compileNext())
        break;
    if (sourceEnded_ && compilers_.busy() == 0 && !options_.sharesProcessor && !isAgainBegun_) {
      isAgainBegun_ = true;
      again_.compilers.begin(
          static_cast<unsigned>(std::min<size_t>(outcome_.results.size(), Finals::maxFinalists)));
    }
    bool quiet = compilers_.busy() == 0 && toVerify_.empty() && waiting_.empty() && toFull_.empty() &&
                 toRepeat_.empty() && toCompare_.empty() && (sourceEnded_ || toTime_.size() >= batch);
    if (toTime_.empty())
      timing_ = false;
    else if (options_.sharesProcessor && quiet)
      timing_ = true;
    while (device_.hasIdle() && outcome_.environmentError.empty()) {
      if (!toVerify_.empty() && !timing_) {
        give(device_, take(toVerify_), Stage::Verify);
      } else if (!toFull_.empty() && !timing_) {
        give(device_, take(toFull_), Stage::Full);
      } else if (!toTime_.empty() && (timing_ || !options_.sharesProcessor)) {
        give(device_, take(toTime_), Stage::Time);
      } else {
        break;
      }
    }
  }

  static size_t take(std::deque<size_t> &queue) {
    size_t i = queue.front();
    queue.pop_front();
    return i;
  }

  // False if there is nothing to compile.
  bool compileNext() {
    if (!toRepeat_.empty())
      return give(compilers_, take(toRepeat_), Stage::Compile);
    if (sourceEnded_)
      return false;
    auto point = source_.next();
    if (!point) {
      sourceEnded_ = true;
      return false;
    }
    size_t i = outcome_.results.size();
    PointResult result;
    result.measurement.stage = "search";
    result.measurement.point = *point;
    attempts_.push_back(0);
    notes_.emplace_back();
    comparedWith_.emplace_back();
    if (auto it = known_.find(point->str()); it != known_.end()) {
      result.measurement = it->second;
      result.fromLedger = true;
      outcome_.results.push_back(std::move(result));
      ++done_;
      noteBest(i);
      return true;
    }
    outcome_.results.push_back(std::move(result));
    return give(compilers_, i, Stage::Compile);
  }

  bool give(Pool &pool, size_t i, Stage stage) {
    Request request;
    request.kind = stage == Stage::Compile   ? Request::Kind::Compile
                   : stage == Stage::Compare ? Request::Kind::Compare
                   : stage == Stage::Verify  ? Request::Kind::Verify
                   : stage == Stage::Full    ? Request::Kind::VerifyFull
                                             : Request::Kind::Time;
    request.items = {{outcome_.results[i].measurement.point.str(), folder(i), ""}};
    if (stage == Stage::Full || stage == Stage::Compare)
      request.items.push_back(*outcome_.plain);
    if (stage == Stage::Compile) {
      comparedWith_[i] = plain_.candidate();
      if (comparedWith_[i])
        request.items.push_back(plain_.item());
    }
    request.seed = session_.seed;
    request.budgetMs = options_.budgetMs;
    if (best_)
      request.slowNs = Finals::isSlow * outcome_.results[*best_].summary().median;
    stages_[i] = stage;
    return giveOwn(pool, i, request, isOfCompilers(stage) ? options_.compileLimit : options_.runLimit);
  }

  // Takes an answer apart; nullopt where the point waits for another attempt, or has ended.
  std::optional<Reply> answerOf(const Outcome &o, Stage stage) {
    size_t i = o.job;
    Reply reply;
    if (o.kind == Outcome::Kind::Answer && Reply::fromLine(o.answer, reply)) {
      if (reply.verdict.ok())
        return reply;
      if (stage == Stage::Compile)
        outcome_.results[i].measurement.compileMs = reply.compileMs;
      end(i, reply.verdict);
      return std::nullopt;
    }
    Outcome lost = o;
    if (o.kind == Outcome::Kind::Answer)
      lost.kind = Outcome::Kind::Lost, lost.detail = "answered what nobody understands";
    auto limit = stage == Stage::Compile && o.phase.empty() ? options_.compileLimit : options_.runLimit;
    if (auto verdict = verdictOf(lost, stage, limit, attempts_[i] > 0)) {
      end(i, *verdict);
    } else {
      ++attempts_[i];
      (stage == Stage::Compile   ? toRepeat_
       : stage == Stage::Compare ? toCompare_
       : stage == Stage::Verify  ? toVerify_
       : stage == Stage::Full    ? toFull_
                                 : toTime_)
          .push_back(i);
    }
    return std::nullopt;
  }

  void compiled(const Outcome &o) {
    outcome_.spent.compiling += o.seconds;
    auto reply = answerOf(o, Stage::Compile);
    if (!reply)
      return;
    Measurement &m = outcome_.results[o.job].measurement;
    m.resources = reply->resources;
    m.flops = reply->flops;
    m.bytes = reply->bytes;
    m.isComputeBound = reply->isComputeBound;
    m.cases = reply->cases;
    m.compileMs = reply->compileMs;
    outcome_.products = reply->products;
    outcome_.results[o.job].warning = reply->warning;
    notes_[o.job] = reply->note;
    toVerify_.push_back(o.job);
  }

  void ran(const Outcome &o) {
    Stage stage = stages_[o.job];
    Spent &s = outcome_.spent;
    (stage == Stage::Verify ? s.small : stage == Stage::Full ? s.full : s.timing) += o.seconds;
    auto reply = answerOf(o, stage);
    if (!reply)
      return;
    Measurement &m = outcome_.results[o.job].measurement;
    if (stage == Stage::Verify) {
      m.worstError = reply->worstError;
      afterSmall(o.job);
      return;
    }
    if (stage == Stage::Full) {
      m.worstError = std::max(m.worstError, reply->worstError);
      m.verdict.detail = reply->note;
      toTime_.push_back(o.job);
      return;
    }
    m.samplesNs = reply->samples.empty() ? std::vector<double>{} : reply->samples[0];
    end(o.job, {Status::Ok, "", m.verdict.detail});
  }

  void end(size_t i, Verdict verdict) {
    Measurement &m = outcome_.results[i].measurement;
    m.verdict = std::move(verdict);
    ended_.insert(i);
    ++done_;
    if (events_.measured)
      events_.measured(m);
    noteBest(i);
    // The files of a point that cannot come into the finals are of no more use.
    const PointResult &r = outcome_.results[i];
    if (r.status() != Status::Ok || r.summary().median > 2 * outcome_.results[*best_].summary().median) {
      std::error_code ignored;
      std::filesystem::remove_all(folder(i), ignored);
    }
  }

  void noteBest(size_t i) {
    const PointResult &r = outcome_.results[i];
    if (r.status() != Status::Ok)
      return;
    ++ok_;
    if (!best_ || r.summary().median < outcome_.results[*best_].summary().median)
      best_ = i;
  }

  void checkpoint() {
    const auto now = Clock::now();
    if (!events_.soFar || done_ == checkpointed_ || now - lastCheckpoint_ < std::chrono::seconds(2))
      return;
    checkpointed_ = done_;
    SearchOutcome sofar;
    sofar.wasInterrupted = true; // as it stands, the search is not over
    sofar.device = outcome_.device;
    sofar.roof = outcome_.roof;
    sofar.products = outcome_.products;
    sofar.plain = outcome_.plain;
    sofar.noFullSize = outcome_.noFullSize;
    for (size_t i = 0; i < outcome_.results.size(); ++i)
      if (hasEnded(i))
        sofar.results.push_back(outcome_.results[i]);
    sofar.ranking = rankAll(sofar.results);
    events_.soFar(sofar);
    lastCheckpoint_ = Clock::now();
  }
  bool hasEnded(size_t i) const { return ended_.count(i) || outcome_.results[i].fromLedger; }

  void report() {
    if (!events_.progress)
      return;
    Progress p{done_, ok_,
               timing_                                         ? "timing"
               : !roofs_.isBegun() && outcome_.results.empty() ? "measuring what the device can do"
               : compilers_.busy()                             ? "compiling"
                                                               : "verifying",
               best_ ? &outcome_.results[*best_] : nullptr};
    events_.progress(p);
  }

public:
  /// Points that an interrupt caught half way have no result.
  void dropUnfinished() {
    std::vector<PointResult> finished;
    for (size_t i = 0; i < outcome_.results.size(); ++i)
      if (hasEnded(i))
        finished.push_back(std::move(outcome_.results[i]));
    outcome_.results = std::move(finished);
  }

private:
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
  std::deque<size_t> toRepeat_, toVerify_, waiting_, toCompare_, toFull_,
      toTime_; ///< toRepeat_: to compile once more
  std::vector<std::string>
      notes_; ///< why a point is not compared with candidate `comparedWith_`; empty: it is
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

} // namespace

SearchOutcome search(const Session &session, PointSource &source, const SearchOptions &options,
                     const SearchEvents &events, std::map<std::string, Measurement> known, Pool &device) {
  SearchOutcome outcome;
  const Clock::time_point since = Clock::now();
  Flow flow(session, source, options, events, std::move(known), device, outcome);
  flow.run();
  auto noteInterrupt = [&] { // also where it came while a worker was being started
    if (options.interrupt && options.interrupt->isRaised()) {
      outcome.wasInterrupted = true;
      outcome.environmentError.clear();
    }
  };
  noteInterrupt();
  if (!outcome.wasInterrupted && outcome.environmentError.empty()) {
    Finals finals(session, options, events, flow.compilers(), device, flow.again(), outcome);
    finals.run();
    if (!outcome.winnerHeld)
      noteInterrupt();
  }
  if (outcome.wasInterrupted || !outcome.environmentError.empty()) {
    flow.dropUnfinished();
    outcome.ranking = rankAll(outcome.results);
  }
  outcome.spent.compileWorkers = flow.compilers().started();
  outcome.spent.total = std::chrono::duration<double>(Clock::now() - since).count();
  return outcome;
}

bool askDevice(Pool &device, DeviceInfo &info, std::string &error) {
  if (!device.start(error))
    return false;
  info = parseDevice(device.readyLine());
  return true;
}

} // namespace phobos::kbench
