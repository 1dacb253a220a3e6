// Whether a point computes what the plain point does, asked of the interpreter at a size that both take.
#include "compiler/driver/Compile.h"
#include "kbench/verify/Oracle.h"
#include "kbench/verify/Sizes.h"
#include "kbench/workers/CompileWorker.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

/// Sizes that two points may both take, the likelier first: the plain point's own, then with each extent the
/// lesser or the greater of the two points' (a @require or @aligned may bound it from either side), then the
/// full size.
std::vector<std::vector<int64_t>> commonSizes(const std::vector<VerificationCase> &cases,
                                              const std::vector<std::vector<int64_t>> &ofPlain,
                                              const std::vector<int64_t> &full) {
  std::vector<std::vector<int64_t>> sizes = ofPlain;
  for (const VerificationCase &c : cases)
    for (const auto &p : ofPlain) {
      std::vector<int64_t> lesser, greater;
      for (size_t d = 0; d < p.size() && d < c.dims.size(); ++d)
        lesser.push_back(std::min(p[d], c.dims[d])), greater.push_back(std::max(p[d], c.dims[d]));
      for (auto &dims : {lesser, greater})
        if (std::find(sizes.begin(), sizes.end(), dims) == sizes.end())
          sizes.push_back(dims);
    }
  sizes.push_back(full);
  return sizes;
}

} // namespace

Verdict CompileWorker::differsFrom(const Point &plain, const sema::TypedKernel &point,
                                   const Contract &contract, const Request &request,
                                   const PointFiles &files) {
  Diagnostics diags;
  auto kernel = check(plain, false, diags);
  if (!kernel)
    return uncompared("the plain point does not check");
  const Contract plainContract = driver::contractOf(*kernel);
  std::string error;
  const InputRules *rules = this->rules(plainContract, error);
  if (!rules)
    return uncompared(error);
  for (size_t c = 0; c < files.cases.size(); ++c) {
    const VerificationCase &given = files.cases[c];
    BoundLaunch bound;
    if (!bindAt(plainContract, given.dims, std::nullopt, bound, error))
      continue;
    auto inputs = makeInputs(plainContract, given.dims, *rules, given.seed, error);
    auto values = inputs ? interpretValues(*kernel, *inputs, bound.dims, bound.grid, error) : std::nullopt;
    if (!values)
      return uncompared(error);
    for (size_t p = 0; p < contract.params.size(); ++p) {
      if (!contract.params[p].isTensor || !contract.params[p].isWritten)
        continue;
      ExpectedOutput expected;
      HostArray &got = (*values)[p];
      if (got.extents() != extentsAt(contract.params[p], given.dims))
        return uncompared("its tensors have other extents than the plain point's");
      if (!readExpected(request.items[0].folder, c, p, contract.params[p].elem, got.extents(), expected,
                        error))
        return uncompared(error);
      if (!compare(got, expected, contract.params[p].name).failure.empty())
        return dependsOnPoint();
    }
    return {};
  }
  return differsElsewhere(*kernel, plainContract, point, contract, request, files);
}

Verdict CompileWorker::differsElsewhere(const sema::TypedKernel &plain, const Contract &plainContract,
                                        const sema::TypedKernel &kernel, const Contract &contract,
                                        const Request &request, const PointFiles &files) {
  std::string error;
  const InputRules *rules = this->rules(plainContract, error);
  std::vector<int64_t> full = dimsOf(session_, contract);
  for (const auto &dims : commonSizes(files.cases, smallSizes(plain, plainContract, full), full)) {
    BoundLaunch bound, plainBound;
    if (!bindAt(contract, dims, std::nullopt, bound, error) ||
        !bindAt(plainContract, dims, std::nullopt, plainBound, error))
      continue;
    const Effort effort = measureEffort(kernel, bound.dims, bound.grid, false);
    if (std::max(effort.dotFlops / 2, effort.tensorBytes) > maxCaseWork)
      continue;
    for (size_t p = 0; p < contract.params.size(); ++p)
      if (extentsAt(contract.params[p], dims) != extentsAt(plainContract.params[p], dims))
        return uncompared("its tensors have other extents than the plain point's");
    auto inputs = makeInputs(plainContract, dims, *rules, request.seed * 16 + 15, error);
    auto expected =
        inputs ? interpret(kernel, contract, *inputs, bound.dims, bound.grid, effort, error) : std::nullopt;
    auto values =
        expected ? interpretValues(plain, *inputs, plainBound.dims, plainBound.grid, error) : std::nullopt;
    if (!values)
      return uncompared(error);
    for (const ExpectedOutput &out : *expected)
      if (!compare((*values)[out.param], out, contract.params[out.param].name).failure.empty())
        return dependsOnPoint();
    return {};
  }
  return uncompared("there is no small size that both it and the plain point take");
}

} // namespace phobos::kbench
