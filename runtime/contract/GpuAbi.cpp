#include "runtime/contract/GpuAbi.h"
#include <algorithm>
#include <cstring>

namespace phobos {

std::vector<GpuParam> gpuParams(const Contract &contract, bool needsWorkspace) {
  std::vector<GpuParam> out;
  for (size_t p = 0; p < contract.params.size(); ++p) {
    const ContractParam &param = contract.params[p];
    const auto index = static_cast<int64_t>(p);
    if (!param.isTensor) {
      out.push_back({GpuParam::Kind::Scalar, index, 0, param.elem});
      continue;
    }
    out.push_back({GpuParam::Kind::Pointer, index, 0, param.elem});
    for (size_t axis = 0; axis + 1 < param.extents.size(); ++axis)
      out.push_back({GpuParam::Kind::Stride, index, static_cast<int64_t>(axis), param.elem});
  }
  for (size_t d = 0; d < contract.dims.size(); ++d)
    out.push_back({GpuParam::Kind::Dim, static_cast<int64_t>(d), 0, ScalarType::Index});
  for (int64_t axis = 0; axis < 3; ++axis)
    out.push_back({GpuParam::Kind::Grid, 0, axis, ScalarType::U32});
  if (needsWorkspace)
    out.push_back({GpuParam::Kind::Workspace, 0, 0, ScalarType::U8});
  return out;
}

GpuKernel gpuKernel(const Contract &contract, std::vector<GpuEntry> entries, bool persistent) {
  const bool needsWorkspace =
      std::any_of(entries.begin(), entries.end(), [](const GpuEntry &e) { return e.workspaceBytes > 0; });
  return {gpuParams(contract, needsWorkspace), std::move(entries), persistent};
}

std::optional<GpuWorkspace> workspaceOf(const GpuEntry &entry, const std::array<int64_t, 3> &grid) {
  constexpr auto most = static_cast<unsigned __int128>(INT64_MAX);
  if (entry.workspaceBytes == 0)
    return GpuWorkspace{};
  unsigned __int128 blocks = 1;
  for (int64_t extent : grid) // each below 2^31, so that three of them fit
    blocks *= static_cast<uint64_t>(extent);
  if (blocks > most / 4 || (blocks && entry.workspaceBytes > most / blocks))
    return std::nullopt;
  const unsigned __int128 counters = (blocks * 4 + kCounterAlign - 1) / kCounterAlign * kCounterAlign,
                          all = counters + blocks * entry.workspaceBytes;
  if (all > most)
    return std::nullopt;
  return GpuWorkspace{static_cast<uint64_t>(all), static_cast<uint64_t>(counters)};
}

GpuArguments::GpuArguments(const GpuKernel &kernel, const std::vector<const TensorShape *> &tensors,
                           const std::vector<uint64_t> &devicePointers,
                           const std::vector<const void *> &scalars, const BoundLaunch &launch,
                           uint64_t workspace)
    : words_(kernel.params.size(), 0) {
  for (size_t k = 0; k < kernel.params.size(); ++k) {
    const GpuParam &p = kernel.params[k];
    uint64_t &word = words_[k];
    switch (p.kind) {
    case GpuParam::Kind::Pointer:
      word = devicePointers[p.param];
      break;
    case GpuParam::Kind::Stride:
      word = static_cast<uint64_t>(tensors[p.param]->strides[p.axis]);
      break;
    case GpuParam::Kind::Scalar:
      std::memcpy(&word, scalars[p.param], byteSize(p.elem));
      break;
    case GpuParam::Kind::Dim:
      word = static_cast<uint64_t>(launch.dims[p.param]);
      break;
    case GpuParam::Kind::Grid:
      word = static_cast<uint64_t>(launch.grid[p.axis]);
      break;
    case GpuParam::Kind::Workspace:
      word = workspace;
      break;
    }
  }
  for (uint64_t &word : words_)
    pointers_.push_back(&word);
}

int64_t longestStride(const TensorShape &t) {
  int64_t longest = 0;
  for (size_t axis = 0; axis + 1 < t.strides.size(); ++axis) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(t.strides[axis], static_cast<int64_t>(byteSize(t.elem)), &bytes) || bytes < 0)
      return INT64_MAX;
    longest = std::max(longest, bytes);
  }
  return longest;
}

static constexpr int64_t kMostBlocks = (int64_t(1) << 31) - 1;

bool isNativeGrid(const std::array<int64_t, 3> &grid, uint32_t parts) {
  return grid[0] <= kMostBlocks / parts && grid[1] <= 65535 && grid[2] <= 65535;
}

const GpuEntry &chooseEntry(const GpuKernel &kernel, const std::vector<const TensorShape *> &tensors,
                            const std::vector<uint64_t> &devicePointers, const std::array<int64_t, 3> &grid) {
  bool aligned = true;
  int64_t longest = 0;
  for (size_t p = 0; p < tensors.size(); ++p) {
    if (!tensors[p])
      continue;
    aligned &= devicePointers[p] % 16 == 0;
    longest = std::max(longest, longestStride(*tensors[p]));
    for (size_t axis = 0; axis + 1 < tensors[p]->strides.size(); ++axis)
      aligned &= tensors[p]->strides[axis] * static_cast<int64_t>(byteSize(tensors[p]->elem)) % 16 == 0;
  }
  for (const GpuEntry &entry : kernel.entries)
    if ((aligned || !entry.aligned16) && (!entry.nativeGrid || isNativeGrid(grid, entry.parts)) &&
        (!entry.stridesBelow || longest < entry.stridesBelow))
      return entry;
  return kernel.entries.back();
}

std::array<uint32_t, 3> hardwareGrid(const GpuKernel &kernel, const GpuEntry &entry,
                                     const std::array<int64_t, 3> &grid, int64_t residentBlocks) {
  if (entry.nativeGrid && !kernel.persistent)
    return {static_cast<uint32_t>(grid[0]) * entry.parts, static_cast<uint32_t>(grid[1]),
            static_cast<uint32_t>(grid[2])};
  unsigned __int128 total = static_cast<unsigned __int128>(grid[0]) * static_cast<uint64_t>(grid[1]) *
                            static_cast<uint64_t>(grid[2]) * entry.parts;
  if (kernel.persistent)
    return {static_cast<uint32_t>(std::min<unsigned __int128>(
                total, static_cast<uint64_t>(std::max<int64_t>(1, residentBlocks)))),
            1, 1};
  auto x = static_cast<uint64_t>(std::min<unsigned __int128>(total, kMostBlocks));
  const unsigned __int128 y = (total + x - 1) / x;
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(std::min<unsigned __int128>(y, 65535)), 1};
}

} // namespace phobos
