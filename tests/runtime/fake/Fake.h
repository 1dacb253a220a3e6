// A CUDA driver without a device, for tests of what the runtime asks it and hands it: two devices of sm_90
// (the first of another kind where the environment's FAKE_SM says so) and one of sm_86, contexts, memory that
// is known by address and never touched, launches that are written down.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake {

struct Context {
  int device = 0;
  std::map<int, unsigned> access; ///< of other devices: 1 read, 3 read and write
};

enum class Kind : unsigned { Host = 1, Device = 2 };
struct Memory {
  uint64_t bytes = 0;
  int device = 0;
  Kind kind = Kind::Device;
  bool managed = false;
};

struct Launch {
  std::string function;
  unsigned grid[3] = {}, threads = 0, sharedBytes = 0;
  void *stream = nullptr;
  const Context *context = nullptr;
  std::vector<uint64_t> words; ///< the first 8 bytes of each argument, as many as `Driver::arguments` says
};

struct Driver {
  std::vector<std::string> calls; ///< since the test cleared them
  std::map<uint64_t, Memory> memory;
  std::vector<Launch> launches;
  size_t arguments = 0;    ///< of the kernels that are launched
  int refuseLaunch = 0;    ///< status of the next launches
  bool tellsAccess = true; ///< an old driver does not know what a context may do at an address
  int residentBlocks = 2;
  int refusePool = 0;                 ///< status of what is next taken from a pool
  std::map<uint64_t, uint64_t> taken; ///< of pools and not given back: address and bytes
  std::vector<uint64_t> zeroed;       ///< address and bytes of each memset, in turn
  uint64_t nextTaken = uint64_t(9) << 40;
  Context primary[3] = {{0, {}}, {1, {}}, {2, {}}};
  float (*elapsedMs)(size_t nth) = nullptr; ///< between two events, by how often that was asked before
  size_t timings = 0;
  std::mutex mutex;
};

/// `fakeDriver` of libcuda.so.1: the Driver that it holds.
using Get = void *(*)();

} // namespace fake
