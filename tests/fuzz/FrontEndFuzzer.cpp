// libFuzzer's entry: parse, space, check, and the lowering of what is valid, with mutations that know tokens
// and statements. `frontend-fuzzer -max_len=16384 tests/fuzz/corpus examples tests/conformance/errors`
#include "tests/fuzz/FrontEnd.h"
#include "tests/fuzz/Lowering.h"
#include "tests/fuzz/Mutate.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace phobos::test;

static size_t put(const std::string &text, uint8_t *data, size_t max) {
  size_t n = std::min(text.size(), max);
  std::memcpy(data, text.data(), n);
  return n;
}

static std::string_view view(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed) {
  Random random(seed);
  if (random.below(16) == 0)
    return LLVMFuzzerMutate(data, size, max); // bytes too, now and then
  std::string text(view(data, size));
  return put(mutate(text, text, random), data, max);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t sizeA, const uint8_t *b, size_t sizeB,
                                            uint8_t *out, size_t max, unsigned seed) {
  Random random(seed);
  return put(mutate(view(a, sizeA), view(b, sizeB), random), out, max);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// LLVM's and MLIR's own libraries are built without the sanitizer: what they poison and what a container of
// theirs holds is not kept as this side expects, so both checks would find fault where there is none.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0";
}
#endif
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const FrontEnd frontEnd;
  static Lowering lowering(1);
  std::string wrong =
      frontEnd.run(std::string(view(data, size)), nullptr,
                   [](const auto &kernel, const auto &sources) { return lowering.run(kernel, sources); });
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s", wrong.c_str());
    std::abort();
  }
  return 0;
}
