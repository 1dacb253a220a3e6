// The roof of a GPU, measured.
#pragma once
#include "kbench/Backend.h"
#include "runtime/cuda/Device.h"

namespace phobos::kbench {

/// False with a reason where nothing could be measured.
bool measureGpuRoof(const cuda::Device &device, Roof &roof, std::string &error);

} // namespace phobos::kbench
