#include "compiler/driver/RunArguments.h"
#include "compiler/driver/GivenValues.h"
#include <algorithm>

namespace phobos::driver {

namespace {

/// A rule that gives values of the type which show something.
const char *ruleFor(ScalarType elem) {
  if (isFloat(elem))
    return "uniform(-1,1)";
  return elem == ScalarType::Bool ? "uniform(0,1)" : isSigned(elem) ? "uniform(-8,8)" : "uniform(0,8)";
}

class Preparation {
public:
  Preparation(const sema::TypedKernel &kernel, const Contract &contract, const RunRequest &request,
              PreparedLaunch &result, Diagnostics &diags)
      : kernel_(kernel), c_(contract), r_(request), out_(result), diags_(diags) {
    out_.arguments.arrays.resize(c_.params.size());
    out_.arguments.scalars.resize(c_.params.size());
  }

  bool run() {
    return readExtents(r_.dims, extents_, diags_) && checkExtents(extents_, c_, diags_) &&
           readGrid(r_.grid, bind_.grid, diags_) && readArguments(r_.args, c_, given_, diags_) &&
           checkAllGiven() && takeFiles() && fillRest() && bind();
  }

private:
  bool checkAllGiven();
  bool takeFiles();
  bool fillRest();
  bool fillTensor(size_t i);
  bool bind();
  void sayWhatRefuses(const std::string &error);

  const sema::TypedKernel &kernel_;
  const Contract &c_;
  const RunRequest &r_;
  PreparedLaunch &out_;
  Diagnostics &diags_;
  Point extents_; ///< runtime dimensions, from --dim and files
  GivenArguments given_;
  BindOptions bind_;
};

/// A tensor that is only written may be left out: zeros of the right shape.
bool Preparation::checkAllGiven() {
  for (const auto &[dim, value] : extents_.entries())
    bind_.dims.emplace_back(dim, value);
  for (const ContractParam &p : c_.params) {
    auto names = [&](const std::string &text) { return text.substr(0, text.find('=')) == p.name; };
    if ((p.isTensor && !p.isRead) || std::any_of(r_.args.begin(), r_.args.end(), names))
      continue;
    diags_.report(diag::MissingArgument, {}, p.name, typeText(c_, p))
        .help(p.isTensor
                  ? "write --arg " + p.name + "=file.npy, or --arg '" + p.name + "=" + ruleFor(p.elem) + "'"
                  : "write --arg " + p.name + "=1");
    return false;
  }
  return true;
}

bool Preparation::takeFiles() {
  for (size_t i = 0; i < c_.params.size(); ++i) {
    if (!given_.arrays[i])
      continue;
    const ContractParam &p = c_.params[i];
    for (size_t axis = 0; axis < p.extents.size(); ++axis)
      if (!p.extents[axis].fixed) {
        const std::string &dim = c_.dims[static_cast<size_t>(p.extents[axis].value)];
        if (!extents_.get(dim))
          extents_.set(dim, given_.arrays[i]->extents()[axis]);
      }
    out_.arguments.arrays[i] = std::move(*given_.arrays[i]);
  }
  return true;
}

bool Preparation::fillTensor(size_t i) {
  const ContractParam &p = c_.params[i];
  std::vector<int64_t> extents;
  for (const ContractExtent &e : p.extents) {
    const std::string dim = e.fixed ? "" : c_.dims[static_cast<size_t>(e.value)];
    std::optional<int64_t> n = e.fixed ? std::optional(e.value) : extents_.get(dim);
    if (!n) {
      diags_.report(diag::MissingDimension, {}, dim, p.name, typeText(c_, p))
          .help("write --dim " + dim + "=1000");
      return false;
    }
    extents.push_back(*n);
  }
  std::string error;
  std::optional<HostArray> array = HostArray::tryCreate(p.elem, std::move(extents), error);
  if (!array) {
    diags_.report(diag::ArgumentTooLarge, {}, p.name, typeText(c_, p), error);
    return false;
  }
  if (given_.specs[i]) {
    if (!checkRule(c_, p, *given_.specs[i], array->size(), diags_))
      return false;
    fillArray(*array, *given_.specs[i], r_.seed, p.name);
  }
  out_.arguments.arrays[i] = std::move(*array);
  return true;
}

bool Preparation::fillRest() {
  for (size_t i = 0; i < c_.params.size(); ++i) {
    const ContractParam &p = c_.params[i];
    if (p.isTensor) {
      if ((!given_.specs[i] || !given_.specs[i]->isFile()) && !fillTensor(i))
        return false;
      continue;
    }
    interp::ScalarArgument &value = out_.arguments.scalars[i];
    if (!readScalar(c_, p, *given_.specs[i], r_.seed, value.f, value.i, diags_))
      return false;
  }
  return true;
}

void Preparation::sayWhatRefuses(const std::string &error) {
  using By = BoundLaunch::Refusal::By;
  const auto [by, index] = out_.launch.refusal;
  const SourceRange place = by == By::Param     ? kernel_.params[index].range
                            : by == By::Require ? kernel_.requires_[index].range
                                                : kernel_.range;
  auto report = diags_.report(diag::LaunchRefused, place, error);
  const bool hasNames = !kernel_.point.empty();
  if (by == By::Require || by == By::Aligned)
    report.help(hasNames ? "give other extents, or another point with --point" : "give other extents");
  else if (by == By::Grid)
    report.help("write --grid X, X,Y or X,Y,Z: the blocks along each axis");
}

bool Preparation::bind() {
  std::vector<TensorShape> shapes(c_.params.size());
  std::vector<const TensorShape *> tensors(c_.params.size());
  for (size_t i = 0; i < c_.params.size(); ++i)
    if (c_.params[i].isTensor) {
      const HostArray &a = out_.arguments.arrays[i];
      shapes[i] = {a.elem(), a.extents(), {}, a.data()};
      tensors[i] = &shapes[i];
    }
  std::string error;
  if (!bindLaunch(c_, tensors, bind_, out_.launch, error)) {
    sayWhatRefuses(error);
    return false;
  }
  for (const std::string &w : out_.launch.warnings)
    diags_.report(diag::LaunchWarning, {}, w);
  return true;
}

} // namespace

bool prepareLaunch(const sema::TypedKernel &kernel, const Contract &contract, const RunRequest &request,
                   PreparedLaunch &result, Diagnostics &diags) {
  return Preparation(kernel, contract, request, result, diags).run();
}

} // namespace phobos::driver
