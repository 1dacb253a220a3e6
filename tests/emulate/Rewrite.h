// From the module that the GPU target makes to one that the host can run.
#pragma once
#include "tests/emulate/Machine.h"
#include <memory>

namespace llvm {
class Module;
}

namespace phobos::emulate {

/// The call sites of a module; its code holds their addresses.
struct Program {
  struct Site {
    Operation op;
    Access access; ///< of a load or store
    Machine *machine = nullptr;
  };
  std::deque<Site> sites;
  std::vector<std::string> unknown; ///< what nobody does, each once
};

/// Puts a check before each access to memory, and calls of handlers in the place of what only the device has.
/// Each kernel KERNEL gets a function `enter_KERNEL` that takes the addresses of its arguments' words. What
/// cannot be done is in `unknown`; then the module is of no use.
void rewrite(llvm::Module &module, Machine &machine, Program &program);

} // namespace phobos::emulate
