#include "kbench/tune/Finals.h"
#include "kbench/tune/Ended.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

constexpr double asGoodAs = 1.005; ///< of the least median of the finals: who ties, if the rounds do not tell
constexpr unsigned maxRounds = 40, samplesARound = 3;
constexpr double longRoundNs = 4e8;    ///< a round that would take longer takes one sample of each
constexpr unsigned baselineRounds = 8; ///< at least, for a library beside the finalists

} // namespace

void Finals::report(const std::string &doing) {
  if (events_.progress)
    events_.progress({outcome_.results.size(), 0, doing, nullptr});
}

bool Finals::give(Pool &pool, uint64_t job, const Request &request, std::chrono::milliseconds limit) {
  if (pool.give(job, request.toLine(), limit, outcome_.environmentError, options_.runLimit))
    return true;
  if (outcome_.environmentError.empty())
    outcome_.environmentError = "a worker cannot be started";
  return false;
}

std::optional<Outcome> Finals::await(Pool &pool, uint64_t job) {
  while (true) {
    for (Outcome &o : pool.collect())
      ended_.insert_or_assign(o.job, std::move(o));
    if (auto o = ended_.extract(job))
      return std::move(o.mapped());
    if (waitForAny({&pool}, options_.interrupt, std::chrono::milliseconds(500))) {
      outcome_.wasInterrupted = true;
      return std::nullopt;
    }
  }
}

std::optional<Outcome> Finals::ask(Pool &pool, const Request &request, std::chrono::milliseconds limit) {
  return give(pool, aloneJob, request, limit) ? await(pool, aloneJob) : std::nullopt;
}

void Finals::fail(size_t result, const Verdict &verdict, const char *stage) {
  Measurement &m = outcome_.results[result].measurement;
  m.verdict = verdict;
  Measurement row = m;
  row.stage = stage;
  row.samplesNs.clear();
  if (events_.measured)
    events_.measured(row);
}

bool Finals::prepare(size_t result) {
  if (!outcome_.results[result].fromLedger)
    return true;
  Request request;
  request.items = {{outcome_.results[result].measurement.point.str(), folder(result), ""}};
  request.seed = session_.seed;
  auto o = ask(compilers_, request, options_.compileLimit);
  Reply reply;
  return o && o->kind == Outcome::Kind::Answer && Reply::fromLine(o->answer, reply) && reply.verdict.ok();
}

// What the end of the device worker in the middle of a round means: the round says only that one of several
// did it, so each is tried by itself once, and who fails then is out.
static Verdict blame(const Outcome &o, const Reply &reply) {
  if (o.kind == Outcome::Kind::Timeout)
    return {Status::Hang, "", "no answer while it was timed again"};
  if (o.kind == Outcome::Kind::Crash)
    return {Status::Fault, "", "the device worker " + o.detail};
  if (o.kind == Outcome::Kind::Lost)
    return {Status::Lost, "", "its worker " + o.detail};
  return reply.verdict;
}

// At full size it is compared with what the points were compared with.
bool Finals::verifyBaselineInFull(Request request, Reply &reply) {
  if (!outcome_.plain)
    return true;
  request.kind = Request::Kind::VerifyFull;
  request.items.push_back(*outcome_.plain);
  request.seed = session_.seed;
  auto o = ask(device_, request, options_.runLimit);
  if (!o)
    return false;
  Reply full;
  if (o->kind != Outcome::Kind::Answer || !Reply::fromLine(o->answer, full))
    full.verdict = blame(*o, {});
  reply.verdict = full.verdict;
  outcome_.baseline.isVerifiedInFull = full.verdict.ok() && full.verdict.detail.empty();
  reply.worstError = std::max(reply.worstError, full.worstError);
  return true;
}

bool Finals::prepareBaseline(size_t result) {
  if (options_.baseline.empty())
    return true;
  report("verifying " + options_.baseline);
  Request request;
  request.kind = Request::Kind::Verify;
  request.items = {{outcome_.results[result].measurement.point.str(), folder(result), options_.baseline}};
  auto o = ask(device_, request, options_.runLimit);
  if (!o)
    return false;
  Reply reply;
  Baseline &baseline = outcome_.baseline;
  if (o->kind != Outcome::Kind::Answer || !Reply::fromLine(o->answer, reply))
    reply.verdict = blame(*o, {});
  baseline.name = reply.note;
  if (reply.verdict.ok() && outcome_.results[result].measurement.verdict.detail.empty() &&
      !verifyBaselineInFull(request, reply))
    return false;
  if (!reply.verdict.ok()) {
    // What differs from the kernel's own reference computes something else.
    baseline.note =
        (reply.verdict.status == Status::Wrong ? "it does not compute what the kernel does: " : "") +
        reply.verdict.detail;
    return true;
  }
  Measurement &m = baseline.measurement;
  m = outcome_.results[result].measurement;
  m.stage = "baseline";
  m.point = Point();
  m.verdict.detail = baseline.name;
  m.compileMs = 0;
  m.resources.clear();
  m.samplesNs.clear();
  m.worstError = reply.worstError;
  baseline_ = request.items[0];
  return true;
}

bool Finals::rounds(std::vector<Finalist> &finalists) {
  const auto since = Clock::now();
  auto isTimeLeft = [&] { // a library beside the points has its rounds, unless that takes far too long
    const bool mayTakeLonger = baseline_ && outcome_.rounds < baselineRounds;
    return Clock::now() - since < (mayTakeLonger ? 4 : 1) * options_.finalsLimit;
  };
  for (outcome_.rounds = 0; outcome_.rounds < maxRounds && isTimeLeft(); ++outcome_.rounds) {
    std::vector<size_t> in;
    for (size_t f = 0; f < finalists.size(); ++f)
      if (!finalists[f].isOut)
        in.push_back(f);
    const bool wantsBaseline = baseline_ && outcome_.rounds < baselineRounds;
    if (in.empty() || (in.size() < 2 && !wantsBaseline))
      break;
    report("finals: " + std::to_string(in.size()) + " points in turns, round " +
           std::to_string(outcome_.rounds + 1));
    Request request;
    request.kind = Request::Kind::Sample;
    double roundNs = outcome_.baseline.measurement.samplesNs.empty()
                         ? 0
                         : medianOf(outcome_.baseline.measurement.samplesNs);
    for (size_t f : in)
      roundNs += outcome_.results[finalists[f].id].summary().median;
    request.repeats = samplesARound * roundNs > longRoundNs ? 1 : samplesARound;
    for (size_t f : in)
      request.items.push_back(
          {outcome_.results[finalists[f].id].measurement.point.str(), folder(finalists[f].id), ""});
    if (baseline_)
      request.items.push_back(*baseline_);
    auto dropBaseline = [&](const Verdict &why) {
      baseline_.reset();
      outcome_.baseline.note = why.detail;
      outcome_.baseline.measurement.samplesNs.clear();
    };
    auto o = ask(device_, request, options_.runLimit * 2);
    if (!o)
      return false;
    Reply reply;
    bool answered = o->kind == Outcome::Kind::Answer && Reply::fromLine(o->answer, reply);
    if (answered && reply.verdict.ok()) {
      for (size_t k = 0; k < in.size() && k < reply.samples.size(); ++k) {
        Finalist &f = finalists[in[k]];
        f.samples.insert(f.samples.end(), reply.samples[k].begin(), reply.samples[k].end());
        f.rounds.push_back(medianOf(reply.samples[k]));
      }
      if (baseline_ && reply.samples.size() > in.size())
        for (double ns : reply.samples[in.size()])
          outcome_.baseline.measurement.samplesNs.push_back(ns);
      if (!judge(finalists, doubtOnTheWay).isDecided || (baseline_ && outcome_.rounds + 1 < baselineRounds))
        continue;
      ++outcome_.rounds;
      break;
    }
    if (answered && reply.failedItem < in.size()) {
      finalists[in[reply.failedItem]].isOut = true;
      fail(finalists[in[reply.failedItem]].id, reply.verdict, "final");
      continue;
    }
    if (answered && reply.failedItem == in.size() && baseline_) {
      dropBaseline(reply.verdict);
      continue;
    }
    if (baseline_) {
      Request alone = request;
      alone.items = {*baseline_};
      auto single = ask(device_, alone, options_.runLimit);
      if (!single)
        return false;
      Reply one;
      if (single->kind != Outcome::Kind::Answer || !Reply::fromLine(single->answer, one) || !one.verdict.ok())
        dropBaseline(blame(*single, one));
    }
    for (size_t f : in) {
      Request alone = request;
      alone.items = {
          {outcome_.results[finalists[f].id].measurement.point.str(), folder(finalists[f].id), ""}};
      auto single = ask(device_, alone, options_.runLimit);
      if (!single)
        return false;
      Reply one;
      if (single->kind == Outcome::Kind::Answer && Reply::fromLine(single->answer, one) && one.verdict.ok())
        continue;
      finalists[f].isOut = true;
      fail(finalists[f].id, blame(*single, one), "final");
    }
  }
  return true;
}

void Finals::decide(std::vector<Finalist> &finalists) {
  for (Finalist &f : finalists)
    if (!f.samples.empty()) {
      outcome_.results[f.id].finalsNs = f.samples;
      Measurement row = outcome_.results[f.id].measurement;
      row.stage = "final";
      row.samplesNs = f.samples;
      if (row.verdict.ok() && events_.measured)
        events_.measured(row);
    }
  if (!outcome_.baseline.measurement.samplesNs.empty() && events_.measured)
    events_.measured(outcome_.baseline.measurement);
  outcome_.ranking = rankAll(outcome_.results);
  std::erase_if(finalists, [&](const Finalist &f) { return outcome_.results[f.id].status() != Status::Ok; });
  if (finalists.size() < 2)
    return;
  Standing standing = judge(finalists, doubtAtTheEnd);
  if (standing.tied.size() < 2)
    return;
  // Now one round is ahead, now another. Where the medians are as good as equal too, fewer resources win;
  // else the least median, with the doubt said.
  double leader = medianOf(finalists[standing.best].samples);
  std::vector<size_t> equal;
  for (size_t f : standing.tied)
    if (medianOf(finalists[f].samples) <= asGoodAs * leader)
      equal.push_back(f);
  outcome_.isTie = equal.size() > 1;
  for (size_t f : standing.tied)
    outcome_.tied.push_back(finalists[f].id);
  size_t winner = finalists[breakTie(finalists, equal)].id;
  auto place = std::find(outcome_.ranking.begin(), outcome_.ranking.end(), winner);
  std::rotate(outcome_.ranking.begin(), place, place + 1);
}

Request Finals::againRequest(size_t result) const {
  Request request;
  request.items = {{outcome_.results[result].measurement.point.str(), folder(result) + "-again", ""}};
  request.seed = session_.seed + 1;
  request.isFinal = true;
  return request;
}

// Each in a process that has done nothing else, while the device has its rounds: the winner's is ready then.
void Finals::compileAgainAhead(const std::vector<Finalist> &finalists) {
  if (options_.sharesProcessor) // they would be timed beside the compiler
    return;
  for (const Finalist &f : finalists) {
    std::string ignored; // asked for again, and said, if it is the winner's
    if (again_.compilers.give(f.id, againRequest(f.id).toLine(), options_.compileLimit, ignored,
                              options_.runLimit))
      ahead_.insert(f.id);
  }
}

std::optional<Outcome> Finals::compileAgain(size_t result) {
  return ahead_.erase(result) ? await(again_.compilers, result)
                              : ask(again_.compilers, againRequest(result), options_.compileLimit);
}

bool Finals::confirm(size_t result) {
  report("verifying the winner again");
  compilers_.replaceAll();
  device_.replaceAll(); // its memory is needed
  if (isDeviceUsed_)
    again_.device.replaceAll();
  isDeviceUsed_ = true;
  Request request = againRequest(result);
  Verdict verdict;
  for (auto kind : {Request::Kind::Compile, Request::Kind::Verify, Request::Kind::VerifyFull}) {
    if (kind == Request::Kind::VerifyFull) {
      if (!outcome_.plain || !outcome_.results[result].measurement.verdict.detail.empty())
        break; // the search has said why
      request.items.push_back(*outcome_.plain);
    }
    request.kind = kind;
    bool compiles = kind == Request::Kind::Compile;
    Reply reply;
    for (int attempt = 0; attempt < 2; ++attempt) {
      auto o = compiles ? compileAgain(result) : ask(again_.device, request, options_.runLimit);
      if (!o)
        return false;
      verdict = {};
      if (o->kind != Outcome::Kind::Answer || !Reply::fromLine(o->answer, reply))
        verdict = *verdictOfEnd(
            *o, compiles, compiles && o->phase.empty() ? options_.compileLimit : options_.runLimit, true);
      else
        verdict = reply.verdict;
      if (!reply.cannotWrite.empty()) {
        outcome_.environmentError = noRoom(reply);
        return false;
      }
      if (verdict.status != Status::Lost)
        break;
    }
    if (!verdict.ok())
      break;
    if (compiles) {
      outcome_.results[result].warning = reply.warning;
      outcome_.takeEffort(reply); // the ledger does not hold it: of a search that was taken up, it is news
    } else
      outcome_.results[result].measurement.worstError =
          std::max(outcome_.results[result].measurement.worstError, reply.worstError);
  }
  if (!verdict.ok()) {
    verdict.detail += " (when the winner was verified again)";
    fail(result, verdict, "again");
    return false;
  }
  Measurement row = outcome_.results[result].measurement;
  row.stage = "again";
  row.samplesNs.clear();
  if (events_.measured)
    events_.measured(row);
  return true;
}

void Finals::run() {
  std::vector<Finalist> finalists;
  for (size_t i : finalistsOf(outcome_.results, maxFinalists)) {
    if (!prepare(i)) {
      if (outcome_.wasInterrupted || !outcome_.environmentError.empty())
        return;
      continue;
    }
    Finalist f;
    f.id = i;
    for (auto &[name, value] : outcome_.results[i].measurement.resources)
      f.resources.push_back(value);
    finalists.push_back(std::move(f));
  }
  outcome_.finalists = finalists.size();
  compileAgainAhead(finalists);
  if (!finalists.empty() && !prepareBaseline(finalists.front().id))
    return;
  const Clock::time_point since = Clock::now();
  if ((finalists.size() > 1 || baseline_) && !rounds(finalists))
    return;
  outcome_.spent.finals = std::chrono::duration<double>(Clock::now() - since).count();
  decide(finalists);
  while (!outcome_.ranking.empty() && !outcome_.wasInterrupted && outcome_.environmentError.empty()) {
    const Clock::time_point again = Clock::now();
    const bool held = confirm(outcome_.ranking.front());
    outcome_.spent.again += std::chrono::duration<double>(Clock::now() - again).count();
    if (held) {
      outcome_.winnerHeld = true;
      return;
    }
    if (outcome_.wasInterrupted || !outcome_.environmentError.empty())
      return;
    outcome_.ranking.erase(outcome_.ranking.begin());
    outcome_.isTie = false;
    outcome_.tied.clear();
  }
}

} // namespace phobos::kbench
