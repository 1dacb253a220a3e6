// libFuzzer's entry, with mutations that know a bundle's structure: `bundle-fuzzer -max_len=65536
// tests/bundle/corpus`
#include "tests/bundle/Fuzz.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace phobos::test;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
  Random random(seed);
  if (random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, max);
  std::string out = mutateBundle({reinterpret_cast<const char *>(data), size}, random);
  const size_t n = std::min(out.size(), max);
  std::memcpy(data, out.data(), n);
  return n;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string wrong;
  useBundle({reinterpret_cast<const char *>(data), size}, wrong);
  if (wrong.empty())
    return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
