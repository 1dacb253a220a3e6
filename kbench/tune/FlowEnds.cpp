// Flow: what a worker's answer or end means for the point it was on, and what the user is told.
#include "kbench/tune/Ended.h"
#include "kbench/tune/Finals.h"
#include "kbench/tune/Flow.h"
#include <algorithm>
#include <filesystem>
#include <utility>

namespace phobos::kbench {

void Flow::ended(const Outcome &o) {
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

void Flow::measuredRoof(const Outcome &o) {
  const bool isFirst = !roofs_.isBegun();
  outcome_.spent.roof += o.seconds;
  roofs_.ended(o, outcome_.roof, outcome_.noProductRoof);
  if (isFirst && options_.sharesProcessor)
    beginCompilers();
}

void Flow::plainEnded(const Outcome &o) {
  (plain_.wantsCompiler() ? outcome_.spent.compiling : outcome_.spent.reference) += o.seconds;
  plain_.ended(o);
  if (!plain_.isSettled())
    return;
  outcome_.plain = plain_.found();
  outcome_.noFullSize = plain_.why();
  for (size_t i : std::exchange(waiting_, {}))
    afterSmall(i);
}

void Flow::afterSmall(size_t i) {
  Measurement &m = outcome_.results[i].measurement;
  if (!plain_.isSettled()) {
    waiting_.push_back(i);
  } else if (!outcome_.plain) {
    m.verdict = uncompared(outcome_.noFullSize);
    (session_.grid ? toTime_ : toFull_).push_back(i);
  } else if (comparedWith_[i] != plain_.candidate()) {
    toCompare_.push_back(i); // it was compared with one that has failed since
  } else {
    m.verdict = comparable_[i];
    toFull_.push_back(i);
  }
}

void Flow::compared(const Outcome &o) {
  outcome_.spent.compiling += o.seconds;
  auto reply = answerOf(o, Stage::Compare);
  if (!reply)
    return;
  comparedWith_[o.job] = plain_.candidate();
  comparable_[o.job] = reply->verdict;
  afterSmall(o.job);
}

std::optional<Reply> Flow::answerOf(const Outcome &o, Stage stage) {
  size_t i = o.job;
  Reply reply;
  if (o.kind == Outcome::Kind::Answer && Reply::fromLine(o.answer, reply)) {
    if (reply.verdict.ok())
      return reply;
    if (!reply.cannotWrite.empty()) {
      outcome_.environmentError = noRoom(reply);
      return std::nullopt;
    }
    if (stage == Stage::Compile)
      outcome_.results[i].measurement.compileMs = reply.compileMs;
    end(i, reply.verdict);
    return std::nullopt;
  }
  auto limit = stage == Stage::Compile && o.phase.empty() ? options_.compileLimit : options_.runLimit;
  if (auto verdict = verdictOfEnd(o, isOfCompilers(stage), limit, attempts_[i] > 0)) {
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

void Flow::compiled(const Outcome &o) {
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
  outcome_.takeEffort(*reply);
  outcome_.results[o.job].warning = reply->warning;
  comparable_[o.job] = reply->verdict;
  toVerify_.push_back(o.job);
}

void Flow::ran(const Outcome &o) {
  Stage stage = stages_[o.job];
  Spent &s = outcome_.spent;
  (stage == Stage::Verify ? s.small : stage == Stage::Full ? s.full : s.timing) += o.seconds;
  auto reply = answerOf(o, stage);
  if (!reply)
    return;
  Measurement &m = outcome_.results[o.job].measurement;
  if (stage == Stage::Verify) {
    m.worstError = reply->worstError;
    if (!reply->resources.empty())
      m.resources = reply->resources;
    afterSmall(o.job);
    return;
  }
  if (stage == Stage::Full) {
    m.worstError = std::max(m.worstError, reply->worstError);
    if (m.verdict.detail.empty()) // else it was not compared, and why is there
      m.verdict = reply->verdict;
    toTime_.push_back(o.job);
    return;
  }
  m.samplesNs = reply->samples.empty() ? std::vector<double>{} : reply->samples[0];
  end(o.job, m.verdict);
}

void Flow::end(size_t i, Verdict verdict) {
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

void Flow::noteBest(size_t i) {
  const PointResult &r = outcome_.results[i];
  if (r.status() != Status::Ok)
    return;
  ++ok_;
  if (!best_ || r.summary().median < outcome_.results[*best_].summary().median)
    best_ = i;
}

void Flow::checkpoint() {
  const auto now = Clock::now();
  if (!events_.soFar || done_ == checkpointed_ || now - lastCheckpoint_ < std::chrono::seconds(2))
    return;
  checkpointed_ = done_;
  SearchOutcome sofar;
  sofar.wasInterrupted = true; // as it stands, the search is not over
  sofar.device = outcome_.device;
  sofar.roof = outcome_.roof;
  sofar.products = outcome_.products;
  sofar.unsurePart = outcome_.unsurePart;
  sofar.unsure = outcome_.unsure;
  sofar.plain = outcome_.plain;
  sofar.noFullSize = outcome_.noFullSize;
  for (size_t i = 0; i < outcome_.results.size(); ++i)
    if (hasEnded(i))
      sofar.results.push_back(outcome_.results[i]);
  sofar.ranking = rankAll(sofar.results);
  events_.soFar(sofar);
  lastCheckpoint_ = Clock::now();
}

void Flow::report() {
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

void Flow::dropUnfinished() {
  std::vector<PointResult> finished;
  for (size_t i = 0; i < outcome_.results.size(); ++i)
    if (hasEnded(i))
      finished.push_back(std::move(outcome_.results[i]));
  outcome_.results = std::move(finished);
}

} // namespace phobos::kbench
