#include "kbench/tune/Search.h"
#include "kbench/tune/Finals.h"
#include "kbench/workers/Messages.h"
#include <algorithm>
#include <deque>
#include <filesystem>
#include <nlohmann/json.hpp>

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
  return j.is_object() ? DeviceInfo{j.value("name", ""), j.value("driver", ""), j.value("processor", "")}
                       : DeviceInfo{};
}

enum class Stage : uint8_t { Compile, Verify, Full, Time };

/// What the end of a worker means for the point it was on; nullopt: give it another chance.
std::optional<Verdict> verdictOf(const Outcome &o, Stage stage, std::chrono::milliseconds limit,
                                 bool secondTime) {
  std::string seconds =
      std::to_string(limit.count() / 1000) + "." + std::to_string(limit.count() % 1000 / 100) + " s";
  switch (o.kind) {
  case Outcome::Kind::Crash:
    return Verdict{stage == Stage::Compile ? Status::CompileError : Status::Fault, "",
                   (stage == Stage::Compile ? "the compiler " : "the device worker ") + o.detail};
  case Outcome::Kind::Timeout:
    if (!o.phase.empty()) // compiled, but what it must compute is not known: the kernel itself does not end
      return Verdict{Status::Hang, "", o.phase + " did not end within " + seconds};
    return Verdict{stage == Stage::Compile ? Status::CompileTimeout : Status::Hang, "",
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
       std::map<std::string, Measurement> known, SearchOutcome &outcome)
      : session_(session), source_(source), options_(options), events_(events), known_(std::move(known)),
        outcome_(outcome), compilers_(workerPool(session, options, "compile", options.compileWorkers)),
        device_(workerPool(session, options, "device", 1)) {}

  void run() {
    choosePlain();
    while (outcome_.environmentError.empty() && !outcome_.wasInterrupted) {
      giveWork();
      if (!outcome_.environmentError.empty() ||
          (sourceEnded_ && compilers_.busy() == 0 && device_.busy() == 0 && isEmpty()))
        break;
      outcome_.wasInterrupted =
          waitForAny({&compilers_, &device_}, options_.interrupt, std::chrono::milliseconds(500));
      for (Outcome &o : compilers_.collect())
        compiled(o);
      for (Outcome &o : device_.collect())
        ran(o);
      report();
      checkpoint();
    }
    if (outcome_.device.name.empty())
      outcome_.device = parseDevice(device_.readyLine());
  }

  std::string folder(size_t i) const { return session_.directory + "/p" + std::to_string(i); }
  Pool &compilers() { return compilers_; }
  Pool &device() { return device_; }

private:
  // One request and its reply; nullopt where the worker failed, with the reason in `why`.
  std::optional<Reply> ask(Pool &pool, const Request &request, std::chrono::milliseconds limit,
                           std::string &why) {
    if (!pool.give(0, request.toLine(), limit, outcome_.environmentError, options_.runLimit))
      return std::nullopt;
    while (true) {
      outcome_.wasInterrupted = waitForAny({&pool}, options_.interrupt, std::chrono::milliseconds(500));
      if (outcome_.wasInterrupted)
        return std::nullopt;
      if (auto done = pool.collect(); !done.empty()) {
        Reply reply;
        const Outcome &o = done.front();
        if (o.kind == Outcome::Kind::Answer && Reply::fromLine(o.answer, reply) && reply.verdict.ok())
          return reply;
        why = o.kind == Outcome::Kind::Answer    ? reply.verdict.detail
              : o.kind == Outcome::Kind::Timeout ? "no answer in time"
                                                 : "its worker " + o.detail;
        return std::nullopt;
      }
    }
  }

  // The roof, then the first of the plain points that compiles, is right at small sizes and runs at full
  // size.
  void choosePlain() {
    if (events_.progress)
      events_.progress({0, 0, "measuring what the device can do", nullptr});
    Request roof;
    roof.kind = Request::Kind::Roof;
    roof.items = {{"", "", ""}};
    std::string none;
    if (auto reply = ask(device_, roof, options_.runLimit, none); reply && !reply->samples.empty())
      outcome_.roof = {reply->samples[0][0], reply->samples[0][1], reply->samples[0][2]};
    if (outcome_.wasInterrupted || !outcome_.environmentError.empty())
      return;
    outcome_.noFullSize = options_.noFullSize;
    for (size_t c = 0; c < options_.plainPoints.size() && !outcome_.plain; ++c) {
      if (events_.progress)
        events_.progress({0, 0, "making the reference at full size", nullptr});
      Request request;
      request.items = {
          {options_.plainPoints[c].str(), session_.directory + "/plain" + std::to_string(c), ""}};
      request.seed = session_.seed;
      std::string why;
      std::optional<Reply> reply;
      for (auto kind : {Request::Kind::Compile, Request::Kind::Verify, Request::Kind::VerifyFull}) {
        request.kind = kind;
        const bool compiles = kind == Request::Kind::Compile;
        reply = ask(compiles ? compilers_ : device_, request,
                    compiles ? options_.compileLimit : options_.runLimit, why);
        if (outcome_.wasInterrupted || !outcome_.environmentError.empty())
          return;
        if (!reply)
          break;
      }
      if (reply && reply->note.empty())
        outcome_.plain = request.items[0];
      if (reply && !reply->note.empty()) {
        outcome_.noFullSize = reply->note;
        return;
      }
      if (!reply)
        outcome_.noFullSize = "no plain point runs there: " + why;
    }
    if (outcome_.plain)
      outcome_.noFullSize.clear();
  }

  // Points wait between stages; a processor that is shared works in batches, so that nothing compiles while a
  // point is timed.
  static constexpr size_t batch = 64;
  bool isEmpty() const { return again_.empty() && toVerify_.empty() && toFull_.empty() && toTime_.empty(); }
  bool mayCompile() const {
    if (!options_.sharesProcessor)
      return toVerify_.size() + toFull_.size() + toTime_.size() < batch;
    return !timing_ && toTime_.size() + toFull_.size() + toVerify_.size() + compilers_.busy() < batch;
  }

  void giveWork() {
    while (mayCompile() && compilers_.hasIdle())
      if (!compileNext())
        break;
    bool quiet = compilers_.busy() == 0 && toVerify_.empty() && toFull_.empty() && again_.empty() &&
                 (sourceEnded_ || toTime_.size() >= batch);
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
    if (!again_.empty()) {
      give(compilers_, take(again_), Stage::Compile);
      return outcome_.environmentError.empty();
    }
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
    if (auto it = known_.find(point->str()); it != known_.end()) {
      result.measurement = it->second;
      result.fromLedger = true;
      outcome_.results.push_back(std::move(result));
      ++done_;
      noteBest(i);
      return true;
    }
    outcome_.results.push_back(std::move(result));
    give(compilers_, i, Stage::Compile);
    return outcome_.environmentError.empty();
  }

  void give(Pool &pool, size_t i, Stage stage) {
    Request request;
    request.kind = stage == Stage::Compile  ? Request::Kind::Compile
                   : stage == Stage::Verify ? Request::Kind::Verify
                   : stage == Stage::Full   ? Request::Kind::VerifyFull
                                            : Request::Kind::Time;
    request.items = {{outcome_.results[i].measurement.point.str(), folder(i), ""}};
    if (outcome_.plain && (stage == Stage::Compile || stage == Stage::Full))
      request.items.push_back(*outcome_.plain);
    request.seed = session_.seed;
    request.budgetMs = options_.budgetMs;
    if (best_)
      request.slowNs = 3 * outcome_.results[*best_].summary().median;
    stages_[i] = stage;
    if (!pool.give(i, request.toLine(), stage == Stage::Compile ? options_.compileLimit : options_.runLimit,
                   outcome_.environmentError, options_.runLimit) &&
        outcome_.environmentError.empty())
      outcome_.environmentError = "a worker cannot be started";
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
      (stage == Stage::Compile  ? again_
       : stage == Stage::Verify ? toVerify_
       : stage == Stage::Full   ? toFull_
                                : toTime_)
          .push_back(i);
    }
    return std::nullopt;
  }

  void compiled(const Outcome &o) {
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
    outcome_.arithmetic = reply->arithmetic;
    m.verdict.detail = outcome_.plain ? reply->note : outcome_.noFullSize;
    toVerify_.push_back(o.job);
  }

  void ran(const Outcome &o) {
    Stage stage = stages_[o.job];
    auto reply = answerOf(o, stage);
    if (!reply)
      return;
    Measurement &m = outcome_.results[o.job].measurement;
    if (stage == Stage::Verify) {
      m.worstError = reply->worstError;
      (m.verdict.detail.empty() ? toFull_ : toTime_).push_back(o.job);
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
    sofar.arithmetic = outcome_.arithmetic;
    sofar.plain = outcome_.plain;
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
               timing_             ? "timing"
               : compilers_.busy() ? "compiling"
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
  Pool compilers_, device_;
  std::deque<size_t> again_, toVerify_, toFull_, toTime_; ///< `again_`: to compile once more
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

std::optional<double> SearchOutcome::percentOfRoof(const PointResult &point) const {
  const Measurement &m = point.measurement;
  const double peak = arithmetic == "f32"   ? roof.f32FlopsPerNs
                      : arithmetic == "f64" ? roof.f64FlopsPerNs
                                            : 0,
               ns = point.summary().median;
  if (ns <= 0 || (m.isComputeBound ? peak : roof.bytesPerNs) <= 0)
    return std::nullopt;
  const double least =
      std::max(roof.bytesPerNs > 0 ? m.bytes / roof.bytesPerNs : 0, peak > 0 ? m.flops / peak : 0);
  return 100 * least / ns;
}

SearchOutcome search(const Session &session, PointSource &source, const SearchOptions &options,
                     const SearchEvents &events, std::map<std::string, Measurement> known) {
  SearchOutcome outcome;
  Flow flow(session, source, options, events, std::move(known), outcome);
  flow.run();
  auto noteInterrupt = [&] { // also where it came while a worker was being started
    if (options.interrupt && options.interrupt->isRaised()) {
      outcome.wasInterrupted = true;
      outcome.environmentError.clear();
    }
  };
  noteInterrupt();
  if (!outcome.wasInterrupted && outcome.environmentError.empty()) {
    Finals finals(session, options, events, flow.compilers(), flow.device(), outcome);
    finals.run();
    if (!outcome.winnerHeld)
      noteInterrupt();
  }
  if (outcome.wasInterrupted || !outcome.environmentError.empty()) {
    flow.dropUnfinished();
    outcome.ranking = rankAll(outcome.results);
  }
  return outcome;
}

bool askDevice(const Session &session, const SearchOptions &options, DeviceInfo &info, std::string &error) {
  Pool pool(workerPool(session, options, "device", 1));
  if (!pool.start(error))
    return false;
  info = parseDevice(pool.readyLine());
  return true;
}

} // namespace phobos::kbench
