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

void Races::read(unsigned thread, Readers &readers, unsigned line) const {
  if (readers.thread[0] != thread && !isBefore(thread, readers.thread[0], readers.clock[0])) {
    readers.thread[1] = readers.thread[0], readers.clock[1] = readers.clock[0];
    readers.line[1] = readers.line[0];
  }
  readers.thread[0] = static_cast<uint16_t>(thread), readers.clock[0] = clocks_[thread][thread];
  readers.line[0] = static_cast<uint16_t>(line);
}

int Races::raceWith(unsigned thread, const Readers &readers) const {
  for (int k = 0; k < 2; ++k)
    if (readers.thread[k] != thread && !isBefore(thread, readers.thread[k], readers.clock[k]))
      return k;
  return -1;
}

std::string Races::access(unsigned thread, Byte *bytes, uint64_t count, unsigned line, bool isWrite,
                          bool isAtomic) {
  for (Byte *b = bytes; b != bytes + count; ++b) {
    if (b->written == kUnderWay)
      return raceText("has a copy under way to", b->writer, b->writeLine);
    if (b->writer != thread && !(isAtomic && b->isAtomic) && !isBefore(thread, b->writer, b->written))
      return raceText("wrote", b->writer, b->writeLine);
    if (!isWrite) {
      read(thread, isAtomic ? b->atomic : b->plain, line);
      continue;
    }
    if (int k = raceWith(thread, b->plain); k >= 0)
      return raceText("read", b->plain.thread[k], b->plain.line[k]);
    if (int k = isAtomic ? -1 : raceWith(thread, b->atomic); k >= 0)
      return raceText("read", b->atomic.thread[k], b->atomic.line[k]);
    b->written = clocks_[thread][thread], b->writer = static_cast<uint16_t>(thread);
    b->writeLine = static_cast<uint16_t>(line), b->isAtomic = isAtomic;
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
