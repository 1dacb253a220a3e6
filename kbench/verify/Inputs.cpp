#include "kbench/verify/Inputs.h"
#include <cstring>
#include <limits>

namespace phobos::kbench {

bool InputRules::parse(const std::vector<std::string> &args, const Contract &contract, std::string &error) {
  Diagnostics diags;
  if (driver::readArguments(args, contract, given_, diags))
    return true;
  error = diags.all().front().message;
  return false;
}

ArgSpec InputRules::rule(const Contract &contract, size_t index) const {
  if (index < given_.specs.size() && given_.specs[index])
    return *given_.specs[index];
  const ContractParam &param = contract.params[index];
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
  for (size_t i = 0; i < contract.params.size(); ++i) {
    const ContractParam &p = contract.params[i];
    Input input;
    ArgSpec spec = rules.rule(contract, i);
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
    else if (const HostArray *given = rules.file(i))
      copyWrapped(*array, *given);
    else
      fillArray(*array, spec, seed, p.name);
    input.array = std::move(*array);
    inputs.push_back(std::move(input));
  }
  return inputs;
}

} // namespace phobos::kbench
