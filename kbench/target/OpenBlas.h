// OpenBLAS as a reference to be timed beside a kernel on the processor: opened at run time.
#pragma once
#include "kbench/Backend.h"

namespace phobos::kbench {

/// Its routine for f32 or f64, on all threads; without a kernel, with the reason in `error`, where there is
/// none.
Reference openBlas(const PlainGemm &gemm, std::string &error);

} // namespace phobos::kbench
