#include "kbench/target/Cublas.h"
#include <algorithm>
#include <dlfcn.h>
#include <type_traits>

namespace phobos::kbench {
namespace {

// Enumerators of cuBLAS's interface.
constexpr int opN = 0, compute32F = 68, compute64F = 70, algorithmDefault = -1, mathDefault = 0;

int dataType(ScalarType t) {
  switch (t) {
  case ScalarType::F16:
    return 2;
  case ScalarType::BF16:
    return 14;
  case ScalarType::F64:
    return 1;
  default:
    return 0; // f32
  }
}

} // namespace

struct Cublas::Functions {
  int (*create)(void **handle) = nullptr;
  int (*destroy)(void *handle) = nullptr;
  int (*setMathMode)(void *handle, int mode) = nullptr;
  int (*getVersion)(void *handle, int *version) = nullptr;
  int (*gemm)(void *handle, int opA, int opB, int64_t m, int64_t n, int64_t k, const void *alpha,
              const void *a, int typeA, int64_t lda, const void *b, int typeB, int64_t ldb, const void *beta,
              void *c, int typeC, int64_t ldc, int compute, int algorithm) = nullptr;
};

std::unique_ptr<Cublas> Cublas::open(std::string &error) {
  void *library = nullptr;
  for (const char *file : {"libcublas.so.13", "libcublas.so.12"})
    if (!library)
      library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = "neither libcublas.so.13 nor libcublas.so.12 can be opened here";
    return nullptr;
  }
  std::unique_ptr<Cublas> cublas(new Cublas);
  cublas->functions_ = std::make_unique<Functions>();
  Functions &f = *cublas->functions_;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    return function != nullptr;
  };
  // The 64-bit entry came with 12.0.
  if (!find(f.create, "cublasCreate_v2") || !find(f.destroy, "cublasDestroy_v2") ||
      !find(f.setMathMode, "cublasSetMathMode") || !find(f.getVersion, "cublasGetVersion_v2") ||
      !find(f.gemm, "cublasGemmEx_64")) {
    error = "libcublas lacks a function that is needed";
    return nullptr;
  }
  if (int status = f.create(&cublas->handle_)) {
    cublas->handle_ = nullptr;
    error = "cublasCreate failed with status " + std::to_string(status);
    return nullptr;
  }
  f.setMathMode(cublas->handle_, mathDefault);
  int v = 0;
  f.getVersion(cublas->handle_, &v);
  cublas->name_ = "cublas " + std::to_string(v / 10000) + "." + std::to_string(v % 10000 / 100) + "." +
                  std::to_string(v % 100);
  return cublas;
}

Cublas::~Cublas() {
  if (handle_)
    functions_->destroy(handle_);
}

bool Cublas::start(const PlainGemm &g, const LaunchRequest &launch, std::string &error) {
  const LaunchArgument &a = launch.args[g.a], &b = launch.args[g.b], &c = launch.args[g.c];
  const int64_t m = valueOf(g.m, launch.dims), n = valueOf(g.n, launch.dims), k = valueOf(g.k, launch.dims);
  const float one = 1, zero = 0;
  const double one64 = 1, zero64 = 0;
  const bool is64 = g.in == ScalarType::F64;
  auto pointer = [](Address x) { return reinterpret_cast<void *>(x); };
  auto leading = [](const LaunchArgument &x) { return std::max<int64_t>(1, x.strides[0]); };
  // Columns come first there: C^T = B^T A^T, and a row-major matrix is its transpose as it lies.
  int status =
      functions_->gemm(handle_, opN, opN, n, m, k, is64 ? static_cast<const void *>(&one64) : &one,
                       pointer(b.data), dataType(g.in), leading(b), pointer(a.data), dataType(g.in),
                       leading(a), is64 ? static_cast<const void *>(&zero64) : &zero, pointer(c.data),
                       dataType(g.out), leading(c), is64 ? compute64F : compute32F, algorithmDefault);
  if (status)
    error = "cublasGemmEx failed with status " + std::to_string(status);
  return status == 0;
}

} // namespace phobos::kbench
