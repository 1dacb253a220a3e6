// cuBLAS as a reference to be timed beside a kernel: opened at run time, so that nothing needs it to build or
// to start.
#pragma once
#include "kbench/Backend.h"

namespace phobos::kbench {

/// A handle in the current context. Its calls go to the default stream, without waiting.
class Cublas {
public:
  /// Null with the reason: no library, no memory for it.
  static std::unique_ptr<Cublas> open(std::string &error);
  ~Cublas();
  Cublas(const Cublas &) = delete;
  Cublas &operator=(const Cublas &) = delete;

  const std::string &name() const { return name_; } ///< `cublas 13.1.0`
  /// Starts the product. f32 is multiplied as f32 (no TF32), 16-bit types accumulate in f32.
  bool start(const PlainGemm &gemm, const LaunchRequest &launch, std::string &error);

private:
  Cublas() = default;
  struct Functions;
  std::unique_ptr<Functions> functions_;
  void *handle_ = nullptr;
  std::string name_;
};

} // namespace phobos::kbench
