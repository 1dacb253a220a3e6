// The arguments of a run: made the same way, from a seed, in the compile worker (for the interpreter) and in
// the device worker.
#pragma once
#include "compiler/driver/GivenValues.h"
#include <optional>
#include <string>
#include <vector>

namespace phobos::kbench {

/// What every parameter is: as `--arg` gave it, or the default (floats uniform in [-1, 1], small integers,
/// scalars 1). The parameters of a kernel are the same at all its points but for their fixed extents.
class InputRules {
public:
  InputRules() = default;
  explicit InputRules(driver::GivenArguments given) : given_(std::move(given)) {}
  /// `args` are NAME=VALUE, read as every tool reads --arg. False with the first error's message.
  bool parse(const std::vector<std::string> &args, const Contract &contract, std::string &error);
  /// The array of a file; null where none was given.
  const HostArray *file(size_t param) const {
    return param < given_.arrays.size() && given_.arrays[param] ? &*given_.arrays[param] : nullptr;
  }
  ArgSpec rule(const Contract &contract, size_t param) const;

private:
  driver::GivenArguments given_;
};

/// One argument: a filled tensor, or a scalar.
struct Input {
  HostArray array;
  double f = 0;
  int64_t i = 0;
};

/// Extents of a tensor parameter at these dimensions.
std::vector<int64_t> extentsAt(const ContractParam &param, const std::vector<int64_t> &dims);

/// Every parameter's argument. Tensors that are only written hold poison: NaN, or a pattern that no sum of
/// small integers gives. Nullopt with a reason where memory or a scalar's range does not allow it.
std::optional<std::vector<Input>> makeInputs(const Contract &contract, const std::vector<int64_t> &dims,
                                             const InputRules &rules, uint64_t seed, std::string &error);

void poison(HostArray &array);

} // namespace phobos::kbench
