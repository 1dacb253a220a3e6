// Runs what common-gpu-emit wrote: `common-gpu-sweep sweep.ptx`. No LLVM, so that it runs wherever there is a
// driver.
#include "runtime/cuda/Device.h"
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

using namespace phobos::cuda;

namespace {
struct Sweep {
  std::string name;
  float bound;
};

bool runSweep(const Device &device, const Module &module, const Sweep &s, uint64_t &worst, float &ms,
              std::string &error) {
  Function f;
  Buffer out;
  Device::Timer timer(device);
  uint64_t zero = 0, count = uint64_t(1) << 32;
  if (!device.function(module, ("sweep_" + s.name).c_str(), f, error) || !device.allocate(8, out, error) ||
      !device.upload(out.address(), &zero, 8, error))
    return false;
  uint64_t address = out.address();
  void *params[] = {&address, &count};
  const uint32_t grid[3] = {4096, 1, 1};
  return timer.start(nullptr, error) && device.launch(f, grid, 256, 0, nullptr, params, error) &&
         timer.stop(nullptr, error) && device.synchronize(error) && timer.elapsedMs(ms, error) &&
         device.download(&worst, address, 8, error);
}
} // namespace

int main(int argc, char **argv) {
  std::ifstream file(argc > 1 ? argv[1] : "sweep.ptx");
  std::string ptx{std::istreambuf_iterator<char>(file), {}}, error;
  std::vector<Sweep> sweeps;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line) && line.rfind("// sweep ", 0) == 0;) {
    Sweep s;
    std::istringstream(line.substr(9)) >> s.name >> s.bound;
    sweeps.push_back(s);
  }
  if (sweeps.empty()) {
    std::fprintf(stderr, "usage: common-gpu-sweep FILE written by common-gpu-emit\n");
    return 2;
  }
  auto device = Device::open(0, error);
  Module module;
  if (!device || !device->load(ptx, module, error)) {
    std::printf("skipped: %s\n", error.c_str());
    return 77;
  }
  std::printf("%s, every f32 input\n", device->info().name.c_str());
  int failed = 0;
  for (const Sweep &s : sweeps) {
    uint64_t worst = 0;
    float ms = 0;
    if (!runSweep(*device, module, s, worst, ms, error)) {
      std::printf("FAIL %-14s %s\n", s.name.c_str(), error.c_str());
      return 1;
    }
    float e = std::bit_cast<float>(uint32_t(worst >> 32));
    bool ok = e <= s.bound;
    failed += !ok;
    std::printf("%s %-14s worst %.6g of %g, at bits %08x (%.9g), %.0f ms\n", ok ? "ok  " : "FAIL",
                s.name.c_str(), double(e), double(s.bound), uint32_t(worst),
                double(std::bit_cast<float>(uint32_t(worst))), double(ms));
  }
  std::printf("%zu passed, %d failed\n", sweeps.size() - size_t(failed), failed);
  return failed ? 1 : 0;
}
