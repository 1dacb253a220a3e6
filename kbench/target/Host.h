// What targets that run on this machine's processor share: memory, the flushing of caches, the clock.
#pragma once
#include "kbench/Backend.h"

namespace phobos::kbench {

/// Plain memory of this process as a device.
class HostMemory : public Device {
public:
  Address allocate(size_t bytes, std::string &error) override;
  void release(Address address) override;
  bool write(Address to, const void *from, size_t bytes, std::string &error) override;
  bool read(void *to, Address from, size_t bytes, std::string &error) override;
  bool copy(Address to, Address from, size_t bytes, std::string &error) override;
};

/// A kernel that runs on this processor: timed by the clock around run().
class HostKernel : public DeviceKernel {
public:
  bool time(const LaunchRequest &launch, bool cold, double &nanoseconds, std::string &error) override;
};

/// Reads and writes enough memory that nothing a kernel uses stays in the last cache.
void flushCaches();
/// `AMD EPYC 9654, 2 threads`.
DeviceInfo describeProcessor(int);
/// With all threads that the process may use; in HostRoof.cpp.
bool measureHostRoof(Roof &roof, std::string &error);
bool alwaysPresent();
double nowNanoseconds();

} // namespace phobos::kbench
