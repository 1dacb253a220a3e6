// Compiles one emission of compiler/target/common for the host and runs it over arrays: what the tests of
// both look at.
#pragma once
#include "runtime/contract/ScalarType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace phobos::testing {

using Emit = llvm::function_ref<llvm::Value *(llvm::IRBuilderBase &, llvm::ArrayRef<llvm::Value *>)>;

/// in[i]: arrays of the operand types as memory holds them; `n` a multiple of the width.
using Kernel = void (*)(const void *const *in, void *out, int64_t n);

class HostJit {
public:
  /// For this processor, or for an older one that it can stand in for ("haswell": no AVX-512).
  explicit HostJit(std::string processor = "");
  ~HostJit();
  /// A loop over arrays that applies `emit` to vectors of `width` elements (1: scalars), optimised at O3 for
  /// the host.
  Kernel compile(llvm::ArrayRef<ScalarType> in, ScalarType out, unsigned width, Emit emit);

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::string cpu;
  unsigned counter = 0;
};

/// Bytes of an array element, for `Kernel`'s arrays.
template <typename In, typename Out> std::vector<Out> apply(Kernel f, const std::vector<In> &x) {
  std::vector<Out> r(x.size());
  const void *in[] = {x.data()};
  f(in, r.data(), int64_t(x.size()));
  return r;
}
template <typename In, typename In2, typename Out>
std::vector<Out> apply(Kernel f, const std::vector<In> &x, const std::vector<In2> &y) {
  std::vector<Out> r(x.size());
  const void *in[] = {x.data(), y.data()};
  f(in, r.data(), int64_t(x.size()));
  return r;
}

/// Fills `v` up to a multiple of `width` with copies of its first element.
template <typename T> void padTo(std::vector<T> &v, unsigned width) {
  T first = v.front();
  v.resize((v.size() + width - 1) / width * width, first);
}

} // namespace phobos::testing
