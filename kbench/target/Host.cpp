#include "kbench/target/Host.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <unistd.h>

namespace phobos::kbench {

Reference Device::reference(const std::string &library, const PlainGemm &, std::string &error) {
  error = "this target has no baseline '" + library + "'";
  return {};
}

bool Device::measureRoof(Roof &, std::string &error) {
  error = "this target has none";
  return false;
}

bool Device::measureProducts(const std::string &type, Roof &, std::string &error) {
  error = "this target has no roof of products of " + type;
  return false;
}

Address HostMemory::allocate(size_t bytes, std::string &error) {
  void *p = nullptr;
  if (posix_memalign(&p, 4096, std::max<size_t>(bytes, 1)) != 0) {
    error = "cannot allocate " + std::to_string(bytes) + " bytes";
    return 0;
  }
  return reinterpret_cast<Address>(p);
}

void HostMemory::release(Address address) { std::free(reinterpret_cast<void *>(address)); }

bool HostMemory::write(Address to, const void *from, size_t bytes, std::string &) {
  if (bytes)
    std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return true;
}

bool HostMemory::read(void *to, Address from, size_t bytes, std::string &) {
  if (bytes)
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return true;
}

bool HostMemory::copy(Address to, Address from, size_t bytes, std::string &) {
  if (bytes)
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
  return true;
}

void flushCaches() {
  static const size_t bytes = [] {
    long last = sysconf(_SC_LEVEL3_CACHE_SIZE);
    // A server's last cache is shared by many cores; past some size it would cost more time than the kernels
    // do.
    return std::clamp<size_t>(last > 0 ? 2 * static_cast<size_t>(last) : 0, size_t(16) << 20,
                              size_t(96) << 20);
  }();
  static std::unique_ptr<char[]> buffer(new char[bytes]());
  static char round = 0;
  ++round;
  for (size_t i = 0; i < bytes; i += 64)
    buffer[i] = static_cast<char>(buffer[i] + round);
}

DeviceInfo describeProcessor(int) {
  std::ifstream in("/proc/cpuinfo");
  std::string line, model = "processor";
  while (std::getline(in, line))
    if (line.starts_with("model name")) {
      model = line.substr(std::min(line.find(": ") + 2, line.size()));
      break;
    }
  cpu_set_t set;
  CPU_ZERO(&set);
  int threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return {model + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"), "", "", "", ""};
}

bool alwaysPresent() { return true; }

double nowNanoseconds() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool HostKernel::time(const LaunchRequest &launch, bool cold, double &nanoseconds, std::string &error) {
  if (cold)
    flushCaches();
  double since = nowNanoseconds();
  bool ok = run(launch, error);
  nanoseconds = nowNanoseconds() - since;
  return ok;
}

} // namespace phobos::kbench
