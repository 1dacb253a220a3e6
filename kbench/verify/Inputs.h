// The arguments of a run: made the same way, from a seed, in the compile worker (for the interpreter) and in
// the device worker.
#pragma once
#include "compiler/host/ArgSpec.h"
#include "compiler/host/HostArray.h"
#include "runtime/contract/Contract.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phobos::kbench {

/// What `--arg` gave, by parameter; files are read once.
class InputRules {
public:
  /// `args` are NAME=VALUE. False with a reason: unknown parameter, unreadable file.
  bool parse(const std::vector<std::string> &args, const Contract &contract, std::string &error);
  /// What a false `parse` was about: how it is written, a file, or that it does not fit the kernel.
  enum class Fault : uint8_t { Syntax, File, Kernel };
  Fault fault() const { return fault_; }
  /// Extents that files fix, for the launch at full size.
  const std::map<std::string, HostArray> &files() const { return files_; }
  /// The rule of a parameter: given, or the default (floats uniform in [-1, 1], small integers, scalars 1).
  ArgSpec rule(const ContractParam &param) const;

private:
  std::map<std::string, ArgSpec> given_;
  std::map<std::string, HostArray> files_;
  Fault fault_ = Fault::Kernel;
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
