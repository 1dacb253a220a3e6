#include "kbench/target/OpenBlas.h"
#include "kbench/target/Host.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <limits>

namespace phobos::kbench {
namespace {

template <typename T>
using Gemm = void (*)(int order, int opA, int opB, int m, int n, int k, T alpha, const T *a, int lda,
                      const T *b, int ldb, T beta, T *c, int ldc);

template <typename T> class BlasKernel : public HostKernel {
public:
  BlasKernel(Gemm<T> routine, PlainGemm gemm) : routine_(routine), gemm_(gemm) {}

  bool run(const LaunchRequest &launch, std::string &error) override {
    const LaunchArgument &a = launch.args[gemm_.a], &b = launch.args[gemm_.b], &c = launch.args[gemm_.c];
    const int64_t m = valueOf(gemm_.m, launch.dims), n = valueOf(gemm_.n, launch.dims),
                  k = valueOf(gemm_.k, launch.dims);
    for (int64_t x : {m, n, k, a.strides[0], b.strides[0], c.strides[0]})
      if (x > std::numeric_limits<int>::max()) {
        error = "openblas takes no extents past 2^31";
        return false;
      }
    auto leading = [](const LaunchArgument &x) { return std::max(1, static_cast<int>(x.strides[0])); };
    constexpr int rowMajor = 101, noTranspose = 111;
    routine_(rowMajor, noTranspose, noTranspose, static_cast<int>(m), static_cast<int>(n),
             static_cast<int>(k), T(1), reinterpret_cast<const T *>(a.data), leading(a),
             reinterpret_cast<const T *>(b.data), leading(b), T(0), reinterpret_cast<T *>(c.data),
             leading(c));
    return true;
  }

private:
  Gemm<T> routine_;
  PlainGemm gemm_;
};

// `OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..`
std::string nameOf(void *library) {
  auto config = reinterpret_cast<const char *(*)()>(dlsym(library, "openblas_get_config"));
  std::string text = config ? config() : "", prefix = "OpenBLAS ";
  if (!text.starts_with(prefix))
    return "openblas";
  return "openblas " + text.substr(prefix.size(), text.find(' ', prefix.size()) - prefix.size());
}

template <typename T>
Reference routineOf(void *library, const char *symbol, const PlainGemm &gemm, std::string &error) {
  auto routine = reinterpret_cast<Gemm<T>>(dlsym(library, symbol));
  if (!routine) {
    error = std::string("libopenblas.so.0 has no ") + symbol;
    return {};
  }
  return {std::make_unique<BlasKernel<T>>(routine, gemm), nameOf(library)};
}

} // namespace

Reference openBlas(const PlainGemm &gemm, std::string &error) {
  if (gemm.in != gemm.out || (gemm.in != ScalarType::F32 && gemm.in != ScalarType::F64)) {
    error = "openblas multiplies f32 and f64 only";
    return {};
  }
  // Its threads wait busily after a call, by default for a few hundredths of a second: the next contender's
  // time would pay.
  setenv("OPENBLAS_THREAD_TIMEOUT", "18", 0);
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error = "libopenblas.so.0 cannot be opened here";
    return {};
  }
  return gemm.in == ScalarType::F64 ? routineOf<double>(library, "cblas_dgemm", gemm, error)
                                    : routineOf<float>(library, "cblas_sgemm", gemm, error);
}

} // namespace phobos::kbench
