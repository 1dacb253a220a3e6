// The device worker's runs at full size for verification.
#include "kbench/verify/LeftOut.h"
#include "kbench/workers/DeviceWorker.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace phobos::kbench {
namespace {

uint64_t scalarBits(const ContractParam &param, const Input &input) {
  HostArray scalar(param.elem, {1});
  if (isFloat(param.elem))
    scalar.setFloat(0, input.f);
  else
    scalar.setInt(0, input.i);
  return scalar.getBits(0);
}

} // namespace

Verdict DeviceWorker::downloadOutputs() {
  const auto &params = fullContract_.params;
  outputs_.resize(params.size());
  for (size_t p = 0; p < params.size(); ++p) {
    if (!params[p].isTensor || !params[p].isWritten)
      continue;
    // The same memory each time: fresh pages would cost as much as the copy.
    if (outputs_[p].elem() != params[p].elem || outputs_[p].extents() != fullInputs_[p].array.extents())
      outputs_[p] = HostArray(params[p].elem, fullInputs_[p].array.extents());
    if (Verdict v = full_->download(p, outputs_[p], false); !v.ok()) {
      v.detail = params[p].name + ": " + v.detail;
      return v;
    }
  }
  return {};
}

// A run of what is loaded, on what full_ holds; with what it gave in outputs_.
Verdict DeviceWorker::runOnce(LoadedPoint &loaded) {
  std::string error;
  Verdict v = loaded.kernel->run(fullLaunch_, error) ? downloadOutputs() : Verdict{Status::Fault, "", error};
  if (!v.ok())
    v.detail += " at full size";
  return v;
}

// One run on fresh inputs: what the kernel writes holds poison or its first values before. With `all`
// everything is put back, in case an earlier kernel wrote where it must not. The result is in outputs_.
Verdict DeviceWorker::runFull(LoadedPoint &loaded, uint64_t seed, bool all) {
  std::string error;
  if (!fullSize(loaded, seed, error))
    return {Status::Fault, "", error};
  const auto &params = fullContract_.params;
  for (size_t p = 0; p < params.size(); ++p)
    if (params[p].isTensor && (all || params[p].isWritten) && (all || !full_->restore(p, error)) &&
        !full_->rewrite(p, fullInputs_[p].array, error))
      return {Status::Fault, "", error};
  return runOnce(loaded);
}

// Blocks that are too few, or that leave something out, may show at no small size. Where elements look as
// they were before the run, another run on another poison tells; it gives the same result, which is in
// outputs_ then.
Verdict DeviceWorker::findLeftOut(LoadedPoint &loaded) {
  const auto &params = fullContract_.params;
  std::map<size_t, std::vector<bool>> suspects;
  for (size_t p = 0; p < params.size(); ++p)
    if (params[p].isTensor && params[p].isWritten && !params[p].isRead && !loaded.contract.params[p].isRead)
      if (auto found = stillPoisoned(outputs_[p]); !found.empty())
        suspects.emplace(p, std::move(found));
  if (suspects.empty() || session_.grid)
    return {};
  std::string error;
  for (size_t p = 0; p < params.size(); ++p) {
    if (!params[p].isTensor || !params[p].isWritten)
      continue;
    const bool isSuspect = suspects.count(p) > 0;
    if (isSuspect)
      poisonOtherwise(outputs_[p]);
    else if (full_->restore(p, error))
      continue;
    if (!full_->rewrite(p, isSuspect ? outputs_[p] : fullInputs_[p].array, error))
      return {Status::Fault, "", error};
  }
  if (const Verdict v = runOnce(loaded); !v.ok())
    return v;
  for (const auto &[p, elements] : suspects)
    if (const std::string found = leftOut(outputs_[p], elements, params[p].name); !found.empty())
      return {Status::Wrong, "", found + ", at full size"};
  return {};
}

Verdict DeviceWorker::verifyStored(LoadedPoint &loaded, const Request &request) {
  std::string error;
  if (!fullSize(loaded, request.seed, error))
    return {Status::Fault, "", error};
  if (fullInputs_.empty() && !fullContract_.params.empty()) // there is no room
    return {};
  const Verdict v = runFull(loaded, request.seed, false);
  return v.ok() ? findLeftOut(loaded) : v;
}

Verdict DeviceWorker::makeReference(LoadedPoint &plain, uint64_t seed) {
  reference_.clear();
  if (const Verdict v = runFull(plain, seed, true); !v.ok())
    return v;
  if (const Verdict v = findLeftOut(plain); !v.ok())
    return v;
  std::vector<HostArray> values = std::exchange(outputs_, {});
  const auto &params = fullContract_.params;
  const bool anyFloat = std::any_of(params.begin(), params.end(), [](const ContractParam &p) {
    return p.isTensor && p.isWritten && isFloat(p.elem);
  });
  if (anyFloat) {
    std::vector<Input> kept = std::move(fullInputs_);
    const LaunchRequest launch = fullLaunch_;
    fullInputs_ = absoluteValues(kept, *plain.typed);
    std::string error;
    auto rewriteAll = [&] {
      for (size_t p = 0; p < params.size(); ++p)
        if (params[p].isTensor && !full_->rewrite(p, fullInputs_[p].array, error))
          return Verdict{Status::Fault, "", error};
      return Verdict{};
    };
    for (size_t p = 0; p < params.size(); ++p)
      if (!params[p].isTensor)
        fullLaunch_.args[p].scalar = scalarBits(params[p], fullInputs_[p]);
    Verdict v = rewriteAll();
    if (v.ok())
      v = runOnce(plain);
    fullInputs_ = std::move(kept);
    fullLaunch_ = launch;
    if (v.ok())
      v = rewriteAll();
    if (!v.ok())
      return v;
  }
  const Effort effort = measureEffort(*plain.typed, fullLaunch_.dims, fullLaunch_.grid, false);
  outputs_.resize(params.size());
  for (size_t p = 0; p < params.size(); ++p)
    if (params[p].isTensor && params[p].isWritten)
      reference_.push_back(makeFullOutput(p, std::move(values[p]), outputs_[p], effort));
  referenceKey_ = fullKey_;
  return {};
}

// The reference is made once in a run, by the first request, and again only where a worker is replaced: every
// point whose tensors have the same extents is compared with it, and the plain point is not looked at.
Verdict DeviceWorker::verifyFull(const Request &request, Reply &reply) {
  std::string error;
  const bool isOfPlain = request.items.size() < 2 || request.items[1].folder == request.items[0].folder;
  LoadedPoint *loaded = load(request.items[0], error);
  if (!loaded)
    return {Status::CompileError, "", "the code does not load: " + error};
  if (!fullSize(*loaded, request.seed, error))
    return {Status::Fault, "", error};
  if (fullInputs_.empty() && !fullContract_.params.empty())
    return uncompared("the tensors leave no room for a reference beside them");
  const std::string key = fullKey_;
  // What is wrong with the plain point is no fault of another one's: that one is not compared. A device that
  // fails is of no more use, whoever it fails.
  auto ofPlain = [&](Verdict v) {
    if (!isOfPlain)
      v.detail = "the plain point: " + v.detail;
    return isOfPlain || v.status == Status::Fault ? v : uncompared(v.detail);
  };
  auto remake = [&] {
    LoadedPoint *plain = load(request.items.back(), error);
    return plain ? makeReference(*plain, request.seed) : Verdict{Status::Fault, "", error};
  };
  if (referenceKey_ != key) {
    LoadedPoint *plain = load(request.items.back(), error);
    if (!plain || !fullSize(*plain, request.seed, error))
      return ofPlain({Status::Fault, "", error});
    if (fullKey_ != key)
      return uncompared("its tensors have other extents than the plain point's");
    if (const Verdict v = remake(); !v.ok())
      return ofPlain(v);
  }
  if (isOfPlain)
    return {}; // that was all that was asked
  loaded = load(request.items[0], error);
  if (!loaded)
    return {Status::CompileError, "", "the code does not load: " + error};
  // A kernel before this one may have spoilt an input or the reference: a difference counts only once both
  // are made again.
  for (int attempt = 0;; ++attempt) {
    if (const Verdict v = runFull(*loaded, request.seed, attempt > 0); !v.ok())
      return v;
    std::string failure;
    double worst = 0;
    for (const FullOutput &expected : reference_) {
      HostArray &got = outputs_[expected.param];
      if (faults_.strikes(Fault::WrongFull, loaded->point) && got.size() > 0)
        spoilElement(got);
      Comparison result = compareFull(got, expected, fullContract_.params[expected.param].name);
      worst = std::max(worst, std::isfinite(result.worst) ? result.worst : 1e30);
      if (failure.empty())
        failure = result.failure;
    }
    reply.worstError = worst;
    if (failure.empty())
      return findLeftOut(*loaded);
    if (attempt > 0)
      return {Status::Wrong, "", failure + " at full size, by the plain point " + request.items.back().point};
    if (const Verdict v = remake(); !v.ok())
      return ofPlain(v);
    loaded = load(request.items[0], error);
    if (!loaded)
      return {Status::CompileError, "", "the code does not load: " + error};
  }
}

} // namespace phobos::kbench
