// The fuzzer's work in little: mutated examples from a fixed seed, none of which may crash, hang or confuse
// the front end.
#include "tests/fuzz/FrontEnd.h"
#include "tests/fuzz/Mutate.h"
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>

namespace phobos::test {

namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> out;
  for (const char *folder : {"/examples", "/tests/conformance", "/tests/fuzz/corpus"})
    for (std::string &text : readPrograms(std::string(PHOBOS_SOURCE_DIR) + folder))
      out.push_back(std::move(text));
  return out;
}

double secondsOf(const FrontEnd &frontEnd, const std::string &text, bool *isValid = nullptr) {
  auto begin = std::chrono::steady_clock::now();
  std::string wrong = frontEnd.run(text, isValid);
  EXPECT_EQ(wrong, "") << text;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

TEST(Fuzz, TheCorpusIsHandled) {
  FrontEnd frontEnd;
  for (const std::string &text : seeds())
    EXPECT_LT(secondsOf(frontEnd, text), 5) << text;
}

TEST(Fuzz, MutatedProgramsAreHandled) {
  FrontEnd frontEnd;
  std::vector<std::string> pool = seeds();
  const size_t first = pool.size();
  ASSERT_GT(first, 50u);
  size_t valid = 0;
  const char *wanted = std::getenv("PHOBOS_FUZZ_INPUTS");
  size_t inputs = wanted ? std::strtoull(wanted, nullptr, 10) : 20000;
  const char *seed = std::getenv("PHOBOS_FUZZ_SEED");
  Random random(seed ? std::strtoull(seed, nullptr, 10) : 1);
  for (size_t i = 0; i < inputs && !HasFailure(); ++i) {
    std::string text = mutate(random.pick(pool), random.pick(pool), random);
    bool isValid = false;
    EXPECT_LT(secondsOf(frontEnd, text, &isValid), 5) << text;
    valid += isValid;
    // Changes add up in what is still valid, beside the programs it began with.
    if (isValid && text.size() < 4096 && pool.size() < first + 200)
      pool.push_back(text);
    else if (isValid && text.size() < 4096)
      pool[first + random.below(pool.size() - first)] = text;
  }
  EXPECT_GT(valid, inputs / 10) << "the mutator reaches too little behind the parser";
}

} // namespace phobos::test
