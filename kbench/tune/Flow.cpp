// Flow: takes points from the source and gives them to the workers.
#include "kbench/tune/Flow.h"
#include "kbench/tune/Finals.h"
#include <algorithm>
#include <utility>

namespace phobos::kbench {

static PoolOptions freshCompilers(const Session &session, const SearchOptions &options) {
  PoolOptions pool = workerPool(session, options, "compile",
                                options.sharesProcessor ? 1 : static_cast<unsigned>(Finals::maxFinalists));
  pool.isOnceOnly = true;
  return pool;
}

Flow::Flow(const Session &session, PointSource &source, const SearchOptions &options,
           const SearchEvents &events, std::map<std::string, Measurement> known, Pool &device,
           SearchOutcome &outcome)
    : session_(session), source_(source), options_(options), events_(events), known_(std::move(known)),
      outcome_(outcome), compilers_(workerPool(session, options, "compile", options.compileWorkers)),
      device_(device),
      again_{Pool(freshCompilers(session, options)), Pool(workerPool(session, options, "device", 1))},
      roofs_(options.keptRoof), plain_(session, options) {
  outcome_.noFullSize = options.noFullSize;
  outcome_.roof = options.keptRoof.value_or(Roof());
}

void Flow::run() {
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
}

void Flow::beginCompilers() {
  const double most = std::max(1.0, options_.expectedPoints) + (plain_.isSettled() ? 0 : 1);
  compilers_.begin(static_cast<unsigned>(std::min<double>(options_.compileWorkers, most)));
}

bool Flow::giveOwn(Pool &pool, uint64_t job, const Request &request, std::chrono::milliseconds limit) {
  const bool given = pool.give(job, request.toLine(), limit, outcome_.environmentError, options_.runLimit);
  if (!given && outcome_.environmentError.empty())
    outcome_.environmentError = "a worker cannot be started";
  return given;
}

void Flow::giveRoof() {
  if (!device_.hasIdle())
    return;
  if (auto request = roofs_.next(options_.sharesProcessor ? Products{} : outcome_.products))
    giveOwn(device_, roofJob, *request, options_.runLimit);
}

void Flow::givePlain() {
  if (!plain_.wantsWorker() || timing_ || (options_.sharesProcessor && !roofs_.isBegun()))
    return;
  const bool compiles = plain_.wantsCompiler();
  if (Pool &pool = compiles ? compilers_ : device_; pool.hasIdle())
    giveOwn(pool, plainJob, plain_.take(), compiles ? options_.compileLimit : options_.runLimit);
}

size_t Flow::compiledAlready() const {
  return toVerify_.size() + waiting_.size() + toFull_.size() + toTime_.size();
}

bool Flow::mayCompile() const {
  if (!options_.sharesProcessor)
    return compiledAlready() < batch;
  return roofs_.isBegun() && !timing_ && compiledAlready() + compilers_.busy() < batch;
}

/// The first of a queue, which is not empty.
static size_t take(std::deque<size_t> &queue) {
  size_t i = queue.front();
  queue.pop_front();
  return i;
}

void Flow::giveWork() {
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

bool Flow::compileNext() {
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
  comparable_.emplace_back();
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

bool Flow::give(Pool &pool, size_t i, Stage stage) {
  Request request;
  const bool isCompared = outcome_.plain && outcome_.results[i].measurement.verdict.detail.empty();
  request.kind = stage == Stage::Compile   ? Request::Kind::Compile
                 : stage == Stage::Compare ? Request::Kind::Compare
                 : stage == Stage::Verify  ? Request::Kind::Verify
                 : stage == Stage::Full    ? (isCompared ? Request::Kind::VerifyFull : Request::Kind::Stored)
                                           : Request::Kind::Time;
  request.items = {{outcome_.results[i].measurement.point.str(), folder(i), ""}};
  if (stage == Stage::Compare || (stage == Stage::Full && isCompared))
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

} // namespace phobos::kbench
