#include "kbench/workers/CompileWorker.h"
#include "compiler/driver/Compile.h"
#include "kbench/verify/Findings.h"
#include "kbench/verify/Oracle.h"
#include "kbench/verify/Sizes.h"
#include <algorithm>
#include <chrono>
#include <filesystem>

namespace phobos::kbench {
namespace {

double blocksOf(const std::array<int64_t, 3> &grid) {
  return static_cast<double>(grid[0]) * static_cast<double>(grid[1]) * static_cast<double>(grid[2]);
}

} // namespace

Verdict verdictOf(const Diagnostics &diags, const SourceManager &sources) {
  for (const Diagnostic &d : diags.all()) {
    if (d.severity() != Severity::Error)
      continue;
    if (d.id == diag::TileNameDisagrees)
      return {Status::Illegal, "tile-names", d.message};
    if (d.id != diag::IllegalPoint) {
      std::string text = d.message;
      for (const DiagnosticNote &n : d.notes)
        text += "; " + n.message;
      return {Status::CompileError, placeText(d, sources), text};
    }
    return {Status::Illegal, d.args[0], d.args[1]};
  }
  return {Status::CompileError, "", "the check failed without a message"};
}

bool CompileWorker::start(std::string &error) {
  if (!loadKernel(error))
    return false;
  compiler_ = target_.makeCompiler(session_.device, session_.deviceFacts);
  return true;
}

Reply CompileWorker::answer(const Request &request, const Say &say) {
  Reply reply;
  auto since = std::chrono::steady_clock::now();
  auto passed = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
  };
  auto sayAndStop = [&](const std::string &line) {
    if (reply.compileMs == 0 && line.starts_with("phase "))
      reply.compileMs = passed(); // what follows is the interpreter's
    say(line);
  };
  reply.verdict = compile(request, reply, sayAndStop);
  if (reply.compileMs == 0)
    reply.compileMs = passed();
  return reply;
}

Verdict CompileWorker::compile(const Request &request, Reply &reply, const Say &say) {
  Point point;
  std::string error;
  if (!parsePoint(request.items[0].point, point, error))
    return {Status::CompileError, "", error};
  if (faults_.strikes(Fault::Illegal, point))
    return {Status::Illegal, "injected", "a test asked for it"};
  if (faults_.strikes(Fault::CompileError, point))
    return {Status::CompileError, "", "a test asked for it"};
  if (faults_.strikes(Fault::CompileCrash, point))
    abortHere();
  if (faults_.strikes(Fault::CompileHang, point) ||
      (request.isFinal && faults_.strikes(Fault::CompileHangFinal, point))) {
    say("doing a test's fault kept it");
    hangHere();
  }
  if (faults_.strikes(Fault::CompileLost, point))
    leaveHere();

  Diagnostics diags;
  auto kernel = check(point, session_.grid.has_value(), diags);
  if (!kernel)
    return verdictOf(diags, loaded_->sources);
  Contract contract = driver::contractOf(*kernel);
  BoundLaunch full;
  if (!bindAt(contract, dimsOf(session_, contract), session_.grid, full, error))
    return {Status::Illegal, "launch-contract", error};

  if (request.kind == Request::Kind::Judge)
    return compiler_->judge(*kernel, loaded_->sources);
  compiler_->doing = [&](const std::string &what) { say("doing " + what); };
  PointFiles files;
  Point plain;
  const bool hasPlain = request.items.size() > 1 && parsePoint(request.items[1].point, plain, error);
  if (request.kind == Request::Kind::Compare) {
    if (!hasPlain || !files.read(request.items[0].folder, error))
      return {Status::Lost, "", "what was compiled is gone: " + error};
    return plain == point ? Verdict() : differsFrom(plain, *kernel, contract, request, files);
  }
  Verdict verdict = compiler_->compile(*kernel, loaded_->sources, files.code);
  if (!verdict.ok())
    return verdict;
  Effort effort = measureEffort(*kernel, full.dims, full.grid, session_.grid.has_value());
  reply.flops = effort.dotFlops;
  reply.bytes = effort.bytes;
  reply.unsurePart = effort.bytes > 0 ? effort.unsureBytes / effort.bytes : 0;
  for (const std::string &tensor : effort.unsure)
    reply.unsure += (reply.unsure.empty() ? "" : ", ") + tensor;
  reply.products = effort.products;
  for (auto &[type, part] : reply.products)
    if (type == "f32" && kernel->tensorcore && target_.roundsProducts)
      type = *kernel->tensorcore == ScalarType::F32 ? "tf32" : name(*kernel->tensorcore);
  reply.isApproximate = effort.isApproximate;
  reply.isComputeBound = effort.isComputeBound();
  reply.resources = files.code.resources;
  std::error_code status;
  std::filesystem::create_directories(request.items[0].folder, status);
  verdict = makeCases(*kernel, contract, full, request, files, reply, say);
  reply.cases = static_cast<unsigned>(files.cases.size());
  if (verdict.ok() && hasPlain && !(plain == point))
    verdict = differsFrom(plain, *kernel, contract, request, files);
  if (verdict.ok() && !files.write(request.items[0].folder, reply.cannotWrite))
    return {Status::Lost, "", reply.cannotWrite};
  return verdict;
}

Verdict CompileWorker::makeCases(const sema::TypedKernel &kernel, const Contract &contract,
                                 const BoundLaunch &full, const Request &request, PointFiles &files,
                                 Reply &reply, const Say &say) {
  std::string error;
  const InputRules *rules = this->rules(contract, error);
  if (!rules)
    return {Status::CompileError, "", error};
  for (const std::vector<int64_t> &dims : smallSizes(kernel, contract, full.dims)) {
    // A grid that the user gave is for the full size; where the kernel says what covers a size, that is
    // taken.
    BoundLaunch bound;
    if (!bindAt(contract, dims, contract.gridFromHost ? session_.grid : std::nullopt, bound, error))
      return {Status::Illegal, "launch-contract", error};
    // Extents that are constants cannot be made small; then a part of the grid stands for the whole.
    Effort effort = measureEffort(kernel, bound.dims, bound.grid, contract.gridFromHost);
    double wholeGrid = blocksOf(bound.grid);
    auto work = [&] {
      return std::max(effort.dotFlops / 2,
                      effort.tensorBytes * blocksOf(bound.grid) / std::max(wholeGrid, 1.0));
    };
    if (!files.cases.empty() && work() > maxCaseWork)
      continue;
    while (work() > maxCaseWork && blocksOf(bound.grid) > 1) {
      int64_t &longest = *std::max_element(bound.grid.begin(), bound.grid.end());
      longest = (longest + 1) / 2;
      effort = measureEffort(kernel, bound.dims, bound.grid, true);
    }
    const std::string where = sizeText(contract, bound.dims);
    say("phase the interpreter" + where);
    uint64_t seed = request.seed * 16 + files.cases.size();
    auto inputs = makeInputs(contract, bound.dims, *rules, seed, error);
    Diagnostics checked;
    const bool checks = isCheckable(kernel, bound.dims);
    auto expected = inputs ? interpret(kernel, contract, *inputs, bound.dims, bound.grid, effort, error,
                                       checks ? &checked : nullptr)
                           : std::nullopt;
    if (!expected)
      return {Status::CompileError, "", "no reference: " + error};
    Findings found = findingsOf(checked, loaded_->sources, where.empty() ? "" : " (" + where.substr(1) + ")",
                                contract.gridFromHost               ? GridRun::Given
                                : blocksOf(bound.grid) == wholeGrid ? GridRun::Whole
                                                                    : GridRun::Part);
    if (found.wrong)
      return *found.wrong;
    if (reply.warning.empty())
      reply.warning = checks ? found.warning : "too large to be checked for races: its extents are constants";
    for (const ExpectedOutput &out : *expected) {
      auto path = [&](bool bounds) {
        return expectedPath(request.items[0].folder, files.cases.size(), out.param, bounds);
      };
      std::string &why = reply.cannotWrite;
      if (!writeFile(path(false), out.values.data(), out.values.bytes(), why) ||
          !writeFile(path(true), out.bounds.data(), out.bounds.size() * sizeof(double), why))
        return {Status::Lost, "", why};
    }
    files.cases.push_back({bound.dims, bound.grid, seed});
  }
  return {};
}

} // namespace phobos::kbench
