// The roof of a GPU, measured.
#pragma once
#include "kbench/Backend.h"
#include "runtime/cuda/Device.h"

namespace phobos::kbench {

// Each is measured until two measurements agree, or it is not steady: a clock that has not risen yet, or
// another process on the GPU, takes from all that is measured in one go.

/// The bytes that a copy moves. False with a reason where nothing could be measured.
bool measureGpuCopy(const cuda::Device &device, Roof &roof, std::string &error);
/// Products of one type, by a program of ProductProgram.h, assembled as a point's code is. False with a
/// reason where no unit for them is known, or where it does not run.
bool measureGpuProducts(const cuda::Device &device, const std::string &type, Roof &roof, std::string &error);

} // namespace phobos::kbench
