#include "kbench/workers/KernelWorker.h"
#include "compiler/driver/Compile.h"
#include <algorithm>
#include <cstring>

namespace phobos::kbench {

std::vector<int64_t> dimsOf(const Session &session, const Contract &contract) {
  std::vector<int64_t> dims;
  for (const std::string &name : contract.dims) {
    auto it =
        std::find_if(session.dims.begin(), session.dims.end(), [&](auto &d) { return d.first == name; });
    dims.push_back(it == session.dims.end() ? 1 : it->second);
  }
  return dims;
}

bool bindAt(const Contract &contract, const std::vector<int64_t> &dims,
            const std::optional<std::array<int64_t, 3>> &grid, BoundLaunch &bound, std::string &error) {
  std::vector<TensorShape> shapes(contract.params.size());
  std::vector<const TensorShape *> tensors;
  for (size_t p = 0; p < contract.params.size(); ++p) {
    const ContractParam &param = contract.params[p];
    TensorShape &s = shapes[p];
    s.elem = param.elem;
    s.extents = extentsAt(param, dims);
    s.strides.assign(s.extents.size(), 1);
    for (size_t axis = s.extents.size(); axis-- > 1;)
      s.strides[axis - 1] = s.strides[axis] * std::max<int64_t>(1, s.extents[axis]);
    tensors.push_back(param.isTensor ? &s : nullptr);
  }
  BindOptions options;
  options.grid = grid;
  options.assumeDisjoint = true; // nothing is allocated yet
  for (size_t d = 0; d < contract.dims.size(); ++d)
    options.dims.emplace_back(contract.dims[d], dims[d]);
  return bindLaunch(contract, tensors, options, bound, error);
}

bool readExpected(const std::string &folder, size_t caseIndex, size_t param, ScalarType elem,
                  std::vector<int64_t> extents, ExpectedOutput &expected, std::string &error) {
  expected = {param, HostArray(elem, std::move(extents)), {}};
  std::string bytes;
  if (!readFile(expectedPath(folder, caseIndex, param, false), bytes, error))
    return false;
  if (bytes.size() != expected.values.bytes()) {
    error = "the expected values are of another size";
    return false;
  }
  std::memcpy(expected.values.data(), bytes.data(), bytes.size());
  if (!readFile(expectedPath(folder, caseIndex, param, true), bytes, error))
    return false;
  expected.bounds.resize(bytes.size() / sizeof(double));
  if (!expected.bounds.empty()) // integers are equal or not
    std::memcpy(expected.bounds.data(), bytes.data(), expected.bounds.size() * sizeof(double));
  return true;
}

std::string sizeText(const Contract &contract, const std::vector<int64_t> &dims) {
  std::string text;
  for (size_t d = 0; d < dims.size(); ++d)
    text += (d ? " " : " at ") + contract.dims[d] + "=" + std::to_string(dims[d]);
  return text;
}

KernelWorker::KernelWorker(const Target &target, const Session &session)
    : target_(target), session_(session), faults_(faultsFromEnvironment()) {}
KernelWorker::~KernelWorker() = default;

bool KernelWorker::loadKernel(std::string &error) {
  Diagnostics diags;
  std::string text;
  if (!readFile(session_.textPath, text, error))
    return false;
  driver::LoadOptions options;
  options.stdlib = session_.stdlib;
  loaded_ = driver::loadText(session_.file, std::move(text), options, diags);
  kernel_ = diags.hasErrors() ? nullptr : driver::selectKernel(*loaded_->file, session_.kernel, diags);
  if (!kernel_) {
    error = diags.all().empty() ? "no kernel" : diags.all().front().message;
    return false;
  }
  return true;
}

std::unique_ptr<sema::TypedKernel> KernelWorker::check(const Point &point, bool isGridGiven,
                                                       Diagnostics &diags) const {
  sema::CheckOptions options;
  options.warnings = false;
  options.gridGiven = isGridGiven;
  return driver::checkAt(*loaded_, *kernel_, point, diags, options);
}

const InputRules *KernelWorker::rules(const Contract &contract, std::string &error) {
  if (!rules_ && !rules_.emplace().parse(session_.args, contract, error))
    rules_.reset();
  return rules_ ? &*rules_ : nullptr;
}

} // namespace phobos::kbench
