// The fuzzer's work in little: mutated examples from a fixed seed, none of which may crash, hang or confuse the front end.
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

double secondsOf(const FrontEnd &frontEnd, const std::string &text) {
  auto begin = std::chrono::steady_clock::now();
  std::string wrong = frontEnd.run(text);
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
  ASSERT_GT(pool.size(), 50u);
  const char *wanted = std::getenv("PHOBOS_FUZZ_INPUTS");
  size_t inputs = wanted ? std::strtoull(wanted, nullptr, 10) : 20000;
  const char *seed = std::getenv("PHOBOS_FUZZ_SEED");
  Random random(seed ? std::strtoull(seed, nullptr, 10) : 1);
  for (size_t i = 0; i < inputs && !HasFailure(); ++i) {
    std::string text = mutate(random.pick(pool), random.pick(pool), random);
    EXPECT_LT(secondsOf(frontEnd, text), 5) << text;
    if (random.below(4) == 0 && text.size() < 8192)
      pool[random.below(pool.size())] = text; // so that changes add up
  }
}

} // namespace phobos::test
