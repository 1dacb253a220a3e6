// What this GPU can do at most: f32 multiply-adds in registers, and bytes that a copy in its memory moves.
#include "kbench/target/GpuRoof.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

constexpr int chains = 16, unrolled = 4, trips = 512, threads = 256, blocksPerProcessor = 8, repeats = 5;

// Every thread runs 16 independent chains; the store never happens, but nothing before it can be left out.
std::string fmaProgram() {
  std::string text = ".version 6.4\n.target sm_75\n.address_size 64\n"
                     ".visible .entry fma_rate(.param .u64 out, .param .f32 x) {\n"
                     "  .reg .f32 %f<24>;\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n  .reg .pred %p<3>;\n"
                     "  ld.param.u64 %rd1, [out];\n  ld.param.f32 %f20, [x];\n  mov.u32 %r1, %tid.x;\n"
                     "  cvt.rn.f32.u32 %f21, %r1;\n  mov.u32 %r2, " +
                     std::to_string(trips) + ";\n";
  auto f = [](int i) { return "%f" + std::to_string(i); };
  for (int i = 0; i < chains; ++i)
    text += "  fma.rn.f32 " + f(i) + ", %f21, %f20, " + (i ? f(i - 1) : "%f20") + ";\n";
  std::string loop = "again:\n";
  for (int u = 0; u < unrolled; ++u)
    for (int i = 0; i < chains; ++i)
      loop += "  fma.rn.f32 " + f(i) + ", " + f(i) + ", %f20, %f20;\n";
  loop += "  sub.u32 %r2, %r2, 1;\n  setp.ne.u32 %p1, %r2, 0;\n  @%p1 bra again;\n";
  for (int i = 1; i < chains; ++i)
    loop += "  add.f32 %f0, %f0, " + f(i) + ";\n";
  return text + loop + "  setp.eq.f32 %p2, %f0, 0f7149F2CA;\n  @%p2 st.global.f32 [%rd1], %f0;\n  ret;\n}\n";
}

} // namespace

bool measureGpuRoof(const cuda::Device &device, Roof &roof, std::string &error) {
  float ms = 0;
  auto best = [&](auto start, double &ns) {
    cuda::Device::Timer timer(device);
    for (int r = 0; r < repeats; ++r) {
      if (!timer.start(nullptr, error) || !start() || !timer.stop(nullptr, error) ||
          !timer.elapsedMs(ms, error))
        return false;
      ns = r == 0 ? double(ms) * 1e6 : std::min(ns, double(ms) * 1e6);
    }
    return ns > 0;
  };
  // Far past any cache, but little of the memory.
  const size_t bytes =
      static_cast<size_t>(std::clamp<int64_t>(device.info().memoryBytes / 64, 1 << 20, int64_t(1) << 29));
  cuda::Buffer from, to;
  double ns = 0;
  if (!device.allocate(bytes, from, error) || !device.allocate(bytes, to, error) ||
      !best([&] { return device.copy(to.address(), from.address(), bytes, nullptr, error); }, ns))
    return false;
  roof.bytesPerNs = 2.0 * static_cast<double>(bytes) / ns;
  cuda::Module module;
  cuda::Function function;
  if (!device.load(fmaProgram(), module, error) || !device.function(module, "fma_rate", function, error))
    return true;
  uint64_t out = to.address();
  float x = 0.5f;
  void *params[] = {&out, &x};
  const auto blocks = static_cast<uint32_t>(device.info().multiprocessors * blocksPerProcessor);
  const uint32_t grid[3] = {blocks, 1, 1};
  if (best([&] { return device.launch(function, grid, threads, 0, nullptr, params, error); }, ns))
    roof.f32FlopsPerNs = 2.0 * blocks * threads * trips * unrolled * chains / ns;
  return true;
}

} // namespace phobos::kbench
