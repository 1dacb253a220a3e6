// Conflicts of banks of shared memory: the accesses that a warp makes at once, by what the hardware takes for
// them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace phobos::emulate {

struct Operation;

class Banks {
public:
  /// Thread `thread` comes to `op` once more; `bytes` are a power of two, 16 at most.
  void access(const Operation &op, unsigned thread, uint64_t address, uint64_t bytes);
  void endBlock();

  /// What the accesses of one place in the code took. A wavefront serves 32 banks of 4 bytes.
  struct Place {
    std::string name;
    unsigned line = 0;
    uint64_t bytes = 0;      ///< of one access
    uint64_t wavefronts = 0; ///< taken
    uint64_t needed = 0;     ///< without a conflict
  };
  std::vector<Place> places() const;

private:
  using Addresses = std::vector<std::pair<unsigned, uint64_t>>; ///< by lane
  struct Site {
    Place place;
    std::vector<uint32_t> turns; ///< of each thread
    /// A warp's accesses, by the warp and how often each lane was here before. Threads that part and are here
    /// in different rounds of a loop are taken as if they were here together.
    std::unordered_map<uint64_t, Addresses> warps;
  };
  std::map<const Operation *, Site> sites_;
};

} // namespace phobos::emulate
