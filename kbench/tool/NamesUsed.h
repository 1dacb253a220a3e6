// Which declared names the code of a target depends on.
#pragma once
#include "compiler/driver/Compile.h"
#include "kbench/Backend.h"

namespace phobos::kbench {

/// Whether the code that `target` makes of the kernel cannot depend on `name`: the kernel's text does not use
/// it (but for @require, which only chooses among its values, and attributes that the target does not look
/// at), and it is no GEMM name that the target reads. Functions that the kernel calls are looked into.
class NamesUsed {
public:
  NamesUsed(const driver::LoadedFile &loaded, const ast::Kernel &kernel, const Target &target);
  bool isIgnored(const std::string &name) const;

private:
  const Target &target_;
  std::vector<std::string> names_; ///< sorted
  bool usesThreads_ = false;       ///< `ctx.thread` and its kin
  bool hasProduct_ = false;        ///< a dot
};

} // namespace phobos::kbench
