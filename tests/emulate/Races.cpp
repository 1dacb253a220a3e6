#include "tests/emulate/Races.h"
#include <algorithm>

namespace phobos::emulate {

void Races::begin(unsigned threads) {
  for (const Clock &c : clocks_)
    latest_ = std::max(latest_, *std::max_element(c.begin(), c.end()));
  clocks_.assign(threads, Clock(threads, latest_));
  for (unsigned t = 0; t < threads; ++t)
    clocks_[t][t] = latest_ + 1;
}

void Races::release(unsigned thread, Clock &to) {
  Clock &own = clocks_[thread];
  to.resize(own.size(), 0);
  for (size_t k = 0; k < own.size(); ++k)
    to[k] = std::max(to[k], own[k]);
  ++own[thread];
}

void Races::acquire(unsigned thread, const Clock &from) {
  Clock &own = clocks_[thread];
  for (size_t k = 0; k < from.size(); ++k)
    own[k] = std::max(own[k], from[k]);
}

static std::string raceText(const char *what, unsigned thread, unsigned line) {
  return std::string("which thread ") + std::to_string(thread) + " " + what +
         (line ? " at line " + std::to_string(line) : "") + ", and nothing orders the two";
}

std::string Races::access(unsigned thread, Byte *bytes, uint64_t count, unsigned line, bool isWrite,
                          bool isAtomic) {
  const uint32_t now = clocks_[thread][thread];
  for (Byte *b = bytes; b != bytes + count; ++b) {
    if (b->written == kUnderWay)
      return raceText("has a copy under way to", b->writer, b->writeLine);
    if (b->writer != thread && !(isAtomic && b->isAtomic) && !isBefore(thread, b->writer, b->written))
      return raceText("wrote", b->writer, b->writeLine);
    if (isWrite) {
      for (int k = 0; k < 2; ++k)
        if (b->reader[k] != thread && !isBefore(thread, b->reader[k], b->read[k]))
          return raceText("read", b->reader[k], b->readLine[k]);
      b->written = now, b->writer = static_cast<uint16_t>(thread);
      b->writeLine = static_cast<uint16_t>(line), b->isAtomic = isAtomic;
      continue;
    }
    // Two readers, so that a writer meets another one than itself.
    if (b->reader[0] != thread && !isBefore(thread, b->reader[0], b->read[0])) {
      b->reader[1] = b->reader[0], b->read[1] = b->read[0], b->readLine[1] = b->readLine[0];
    }
    b->reader[0] = static_cast<uint16_t>(thread), b->read[0] = now;
    b->readLine[0] = static_cast<uint16_t>(line);
  }
  return {};
}

std::string Races::beginCopy(unsigned thread, Byte *bytes, uint64_t count, unsigned line) {
  std::string why = access(thread, bytes, count, line, true, false);
  for (uint64_t k = 0; k < count; ++k)
    bytes[k].written = kUnderWay;
  return why;
}

void Races::endCopy(unsigned thread, Byte *bytes, uint64_t count) {
  for (uint64_t k = 0; k < count; ++k)
    bytes[k].written = clocks_[thread][thread];
}

} // namespace phobos::emulate
