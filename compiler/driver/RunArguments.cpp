#include "compiler/driver/RunArguments.h"
#include "compiler/host/ArgSpec.h"
#include "compiler/host/Npy.h"
#include "compiler/support/Point.h"
#include "compiler/support/Suggest.h"
#include <charconv>

namespace phobos::driver {

namespace {

enum Status : int { Success = 0, InputFault = 1, UsageFault = 2, EnvironmentFault = 3 };

class Preparation {
public:
  Preparation(const Contract &contract, const RunRequest &request, PreparedLaunch &result, Diagnostics &diags)
      : c_(contract), r_(request), out_(result), diags_(diags), specs_(contract.params.size()) {
    out_.arguments.arrays.resize(c_.params.size());
    out_.arguments.scalars.resize(c_.params.size());
  }

  int run() {
    for (int (Preparation::*step)() :
         {&Preparation::readSpecs, &Preparation::readDims, &Preparation::readGrid, &Preparation::readFiles,
          &Preparation::fillRest, &Preparation::bind})
      if (int status = (this->*step)())
        return status;
    return Success;
  }

private:
  /// The exit status of an error that was just reported.
  int readSpecs();
  int readDims();
  int readGrid();
  int readFiles();
  int readFile(size_t i);
  int fillRest();
  int fillTensor(size_t i);
  int bind();

  std::string parameterNames() const {
    std::string s;
    for (const ContractParam &p : c_.params)
      s += (s.empty() ? "" : ", ") + p.name;
    return s.empty() ? "none" : s;
  }
  /// `tensor<f32>[M, 64]`, or `f32`.
  std::string typeText(const ContractParam &p) const {
    std::string elem(name(p.elem));
    if (!p.isTensor)
      return elem;
    std::string s = "tensor<" + elem + ">[";
    for (size_t a = 0; a < p.extents.size(); ++a)
      s += (a ? ", " : "") + extentText(p.extents[a]);
    return s + "]";
  }
  std::string extentText(const ContractExtent &e) const {
    return e.fixed ? std::to_string(e.value) : c_.dims[static_cast<size_t>(e.value)];
  }

  const Contract &c_;
  const RunRequest &r_;
  PreparedLaunch &out_;
  Diagnostics &diags_;
  std::vector<std::optional<ArgSpec>> specs_; ///< of each parameter
  BindOptions bind_;
  std::vector<std::optional<int64_t>> known_; ///< runtime dimensions, from --dim and files
};

int Preparation::readSpecs() {
  for (const std::string &text : r_.args) {
    std::string parameter, error;
    ArgSpec spec;
    if (!parseArg(text, parameter, spec, error)) {
      diags_.report(diag::BadArgument, {}, text, error);
      return UsageFault;
    }
    size_t i = 0;
    while (i < c_.params.size() && c_.params[i].name != parameter)
      ++i;
    if (i == c_.params.size()) {
      std::vector<std::string> names;
      for (const ContractParam &p : c_.params)
        names.push_back(p.name);
      auto report = diags_.report(diag::UnknownArgument, {}, c_.kernel, parameter, parameterNames());
      if (auto near = nearest(parameter, names))
        report.help("did you mean '" + *near + "'?");
      return InputFault;
    }
    specs_[i] = std::move(spec);
  }
  return Success;
}

int Preparation::readDims() {
  known_.resize(c_.dims.size());
  Point given;
  for (const std::string &text : r_.dims) {
    std::string error;
    if (!parseExtents(text, given, error)) {
      diags_.report(diag::BadDimension, {}, text, error);
      return UsageFault;
    }
  }
  for (const auto &[dim, value] : given.entries()) {
    size_t i = 0;
    while (i < c_.dims.size() && c_.dims[i] != dim)
      ++i;
    if (i == c_.dims.size()) {
      std::string list;
      for (const std::string &d : c_.dims)
        list += (list.empty() ? "" : ", ") + d;
      diags_.report(diag::BadDimension, {}, dim + "=" + std::to_string(value),
                    "the runtime dimensions of kernel '" + c_.kernel + "' are " +
                        (list.empty() ? "none" : list));
      return InputFault;
    }
    known_[i] = value;
    bind_.dims.emplace_back(dim, value);
  }
  return Success;
}

int Preparation::readGrid() {
  if (r_.grid.empty())
    return Success;
  std::array<int64_t, 3> grid{1, 1, 1};
  const char *at = r_.grid.data(), *end = at + r_.grid.size();
  for (size_t axis = 0; axis < 3; ++axis) {
    auto [next, status] = std::from_chars(at, end, grid[axis]);
    bool more = next != end;
    if (status != std::errc() || grid[axis] < 0 || (more && (*next != ',' || axis == 2))) {
      diags_.report(diag::BadGrid, {}, r_.grid);
      return UsageFault;
    }
    if (!more)
      break;
    at = next + 1;
  }
  bind_.grid = grid;
  return Success;
}

int Preparation::readFile(size_t i) {
  const ContractParam &p = c_.params[i];
  const std::string &path = specs_[i]->text;
  std::string error;
  std::optional<HostArray> array = readNpy(path, error);
  if (!array) {
    diags_.report(diag::CannotReadFile, {}, path, error)
        .help("'" + p.name + "' takes a .npy file, uniform(low, high), normal, arange or const(value)");
    return EnvironmentFault;
  }
  std::string given = std::string(name(array->elem())) + " of shape " + str(array->extents());
  if (array->extents().size() != p.extents.size()) {
    diags_.report(diag::ArgumentRank, {}, p.name, typeText(p), path, given);
    return InputFault;
  }
  std::optional<HostArray> converted = convertForParameter(std::move(*array), p.elem);
  if (!converted) {
    diags_.report(diag::ArgumentType, {}, p.name, typeText(p), path, given);
    return InputFault;
  }
  for (size_t axis = 0; axis < p.extents.size(); ++axis)
    if (!p.extents[axis].fixed && !known_[static_cast<size_t>(p.extents[axis].value)])
      known_[static_cast<size_t>(p.extents[axis].value)] = converted->extents()[axis];
  out_.arguments.arrays[i] = std::move(*converted);
  return Success;
}

int Preparation::readFiles() {
  for (size_t i = 0; i < c_.params.size(); ++i) {
    const ContractParam &p = c_.params[i];
    if (!specs_[i]) {
      if (p.isTensor && !p.isRead)
        continue; // only written: zeros of the right shape
      diags_.report(diag::MissingArgument, {}, p.name, typeText(p))
          .help(p.isTensor ? "write --arg " + p.name + "=file.npy, or --arg '" + p.name + "=uniform(-1,1)'"
                           : "write --arg " + p.name + "=1");
      return InputFault;
    }
    if (specs_[i]->isFile() && p.isTensor)
      if (int status = readFile(i))
        return status;
  }
  return Success;
}

int Preparation::fillTensor(size_t i) {
  const ContractParam &p = c_.params[i];
  if (specs_[i] && specs_[i]->kind == ArgSpec::Kind::Number) {
    diags_.report(diag::ArgumentKind, {}, p.name, typeText(p), specs_[i]->text)
        .help("--arg '" + p.name + "=const(" + specs_[i]->text + ")' fills it with that number");
    return InputFault;
  }
  std::vector<int64_t> extents;
  for (const ContractExtent &e : p.extents) {
    std::optional<int64_t> n = e.fixed ? std::optional(e.value) : known_[static_cast<size_t>(e.value)];
    if (!n) {
      const std::string &dim = c_.dims[static_cast<size_t>(e.value)];
      diags_.report(diag::MissingDimension, {}, dim, p.name, typeText(p))
          .help("write --dim " + dim + "=1000");
      return InputFault;
    }
    extents.push_back(*n);
  }
  std::string error;
  std::optional<HostArray> array = HostArray::tryCreate(p.elem, std::move(extents), error);
  if (!array) {
    diags_.report(diag::ArgumentTooLarge, {}, p.name, typeText(p), error);
    return EnvironmentFault;
  }
  if (specs_[i])
    fillArray(*array, *specs_[i], r_.seed, p.name);
  out_.arguments.arrays[i] = std::move(*array);
  return Success;
}

int Preparation::fillRest() {
  for (size_t i = 0; i < c_.params.size(); ++i) {
    const ContractParam &p = c_.params[i];
    if (p.isTensor) {
      if (!specs_[i] || !specs_[i]->isFile())
        if (int status = fillTensor(i))
          return status;
      continue;
    }
    interp::ScalarArgument &value = out_.arguments.scalars[i];
    std::string error;
    if (!scalarValue(*specs_[i], p.elem, r_.seed, p.name, value.f, value.i, error)) {
      diags_.report(diag::ScalarArgument, {}, p.name, typeText(p), error);
      return InputFault;
    }
  }
  return Success;
}

int Preparation::bind() {
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
    diags_.report(diag::LaunchRefused, {}, error);
    return InputFault;
  }
  for (const std::string &w : out_.launch.warnings)
    diags_.report(diag::LaunchWarning, {}, w);
  return Success;
}

} // namespace

int prepareLaunch(const Contract &contract, const RunRequest &request, PreparedLaunch &result,
                  Diagnostics &diags) {
  return Preparation(contract, request, result, diags).run();
}

} // namespace phobos::driver
