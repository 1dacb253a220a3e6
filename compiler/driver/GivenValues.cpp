#include "compiler/driver/GivenValues.h"
#include "compiler/host/Npy.h"
#include "compiler/support/Suggest.h"
#include "compiler/support/Types.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace phobos::driver {

namespace {

/// The words between spaces and commas.
std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (char c : text)
    if (c != ',' && !std::isspace(static_cast<unsigned char>(c)))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  if (words.back().empty())
    words.pop_back();
  return words;
}

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &n : names)
    text += (text.empty() ? "" : ", ") + n;
  return text.empty() ? "none" : text;
}

void suggest(Diagnostics::Builder report, const std::string &name, const std::vector<std::string> &names) {
  if (auto near = nearest(name, names))
    report.help("did you mean '" + *near + "'?");
}

/// Each name once. `parse` reads one word.
template <typename Parse>
bool readAssignments(const std::vector<std::string> &texts, std::string_view option, diag bad, Parse parse,
                     Point &result, Diagnostics &diags) {
  std::map<std::string, std::string> seen; // a name and how it was written
  for (const std::string &text : texts)
    for (const std::string &word : wordsOf(text)) {
      std::string error, name = word.substr(0, word.find('='));
      Point one;
      if (!parse(word, one, error)) {
        diags.report(bad, {}, word, error);
        return false;
      }
      if (auto [at, isNew] = seen.emplace(name, word); !isNew) {
        diags.report(diag::RepeatedName, {}, option, name, at->second, word);
        return false;
      }
      result.set(name, one.entries().front().second);
    }
  return true;
}

std::string extentText(const Contract &c, const ContractExtent &e) {
  return e.fixed ? std::to_string(e.value) : c.dims[static_cast<size_t>(e.value)];
}

/// How NumPy calls the type that serves a parameter.
std::string numpyName(ScalarType elem) {
  switch (elem) {
  case ScalarType::Bool:
    return "bool";
  case ScalarType::I8:
    return "int8";
  case ScalarType::U8:
    return "uint8";
  case ScalarType::I32:
    return "int32";
  case ScalarType::U32:
    return "uint32";
  case ScalarType::I64:
  case ScalarType::Index:
    return "int64";
  case ScalarType::F16:
    return "float16";
  case ScalarType::F64:
    return "float64";
  default:
    return "float32"; // the narrow floats are rounded from it
  }
}

/// `x.npy` as `x_float32.npy`: what holds the data stays as it is.
std::string besideOf(const std::string &path, const std::string &type) {
  const std::string suffix = path.ends_with(".npy") ? ".npy" : "";
  return path.substr(0, path.size() - suffix.size()) + "_" + type + ".npy";
}

bool readArray(const Contract &c, const ContractParam &p, const ArgSpec &spec,
               std::optional<HostArray> &result, Diagnostics &diags) {
  const std::string &path = spec.text;
  std::string error;
  NpyFault fault;
  std::optional<HostArray> array = readNpy(path, error, &fault);
  if (!array) {
    if (fault == NpyFault::TooLarge) {
      diags.report(diag::ArgumentTooLarge, {}, p.name, typeText(c, p), "'" + path + "': " + error);
      return false;
    }
    auto near = nearestRule(path);
    diags.report(fault == NpyFault::Malformed ? diag::BadArray : diag::CannotReadFile, {}, path, error)
        .help(near
                  ? "did you mean the rule '" + *near + "'?"
                  : "'" + p.name + "' takes a .npy file, uniform(low, high), normal, arange or const(value)");
    return false;
  }
  std::string given = std::string(name(array->elem())) + " of shape " + str(array->extents());
  if (array->extents().size() != p.extents.size()) {
    diags.report(diag::ArgumentRank, {}, p.name, typeText(c, p), path, given);
    return false;
  }
  result = convertForParameter(std::move(*array), p.elem);
  if (!result)
    diags.report(diag::ArgumentType, {}, p.name, typeText(c, p), path, given)
        .help("in Python: numpy.save('" + besideOf(path, numpyName(p.elem)) + "', numpy.load('" + path +
              "').astype('" + numpyName(p.elem) + "')), and give that file");
  return result.has_value();
}

} // namespace

std::string typeText(const Contract &c, const ContractParam &p) {
  std::string elem(name(p.elem));
  if (!p.isTensor)
    return elem;
  std::string s = "tensor<" + elem + ">[";
  for (size_t a = 0; a < p.extents.size(); ++a)
    s += (a ? ", " : "") + extentText(c, p.extents[a]);
  return s + "]";
}

bool readPoint(const std::vector<std::string> &texts, std::string_view option, Point &point,
               Diagnostics &diags) {
  auto parse = [](const std::string &word, Point &one, std::string &error) {
    return parsePoint(word, one, error);
  };
  return readAssignments(texts, option, diag::BadPoint, parse, point, diags);
}

bool readExtents(const std::vector<std::string> &texts, Point &extents, Diagnostics &diags) {
  auto parse = [](const std::string &word, Point &one, std::string &error) {
    return parseExtents(word, one, error);
  };
  return readAssignments(texts, "--dim", diag::BadDimension, parse, extents, diags);
}

bool checkExtents(const Point &extents, const Contract &contract, Diagnostics &diags) {
  for (const auto &[dim, value] : extents.entries())
    if (std::find(contract.dims.begin(), contract.dims.end(), dim) == contract.dims.end()) {
      suggest(diags.report(diag::UnknownDimension, {}, contract.kernel, dim, listed(contract.dims)), dim,
              contract.dims);
      return false;
    }
  return true;
}

bool readGrid(const std::string &text, std::optional<std::array<int64_t, 3>> &result, Diagnostics &diags) {
  if (text.empty())
    return true;
  std::array<int64_t, 3> grid{1, 1, 1};
  const char *at = text.data(), *end = at + text.size();
  for (size_t axis = 0; axis < 3; ++axis) {
    auto [next, status] = std::from_chars(at, end, grid[axis]);
    bool more = next != end;
    if (status != std::errc() || grid[axis] < 0 || (more && (*next != ',' || axis == 2))) {
      diags.report(diag::BadGrid, {}, text);
      return false;
    }
    if (!more)
      break;
    at = next + 1;
  }
  result = grid;
  return true;
}

bool readArguments(const std::vector<std::string> &texts, const Contract &c, GivenArguments &given,
                   Diagnostics &diags) {
  given.specs.assign(c.params.size(), std::nullopt);
  given.arrays.assign(c.params.size(), std::nullopt);
  std::vector<std::string> names, written(c.params.size());
  for (const ContractParam &p : c.params)
    names.push_back(p.name);
  for (const std::string &text : texts) {
    std::string parameter, error;
    ArgSpec spec;
    if (!parseArg(text, parameter, spec, error)) {
      auto report = diags.report(diag::BadArgument, {}, text, error);
      if (auto near = nearestRule(std::string_view(text).substr(text.find('=') + 1));
          near && !spec.text.empty())
        report.help("did you mean '" + *near + "'?");
      return false;
    }
    size_t i = static_cast<size_t>(std::find(names.begin(), names.end(), parameter) - names.begin());
    if (i == names.size()) {
      suggest(diags.report(diag::UnknownArgument, {}, c.kernel, parameter, listed(names)), parameter, names);
      return false;
    }
    if (given.specs[i]) {
      diags.report(diag::RepeatedName, {}, "--arg", parameter, written[i], text);
      return false;
    }
    const ContractParam &p = c.params[i];
    if (spec.isFile() && p.isTensor && !readArray(c, p, spec, given.arrays[i], diags))
      return false;
    if (spec.kind == ArgSpec::Kind::Number && p.isTensor) {
      diags.report(diag::ArgumentKind, {}, p.name, typeText(c, p), spec.text)
          .help("--arg '" + p.name + "=const(" + spec.text + ")' fills it with that number");
      return false;
    }
    written[i] = text;
    given.specs[i] = std::move(spec);
  }
  return true;
}

bool checkRule(const Contract &c, const ContractParam &p, const ArgSpec &spec, int64_t count,
               Diagnostics &diags) {
  std::string error;
  if (fitsElement(spec, p.elem, count, error))
    return true;
  diags.report(diag::ArgumentValue, {}, p.name, typeText(c, p), error);
  return false;
}

bool readScalar(const Contract &c, const ContractParam &p, const ArgSpec &spec, uint64_t seed, double &f,
                int64_t &i, Diagnostics &diags) {
  std::string error;
  if (scalarValue(spec, p.elem, seed, p.name, f, i, error))
    return true;
  diags.report(diag::ArgumentValue, {}, p.name, typeText(c, p), error);
  return false;
}

} // namespace phobos::driver
