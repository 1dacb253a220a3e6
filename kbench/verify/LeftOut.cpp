#include "kbench/verify/LeftOut.h"
#include "compiler/support/Parallel.h"
#include "kbench/verify/Inputs.h"
#include "kbench/verify/Oracle.h"
#include <atomic>
#include <cstring>

namespace phobos::kbench {
namespace {

constexpr int other = 0x5A;

template <typename Bits> bool isAnywhere(const HostArray &array, uint64_t pattern) {
  const auto *bits = static_cast<const Bits *>(array.data());
  const auto wanted = static_cast<Bits>(pattern);
  std::atomic<bool> found = false;
  inParallel(array.size(), [&](int64_t begin, int64_t end) {
    bool any = false;
    for (int64_t i = begin; i < end; ++i)
      any |= bits[i] == wanted;
    if (any)
      found = true;
  });
  return found;
}

bool isAnywhere(const HostArray &array, uint64_t pattern) {
  switch (byteSize(array.elem())) {
  case 1:
    return isAnywhere<uint8_t>(array, pattern);
  case 2:
    return isAnywhere<uint16_t>(array, pattern);
  case 4:
    return isAnywhere<uint32_t>(array, pattern);
  default:
    return isAnywhere<uint64_t>(array, pattern);
  }
}

} // namespace

std::vector<bool> stillPoisoned(const HostArray &array) {
  HostArray one(array.elem(), {1});
  poison(one);
  const uint64_t pattern = one.getBits(0);
  std::vector<bool> found;
  if (array.size() == 0 || !isAnywhere(array, pattern))
    return found;
  found.resize(static_cast<size_t>(array.size()));
  for (int64_t i = 0; i < array.size(); ++i)
    found[static_cast<size_t>(i)] = array.getBits(i) == pattern;
  return found;
}

void poisonOtherwise(HostArray &array) {
  std::memset(array.data(), array.elem() == ScalarType::Bool ? 0 : other, array.bytes());
}

std::string leftOut(const HostArray &array, const std::vector<bool> &suspects, const std::string &name) {
  HostArray one(array.elem(), {1});
  poisonOtherwise(one);
  int64_t count = 0, first = 0;
  for (int64_t i = array.size(); i-- > 0;)
    if (suspects[static_cast<size_t>(i)] && array.getBits(i) == one.getBits(0))
      ++count, first = i;
  if (count == 0)
    return "";
  return std::to_string(count) + " of " + std::to_string(array.size()) + " elements of '" + name +
         "' are stored by no block, first '" + name + placeOf(array, first) + "'";
}

} // namespace phobos::kbench
