#include "kbench/workers/DeviceWorker.h"
#include <algorithm>
#include <cstring>

namespace phobos::kbench {
namespace {

unsigned char guardByte(size_t i) { return static_cast<unsigned char>(0x5A ^ (i * 37)); }

std::vector<unsigned char> guardBand() {
  std::vector<unsigned char> guard(DeviceArguments::guardBytes);
  for (size_t i = 0; i < guard.size(); ++i)
    guard[i] = guardByte(i);
  return guard;
}

} // namespace

DeviceArguments::~DeviceArguments() {
  for (const Block &b : blocks_)
    for (Address a : {b.address, b.kept})
      if (a)
        device_.release(a);
}

bool DeviceArguments::upload(const std::vector<Input> &inputs, const std::vector<int64_t> &dims,
                             const std::array<int64_t, 3> &grid, std::string &error) {
  launch_.dims = dims;
  launch_.grid = grid;
  const std::vector<unsigned char> guard = guardBand();
  for (size_t p = 0; p < inputs.size(); ++p) {
    const ContractParam &param = contract_.params[p];
    LaunchArgument argument;
    Block block;
    if (param.isTensor) {
      const HostArray &a = inputs[p].array;
      block.bytes = a.bytes();
      block.address = device_.allocate(guardBytes + a.bytes() + guardBytes, error);
      blocks_.push_back(block);
      if (!block.address)
        return false;
      argument.data = block.address + guardBytes;
      if (!device_.write(block.address, guard.data(), guardBytes, error) ||
          !device_.write(argument.data, a.data(), a.bytes(), error) ||
          !device_.write(argument.data + a.bytes(), guard.data(), guardBytes, error))
        return false;
      argument.strides.assign(a.extents().size(), 1);
      for (size_t axis = a.extents().size(); axis-- > 1;)
        argument.strides[axis - 1] = argument.strides[axis] * std::max<int64_t>(1, a.extents()[axis]);
    } else {
      blocks_.push_back(block);
      HostArray scalar(param.elem, {1});
      if (isFloat(param.elem))
        scalar.setFloat(0, inputs[p].f);
      else
        scalar.setInt(0, inputs[p].i);
      std::memcpy(&argument.scalar, scalar.data(), scalar.bytes());
    }
    launch_.args.push_back(std::move(argument));
  }
  return true;
}

void DeviceArguments::keep() {
  std::string ignored;
  for (size_t p = 0; p < blocks_.size(); ++p) {
    Block &b = blocks_[p];
    if (!contract_.params[p].isTensor || !contract_.params[p].isWritten || b.bytes == 0)
      continue;
    b.kept = device_.allocate(b.bytes, ignored);
    if (b.kept && !device_.copy(b.kept, b.address + guardBytes, b.bytes, ignored)) {
      device_.release(b.kept);
      b.kept = 0;
    }
  }
}

bool DeviceArguments::restore(size_t param, std::string &error) {
  const Block &b = blocks_[param];
  return b.kept != 0 && device_.copy(b.address + guardBytes, b.kept, b.bytes, error);
}

Verdict DeviceArguments::download(size_t param, HostArray &array, bool spoilGuard) {
  std::string error;
  const Block &block = blocks_[param];
  std::vector<unsigned char> before(guardBytes), after(guardBytes);
  Address data = block.address + guardBytes;
  if (!device_.read(array.data(), data, block.bytes, error) ||
      !device_.read(before.data(), block.address, guardBytes, error) ||
      !device_.read(after.data(), data + block.bytes, guardBytes, error))
    return {Status::Fault, "", error};
  if (spoilGuard)
    after[0] ^= 1;
  Verdict found;
  for (size_t i = 0; i < guardBytes && found.ok(); ++i) {
    const size_t fromEnd = guardBytes - 1 - i;
    if (before[fromEnd] != guardByte(fromEnd))
      found = {Status::Wrong, "",
               "memory " + std::to_string(i + 1) + " bytes before its first element was written"};
    else if (after[i] != guardByte(i))
      found = {Status::Wrong, "",
               "memory " + std::to_string(i) + " bytes behind its last element was written"};
  }
  // The next kernel that runs on this memory is not to blame for it.
  const std::vector<unsigned char> guard = guardBand();
  if (!found.ok() && (!device_.write(block.address, guard.data(), guardBytes, error) ||
                      !device_.write(data + block.bytes, guard.data(), guardBytes, error)))
    return {Status::Fault, "", error};
  return found;
}

} // namespace phobos::kbench
