// The device worker's runs at full size for verification.
#include "kbench/workers/DeviceWorker.h"
#include <algorithm>
#include <cmath>
#include <cstring>

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

// One run on fresh inputs: what the kernel writes holds poison or its first values before. With `all`
// everything is put back, in case an earlier kernel wrote where it must not.
bool DeviceWorker::runFull(LoadedPoint &loaded, uint64_t seed, bool all, std::vector<HostArray> &outputs,
                           std::string &error) {
  if (!fullSize(loaded, seed, error))
    return false;
  const auto &params = fullContract_.params;
  for (size_t p = 0; p < params.size(); ++p)
    if (params[p].isTensor && (all || params[p].isWritten) && !full_->rewrite(p, fullInputs_[p].array, error))
      return false;
  if (!loaded.kernel->run(fullLaunch_, error))
    return false;
  outputs.assign(params.size(), HostArray());
  for (size_t p = 0; p < params.size(); ++p) {
    if (!params[p].isTensor || !params[p].isWritten)
      continue;
    outputs[p] = HostArray(params[p].elem, fullInputs_[p].array.extents());
    if (!full_->download(p, outputs[p], false, error)) {
      error = params[p].name + ": " + error;
      return false;
    }
  }
  return true;
}

bool DeviceWorker::makeReference(LoadedPoint &plain, uint64_t seed, std::string &error) {
  reference_.clear();
  std::vector<HostArray> values, sizes;
  if (!runFull(plain, seed, true, values, error))
    return false;
  const auto &params = fullContract_.params;
  const bool anyFloat = std::any_of(params.begin(), params.end(), [](const ContractParam &p) {
    return p.isTensor && p.isWritten && isFloat(p.elem);
  });
  if (anyFloat) {
    std::vector<Input> kept = std::move(fullInputs_);
    const LaunchRequest launch = fullLaunch_;
    fullInputs_ = absoluteValues(kept, *plain.typed);
    bool ok = true;
    for (size_t p = 0; p < params.size() && ok; ++p)
      if (params[p].isTensor)
        ok = full_->rewrite(p, fullInputs_[p].array, error);
      else
        fullLaunch_.args[p].scalar = scalarBits(params[p], fullInputs_[p]);
    ok = ok && plain.kernel->run(fullLaunch_, error);
    sizes.resize(params.size());
    for (size_t p = 0; p < params.size() && ok; ++p)
      if (params[p].isTensor && params[p].isWritten) {
        sizes[p] = HostArray(params[p].elem, fullInputs_[p].array.extents());
        ok = full_->download(p, sizes[p], false, error);
      }
    fullInputs_ = std::move(kept);
    fullLaunch_ = launch;
    for (size_t p = 0; p < params.size() && ok; ++p)
      if (params[p].isTensor)
        ok = full_->rewrite(p, fullInputs_[p].array, error);
    if (!ok)
      return false;
  }
  const Effort effort = measureEffort(*plain.typed, fullLaunch_.dims, fullLaunch_.grid, false);
  sizes.resize(params.size());
  for (size_t p = 0; p < params.size(); ++p)
    if (params[p].isTensor && params[p].isWritten)
      reference_.push_back(makeFullOutput(p, std::move(values[p]), sizes[p], effort));
  referenceKey_ = fullKey_;
  return true;
}

Verdict DeviceWorker::verifyFull(const Request &request, Reply &reply) {
  std::string error;
  const bool isReference = request.items.size() < 2 || request.items[1].folder == request.items[0].folder;
  LoadedPoint *plain = load(request.items.back(), error);
  LoadedPoint *loaded = plain ? load(request.items[0], error) : nullptr;
  if (!loaded)
    return {Status::CompileError, "", "the code does not load: " + error};
  if (!fullSize(*plain, request.seed, error))
    return {Status::Fault, "", error};
  if (fullInputs_.empty() && !fullContract_.params.empty()) {
    reply.note = "the tensors leave no room for a reference beside them";
    return {};
  }
  const std::string plainKey = fullKey_;
  if (referenceKey_ != plainKey && !makeReference(*plain, request.seed, error))
    return {Status::Fault, "", "the plain point at full size: " + error};
  if (isReference)
    return {};
  if (!fullSize(*loaded, request.seed, error))
    return {Status::Fault, "", error};
  if (fullKey_ != plainKey) {
    reply.note = "its tensors have other extents than the plain point's";
    return {};
  }
  // A kernel before this one may have spoilt an input or the reference: a difference counts only once both
  // are made again.
  for (int attempt = 0;; ++attempt) {
    std::vector<HostArray> outputs;
    if (!runFull(*loaded, request.seed, attempt > 0, outputs, error))
      return {error.find("was written") == std::string::npos ? Status::Fault : Status::Wrong, "",
              error + " at full size"};
    std::string failure;
    double worst = 0;
    for (const FullOutput &expected : reference_) {
      HostArray &got = outputs[expected.param];
      if (faults_.strikes(Fault::WrongFull, loaded->point) && got.size() > 0)
        spoilElement(got);
      Comparison result = compareFull(got, expected, fullContract_.params[expected.param].name);
      worst = std::max(worst, std::isfinite(result.worst) ? result.worst : 1e30);
      if (failure.empty())
        failure = result.failure;
    }
    reply.worstError = worst;
    if (failure.empty())
      return {};
    if (attempt > 0)
      return {Status::Wrong, "", failure + " at full size, by the plain point " + plain->point.str()};
    if (!makeReference(*plain, request.seed, error))
      return {Status::Fault, "", "the plain point at full size: " + error};
  }
}

} // namespace phobos::kbench
