#include "kbench/verify/Inputs.h"
#include "compiler/host/Npy.h"
#include <cstring>
#include <limits>

namespace phobos::kbench {

bool InputRules::parse(const std::vector<std::string> &args, const Contract &contract, std::string &error) {
  for (const std::string &text : args) {
    std::string name;
    ArgSpec spec;
    if (!parseArg(text, name, spec, error)) {
      fault_ = Fault::Syntax;
      return false;
    }
    const ContractParam *param = nullptr;
    std::string known;
    for (const ContractParam &p : contract.params) {
      known += (known.empty() ? "" : ", ") + p.name;
      if (p.name == name)
        param = &p;
    }
    if (!param) {
      error = "kernel '" + contract.kernel + "' has no parameter '" + name + "'; it has " + known;
      return false;
    }
    if (spec.isFile()) {
      auto array = readNpy(spec.text, error);
      if (!array) {
        error = spec.text + ": " + error;
        fault_ = Fault::File;
        return false;
      }
      if (!param->isTensor) {
        error = "parameter '" + name + "' is a scalar: give it a number, not a file";
        return false;
      }
      auto elem = array->elem();
      auto converted = convertForParameter(std::move(*array), param->elem);
      if (!converted || converted->extents().size() != param->extents.size()) {
        error = "parameter '" + name + "' is tensor<" + std::string(phobos::name(param->elem)) +
                "> of rank " + std::to_string(param->extents.size()) + "; " + spec.text + " holds " +
                std::string(phobos::name(elem)) +
                (converted ? " of rank " + std::to_string(converted->extents().size()) : "");
        return false;
      }
      files_.insert_or_assign(name, std::move(*converted));
    }
    given_[name] = std::move(spec);
  }
  return true;
}

ArgSpec InputRules::rule(const ContractParam &param) const {
  if (auto it = given_.find(param.name); it != given_.end())
    return it->second;
  ArgSpec spec;
  if (!param.isTensor) {
    spec.kind = ArgSpec::Kind::Number;
    spec.a = 1;
    spec.integer = 1;
    return spec;
  }
  spec.kind = ArgSpec::Kind::Uniform;
  if (isFloat(param.elem))
    spec.a = -1, spec.b = 1;
  else if (param.elem == ScalarType::Bool)
    spec.a = 0, spec.b = 1;
  else
    spec.a = isSigned(param.elem) ? -8 : 0, spec.b = 8;
  return spec;
}

std::vector<int64_t> extentsAt(const ContractParam &param, const std::vector<int64_t> &dims) {
  std::vector<int64_t> extents;
  for (const ContractExtent &e : param.extents)
    extents.push_back(e.fixed ? e.value : dims[static_cast<size_t>(e.value)]);
  return extents;
}

void poison(HostArray &array) {
  if (!isFloat(array.elem())) {
    std::memset(array.data(), array.elem() == ScalarType::Bool ? 1 : 0xA5, array.bytes());
    return;
  }
  // One NaN, copied: the first element, then doubling.
  if (array.size() == 0)
    return;
  array.setFloat(0, std::numeric_limits<double>::quiet_NaN());
  auto *bytes = static_cast<char *>(array.data());
  for (size_t done = byteSize(array.elem()); done < array.bytes();) {
    size_t n = std::min(done, array.bytes() - done);
    std::memcpy(bytes + done, bytes, n);
    done += n;
  }
}

// A file's elements, from the start again when they run out: small sizes see the values that the full size
// has.
static void copyWrapped(HostArray &to, const HostArray &from) {
  size_t unit = byteSize(to.elem());
  for (int64_t i = 0; from.size() > 0 && i < to.size(); ++i)
    std::memcpy(static_cast<char *>(to.data()) + static_cast<size_t>(i) * unit,
                static_cast<const char *>(from.data()) + static_cast<size_t>(i % from.size()) * unit, unit);
}

std::optional<std::vector<Input>> makeInputs(const Contract &contract, const std::vector<int64_t> &dims,
                                             const InputRules &rules, uint64_t seed, std::string &error) {
  std::vector<Input> inputs;
  for (const ContractParam &p : contract.params) {
    Input input;
    ArgSpec spec = rules.rule(p);
    if (!p.isTensor) {
      if (!scalarValue(spec, p.elem, seed, p.name, input.f, input.i, error)) {
        error = "parameter '" + p.name + "': " + error;
        return std::nullopt;
      }
      inputs.push_back(std::move(input));
      continue;
    }
    auto array = HostArray::tryCreate(p.elem, extentsAt(p, dims), error);
    if (!array) {
      error = "parameter '" + p.name + "': " + error;
      return std::nullopt;
    }
    if (!p.isRead)
      poison(*array);
    else if (spec.isFile())
      copyWrapped(*array, rules.files().at(p.name));
    else
      fillArray(*array, spec, seed, p.name);
    input.array = std::move(*array);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

} // namespace phobos::kbench
