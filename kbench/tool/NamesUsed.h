// Which declared names the code of a target depends on.
#pragma once
#include "compiler/driver/Compile.h"
#include "compiler/sema/Unused.h"
#include "kbench/Backend.h"
#include <set>

namespace phobos::kbench {

/// A name is ignored where the kernel's text does not use it but in @require, which only chooses among its
/// values, and it is a GEMM name that this target does not read, or stands in an attribute that it does not
/// look at. Functions that the kernel calls are looked into.
class NamesUsed {
public:
  NamesUsed(const driver::LoadedFile &loaded, const ast::Kernel &kernel, const Target &target);
  bool isIgnored(const std::string &name) const;

private:
  const Target &target_;
  std::vector<std::string> names_;    ///< sorted
  std::set<std::string> notLookedAt_; ///< in attributes that mean nothing to the target
  bool usesThreads_ = false;          ///< `ctx.thread` and its kin
  sema::Products products_;
};

} // namespace phobos::kbench
