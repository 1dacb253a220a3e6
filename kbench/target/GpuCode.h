// What passes between the processes of a search on a GPU beside the code itself, and what code takes of a
// device.
#pragma once
#include "compiler/target/nvptx/Nvptx.h"
#include "kbench/Backend.h"
#include "runtime/contract/GpuAbi.h"
#include "runtime/cuda/Device.h"
#include <string>
#include <string_view>

namespace phobos::kbench {

/// What the launcher needs beside the code, as the text that crosses to the device worker.
std::string encodeEntries(const nvptx::EntryInfo &info);
bool decodeEntries(const std::string &text, const Contract &contract, GpuKernel &kernel);

/// What a compiler must know of the device, as the text that crosses to the compile workers. `target` is what
/// is compiled for it, `ptx` the version that driver and assembler take.
std::string encodeFacts(const cuda::DeviceInfo &d, const std::string &target, unsigned ptx);
bool decodeFacts(const std::string &text, cuda::DeviceInfo &d, std::string &target, unsigned &ptx);

/// What to compile for a device, and the version of PTX. False with the reason.
bool chooseCode(const cuda::DeviceInfo &d, std::string &target, unsigned &ptx, std::string &error);

/// What makes machine code of PTX here: `nvJitLink 13.0`, `ptxas`, `the driver's compiler`. `isCarried`: the
/// device is newer than what is compiled for.
std::string assemblerOf(bool isCarried);
bool isCubin(std::string_view image);

/// What is known of an entry point before there is machine code.
Resources sizesOf(const GpuEntry &entry);
/// What its machine code takes of the device: those, registers and bytes spilled (of a thread), occupancy in
/// percent and what limits it.
Resources resourcesOf(const cuda::DeviceInfo &device, const GpuEntry &entry, int registers, int spillBytes);

} // namespace phobos::kbench
