#include "tests/emulate/Banks.h"
#include "tests/emulate/Machine.h"
#include <algorithm>
#include <array>

namespace phobos::emulate {

namespace {

/// Of lanes that are served together: the most different words of 4 bytes in one bank.
uint64_t wavefronts(const std::vector<uint64_t> &addresses, uint64_t bytes) {
  std::array<std::vector<uint64_t>, 32> banks;
  for (uint64_t a : addresses)
    for (uint64_t word = a / 4; word <= (a + bytes - 1) / 4; ++word)
      if (auto &words = banks[word % 32]; std::find(words.begin(), words.end(), word) == words.end())
        words.push_back(word);
  uint64_t most = 0;
  for (const auto &words : banks)
    most = std::max<uint64_t>(most, words.size());
  return most;
}

} // namespace

void Banks::access(const Operation &op, unsigned thread, uint64_t address, uint64_t bytes) {
  Site &site = sites_[&op];
  site.place.name = op.name, site.place.line = op.line, site.place.bytes = bytes;
  if (site.turns.size() <= thread)
    site.turns.resize(thread + 1, 0);
  const uint64_t turn = site.turns[thread]++;
  site.warps[turn << 6 | thread / 32].emplace_back(thread % 32, address);
}

// A warp's accesses of 8 bytes are served by halves, those of 16 bytes by quarters.
void Banks::endBlock() {
  for (auto &[op, site] : sites_) {
    const unsigned together = site.place.bytes == 16 ? 8 : site.place.bytes == 8 ? 16 : 32;
    for (auto &[key, lanes] : site.warps)
      for (unsigned first = 0; first < 32; first += together) {
        std::vector<uint64_t> addresses;
        for (auto &[lane, address] : lanes)
          if (lane >= first && lane < first + together)
            addresses.push_back(address);
        site.place.wavefronts += wavefronts(addresses, site.place.bytes);
        site.place.needed += !addresses.empty();
      }
    site.warps.clear();
    site.turns.clear();
  }
}

std::vector<Banks::Place> Banks::places() const {
  std::vector<Place> all;
  for (const auto &[op, site] : sites_)
    all.push_back(site.place);
  return all;
}

} // namespace phobos::emulate
