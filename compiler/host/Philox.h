// Philox 4x32-10, the counter-based generator of `rand` and of the inputs that tools make (spec/builtins.md).
#pragma once
#include <array>
#include <cstdint>

namespace phobos {

/// The four words at `counter` under `key`.
inline std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * counter[0], p1 = uint64_t(0xCD9E8D57u) * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// The same with 64-bit halves: key = seed, counter = (offset, stream).
inline std::array<uint32_t, 4> philox(uint64_t seed, uint64_t offset, uint64_t stream = 0) {
  return philox({static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32),
                 static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
                {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
}

} // namespace phobos
