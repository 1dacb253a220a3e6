#include "kbench/workers/DeviceWorker.h"
#include "compiler/driver/Compile.h"
#include "kbench/analysis/Gemm.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace phobos::kbench {
namespace {

constexpr size_t maxLoadedPoints = 64;
constexpr unsigned minRepeats = 5, maxRepeats = 200, slowRepeats = 10;

} // namespace

void spoilElement(HostArray &a) {
  if (a.size() > 0)
    a.setBits(a.size() / 2, a.getBits(a.size() / 2) ^
                                (uint64_t(1) << (bitWidth(a.elem()) > 1 ? bitWidth(a.elem()) - 2 : 0)));
}

/// Whether the tensors, a copy of the inputs, a reference with its bounds and a result have room together.
static bool fitsBeside(const std::vector<Input> &inputs) {
  double bytes = 0,
         have = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  for (const Input &in : inputs)
    bytes += static_cast<double>(in.array.bytes());
  return 6 * bytes < have;
}

DeviceWorker::~DeviceWorker() {
  points_.clear();
  full_.reset();
}

bool DeviceWorker::start(std::string &error) {
  if (!loadKernel(error))
    return false;
  device_ = target_.makeDevice(session_.device, error);
  return device_ != nullptr;
}

std::string DeviceWorker::ready() const {
  DeviceInfo info = target_.describe(session_.device);
  return "ready " + nlohmann::json{{"name", info.name},
                                   {"driver", info.driver},
                                   {"processor", info.processor},
                                   {"facts", info.facts},
                                   {"assembler", info.assembler}}
                        .dump();
}

LoadedPoint *DeviceWorker::load(const Request::Item &item, std::string &error) {
  for (auto it = points_.begin(); it != points_.end(); ++it)
    if (it->folder == item.folder && it->library == item.library) {
      points_.splice(points_.begin(), points_, it);
      return &points_.front();
    }
  LoadedPoint loaded;
  loaded.folder = item.folder;
  loaded.library = item.library;
  Diagnostics diags;
  if (!parsePoint(item.point, loaded.point, error) || !loaded.files.read(item.folder, error))
    return nullptr;
  loaded.typed = check(loaded.point, session_.grid.has_value(), diags);
  if (!loaded.typed) {
    error = "the point does not check any more";
    return nullptr;
  }
  loaded.contract = driver::contractOf(*loaded.typed);
  if (item.library.empty()) {
    loaded.kernel = device_->load(loaded.files.code, *loaded.typed, loaded.contract, error);
  } else if (auto gemm = recogniseGemm(*loaded.typed, loaded.contract)) {
    Reference reference = device_->reference(item.library, *gemm, error);
    loaded.kernel = std::move(reference.kernel);
    loaded.note = reference.name;
    loaded.point = Point(); // faults are injected into points
  } else {
    error = "the kernel is not recognised as C = A @ B of matrices";
  }
  if (!loaded.kernel)
    return nullptr;
  points_.push_front(std::move(loaded));
  if (points_.size() > maxLoadedPoints)
    points_.pop_back();
  return &points_.front();
}

Reply DeviceWorker::answer(const Request &request, const Say & /*say*/) {
  if (request.kind == Request::Kind::Sample)
    return sample(request);
  Reply reply;
  std::string error;
  if (request.kind == Request::Kind::Roof) {
    if (request.type.empty())
      device_->measureRoof(reply.roof, error);
    else if (std::string dead;
             !device_->measureProducts(request.type, reply.roof, error) && device_->allocate(1, dead) == 0)
      reply.verdict = {Status::Fault, "", error};
    reply.note = error;
    return reply;
  }
  LoadedPoint *loaded = load(request.items[0], error);
  if (!loaded)
    reply.verdict = {Status::CompileError, "",
                     (request.items[0].library.empty() ? "the code does not load: " : "") + error};
  else if (request.kind == Request::Kind::VerifyFull)
    reply.verdict = verifyFull(request, reply);
  else if (request.kind == Request::Kind::Stored)
    reply.verdict = verifyStored(*loaded, request);
  else if (request.kind == Request::Kind::Verify)
    reply.verdict = verify(*loaded, request, reply), reply.note = loaded->note,
    reply.resources = loaded->kernel->resources();
  else
    reply.verdict = time(*loaded, request, reply);
  return reply;
}

Verdict DeviceWorker::verify(LoadedPoint &loaded, const Request &request, Reply &reply) {
  if (faults_.strikes(Fault::Crash, loaded.point))
    crashHere();
  if (faults_.strikes(Fault::Hang, loaded.point))
    hangHere();
  bool onceOnly = faults_.strikes(Fault::LostOnce, loaded.point);
  if (onceOnly || faults_.strikes(Fault::Lost, loaded.point)) {
    std::string mark = loaded.folder + "/lost-once", text, error;
    bool before = readFile(mark, text, error);
    writeFile(mark, "", 0, error);
    if (!onceOnly || !before)
      leaveHere();
  }
  for (size_t i = 0; i < loaded.files.cases.size(); ++i)
    if (Verdict v = verifyCase(loaded, i, request, reply); !v.ok())
      return v;
  return {};
}

Verdict DeviceWorker::verifyCase(LoadedPoint &loaded, size_t index, const Request &request, Reply &reply) {
  const VerificationCase &c = loaded.files.cases[index];
  const Contract &contract = loaded.contract;
  std::string error;
  const std::string where = sizeText(contract, c.dims);
  const InputRules *rules = this->rules(contract, error);
  if (!rules)
    return {Status::CompileError, "", error};
  auto inputs = makeInputs(contract, c.dims, *rules, c.seed, error);
  DeviceArguments arguments(*device_, contract);
  if (!inputs || !arguments.upload(*inputs, c.dims, c.grid, error))
    return {Status::Fault, "", error};
  bool empty = std::find(c.grid.begin(), c.grid.end(), 0) != c.grid.end();
  if (!empty && !loaded.kernel->run(arguments.launch(), error))
    return {Status::Fault, "", error + where};

  bool spoil = faults_.strikes(Fault::Wrong, loaded.point) ||
               (request.isFinal && faults_.strikes(Fault::WrongFinal, loaded.point));
  bool overrun = faults_.strikes(Fault::Overrun, loaded.point);
  for (size_t p = 0; p < contract.params.size(); ++p) {
    const ContractParam &param = contract.params[p];
    if (!param.isTensor)
      continue;
    HostArray before = (*inputs)[p].array, &got = (*inputs)[p].array;
    if (Verdict v = arguments.download(p, got, overrun && param.isWritten); !v.ok()) {
      v.detail = param.name + ": " + v.detail + where;
      return v;
    }
    if (!param.isWritten) {
      if (std::memcmp(before.data(), got.data(), got.bytes()) != 0)
        return {Status::Wrong, "", param.name + " is only read, but it was written" + where};
      continue;
    }
    ExpectedOutput expected;
    if (!readExpected(loaded.folder, index, p, param.elem, got.extents(), expected, error))
      return {Status::Lost, "", "the expected values are gone: " + error};
    if (spoil)
      spoilElement(got);
    Comparison result = compare(got, expected, param.name);
    reply.worstError = std::max(reply.worstError, std::isfinite(result.worst) ? result.worst : 1e30);
    if (!result.failure.empty())
      return {Status::Wrong, "", result.failure + where};
  }
  return {};
}

const LaunchRequest *DeviceWorker::fullSize(LoadedPoint &loaded, uint64_t seed, std::string &error) {
  BoundLaunch bound;
  if (!bindAt(loaded.contract, dimsOf(session_, loaded.contract), session_.grid, bound, error))
    return nullptr;
  std::string key = std::to_string(seed) + ":";
  for (const ContractParam &p : loaded.contract.params)
    for (int64_t e : extentsAt(p, bound.dims))
      key += std::to_string(e) + (p.isTensor ? "," : "");
  if (!full_ || key != fullKey_) {
    full_.reset();
    fullContract_ = loaded.contract;
    const InputRules *rules = this->rules(fullContract_, error);
    auto inputs = rules ? makeInputs(fullContract_, bound.dims, *rules, seed, error) : std::nullopt;
    if (!inputs)
      return nullptr;
    full_ = std::make_unique<DeviceArguments>(*device_, fullContract_);
    if (!full_->upload(*inputs, bound.dims, bound.grid, error)) {
      full_.reset();
      return nullptr;
    }
    fullKey_ = key;
    fullInputs_.clear();
    outputs_.clear();
    if (fitsBeside(*inputs)) { // else nothing is verified at this size
      fullInputs_ = std::move(*inputs);
      full_->keep();
    }
  }
  fullLaunch_ = full_->launch();
  fullLaunch_.dims = bound.dims;
  fullLaunch_.grid = bound.grid;
  return &fullLaunch_;
}

Verdict DeviceWorker::time(LoadedPoint &loaded, const Request &request, Reply &reply) {
  if (faults_.strikes(Fault::FaultTiming, loaded.point))
    crashHere();
  if (faults_.strikes(Fault::HangTiming, loaded.point))
    hangHere();
  std::string error;
  const LaunchRequest *launch = fullSize(loaded, session_.seed, error);
  if (!launch)
    return {Status::Fault, "", error};
  // The first run warms up code, pages and clocks, and says how many repeats the budget holds.
  double ns = 0;
  for (int i = 0; i < 2; ++i)
    if (!loaded.kernel->time(*launch, session_.coldCache, ns, error))
      return {Status::Fault, "", error};
  auto repeats = static_cast<unsigned>(std::clamp(request.budgetMs * 1e6 / std::max(ns, 1.0), 0.0, 1e6));
  repeats = std::clamp(repeats, ns > 2e9 ? 3 : minRepeats, maxRepeats);
  std::vector<double> samples;
  // Flushing caches may take far longer than a short kernel: what is waited for is bounded too.
  auto until =
      std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(3 * request.budgetMs);
  for (unsigned i = 0; i < repeats && (i < minRepeats || std::chrono::steady_clock::now() < until); ++i) {
    if (!loaded.kernel->time(*launch, session_.coldCache, ns, error))
      return {Status::Fault, "", error};
    samples.push_back(ns);
    if (request.slowNs > 0 && i + 1 == slowRepeats &&
        *std::min_element(samples.begin(), samples.end()) > request.slowNs)
      break; // a bad point: its time is known well enough
  }
  reply.samples.push_back(std::move(samples));
  return {};
}

Reply DeviceWorker::sample(const Request &request) {
  Reply reply;
  reply.samples.resize(request.items.size());
  for (unsigned round = 0; round < request.repeats; ++round)
    for (size_t i = 0; i < request.items.size(); ++i) {
      std::string error;
      LoadedPoint *loaded = load(request.items[i], error);
      const LaunchRequest *launch = loaded ? fullSize(*loaded, session_.seed, error) : nullptr;
      double ns = 0;
      // Right after another kernel the first run is not representative: it pays for the code's pages.
      bool ok = launch && (round > 0 || loaded->kernel->time(*launch, session_.coldCache, ns, error)) &&
                loaded->kernel->time(*launch, session_.coldCache, ns, error);
      if (!ok) {
        reply.verdict = {Status::Fault, "", error};
        reply.failedItem = i;
        return reply;
      }
      reply.samples[i].push_back(ns);
    }
  return reply;
}

} // namespace phobos::kbench
