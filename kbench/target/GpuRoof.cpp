// What this GPU can do at most: bytes that a copy in its memory moves, and products in registers or from
// shared memory.
#include "kbench/target/GpuRoof.h"
#include "kbench/stats/Agreement.h"
#include "kbench/target/ProductProgram.h"
#include "runtime/cuda/Assemble.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

/// The least of `repeats` times of what `start` launches.
template <typename Start>
bool bestNs(const cuda::Device &device, int repeats, Start start, double &ns, std::string &error) {
  cuda::Device::Timer timer(device);
  float ms = 0;
  for (int r = 0; r < repeats; ++r) {
    if (!timer.start(nullptr, error) || !start() || !timer.stop(nullptr, error) ||
        !timer.elapsedMs(ms, error))
      return false;
    ns = r == 0 ? double(ms) * 1e6 : std::min(ns, double(ms) * 1e6);
  }
  return ns > 0;
}

/// Some rounds of what has the GPU in turn with us, if something has; beside what a search takes it is
/// little.
constexpr Pauses pauses{std::chrono::milliseconds(30), std::chrono::milliseconds(200)};

} // namespace

bool measureGpuCopy(const cuda::Device &device, Roof &roof, std::string &error) {
  // Far past any cache, but little of the memory.
  const size_t bytes =
      static_cast<size_t>(std::clamp<int64_t>(device.info().memoryBytes / 64, 1 << 20, int64_t(1) << 29));
  cuda::Buffer from, to;
  auto start = [&] { return device.copy(to.address(), from.address(), bytes, nullptr, error); };
  if (!device.allocate(bytes, from, error) || !device.allocate(bytes, to, error))
    return false;
  auto copy = [&]() -> std::optional<double> {
    double ns = 0;
    if (!bestNs(device, 5, start, ns, error))
      return std::nullopt;
    return 2.0 * static_cast<double>(bytes) / ns;
  };
  const auto rates = measureUntilTheyAgree({copy}, pauses);
  if (!rates)
    return false;
  roof.bytesPerNs = rates->front().largest();
  roof.isSteady = roof.isSteady && agree(*rates);
  return true;
}

bool measureGpuProducts(const cuda::Device &device, const std::string &type, Roof &roof, std::string &error) {
  const auto program = productProgram(type, device.info().sm);
  if (!program) {
    error = "no unit of " + device.info().target() + " for products of " + type + " is known";
    return false;
  }
  std::string image = program->ptx;
  if (!cuda::assemblerFound().empty()) {
    cuda::AssembleOptions options;
    options.target = device.info().target();
    cuda::Assembled assembled = cuda::assemble(image, options);
    if (assembled.ok()) // else the driver reads the PTX, or says why not
      image = std::move(assembled.cubin);
  }
  cuda::Module module;
  cuda::Function function;
  cuda::Buffer out;
  if (!device.load(image, module, error) || !device.function(module, "products", function, error) ||
      !device.allocate(8, out, error))
    return false;
  const auto blocks = static_cast<uint32_t>(device.info().multiprocessors) * program->blocksPerProcessor;
  const uint32_t grid[3] = {blocks, 1, 1};
  uint64_t address = out.address();
  uint32_t trips = 64;
  void *params[] = {&address, &trips};
  auto start = [&] { return device.launch(function, grid, program->threads, 0, nullptr, params, error); };
  // As many trips as take some milliseconds, tens of them in all: the clock has risen by then, and neither
  // heat nor power has yet brought it down, as in a kernel that is timed alone.
  constexpr double wantedNs = 3e6;
  constexpr int repeats = 12;
  double ns = 0;
  for (int i = 0; i < 2; ++i) {
    if (!bestNs(device, 2, start, ns, error))
      return false;
    trips = static_cast<uint32_t>(std::clamp(wantedNs / ns * trips, 16.0, 1e7));
  }
  auto products = [&]() -> std::optional<double> {
    if (!bestNs(device, repeats, start, ns, error))
      return std::nullopt;
    return program->flopsPerTrip * trips * blocks / ns;
  };
  const auto rates = measureUntilTheyAgree({products}, pauses);
  if (!rates)
    return false;
  roof.products.push_back({type, rates->front().largest(), program->how});
  roof.isSteady = roof.isSteady && agree(*rates);
  return true;
}

} // namespace phobos::kbench
