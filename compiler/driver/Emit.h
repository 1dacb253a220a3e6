// From a typed kernel to text or bytes of the asked kind.
#pragma once
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include "compiler/support/Source.h"
#include "runtime/bundle/Bundle.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace phobos::driver {

/// TargetIr is the GPU's own IR, with layouts; Asm is PTX there and Obj a cubin.
enum class EmitKind : uint8_t { Ir, TargetIr, Llvm, Asm, Obj, Explanation };

struct EmitOptions {
  std::string target = "cpu";
  EmitKind kind = EmitKind::Asm;
  unsigned ptx = 0; ///< version of PTX asked for, 10 * major + minor; 0: the usual one of the target
  std::vector<std::string> printAfter; ///< passes after which the tile IR goes to standard error
  bool printAfterAll = false;
  std::function<void(const std::string &)> doing = {}; ///< told what may take long, before it is begun
};

struct Emitted {
  std::string bytes;
  std::vector<EntryPoint> entries;   ///< of object code and PTX: what a launch needs
  bool isTooLargeToOptimize = false; ///< of an explanation: LLVM's usual passes are left out
};

/// Nothing with errors in `diags`.
std::optional<Emitted> emit(const sema::TypedKernel &kernel, const SourceManager &sources,
                            const EmitOptions &options, Diagnostics &diags);

/// Whether the rules of `target` take the kernel at its point, asked as compiling asks them; else the error
/// is in `diags`.
bool judge(const sema::TypedKernel &kernel, const SourceManager &sources, const EmitOptions &options,
           Diagnostics &diags);

/// Whether `target` names one this build can compile for; otherwise `error` lists those it knows.
bool isKnownTarget(const std::string &target, std::string &error);

} // namespace phobos::driver
