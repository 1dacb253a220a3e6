// The fuzzer's work in little: mutated examples from a fixed seed, none of which may crash, hang or confuse
// the front end or the lowering.
#include "tests/fuzz/FrontEnd.h"
#include "tests/fuzz/Lowering.h"
#include "tests/fuzz/Mutate.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace phobos::test {

namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> out;
  for (const char *folder : {"/examples", "/tests/conformance", "/tests/fuzz/corpus"})
    for (std::string &text : readPrograms(std::string(PHOBOS_SOURCE_DIR) + folder))
      out.push_back(std::move(text));
  return out;
}

size_t numberOf(const char *variable, size_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// One text through the compiler, as long as all is well.
class Compiler {
public:
  explicit Compiler(unsigned every) : lowering_(every) {}

  /// True if the text is a program with kernels. A text that takes 30 s ends the test.
  bool operator()(const std::string &text) {
    if (const char *path = std::getenv("PHOBOS_FUZZ_LAST")) // what it was that crashed
      std::ofstream(path, std::ios::binary) << text;
    alarm(30);
    auto begin = std::chrono::steady_clock::now();
    bool isValid = false;
    std::string wrong = frontEnd_.run(text, &isValid, [&](const auto &kernel, const auto &sources) {
      return lowering_.run(kernel, sources);
    });
    EXPECT_EQ(wrong, "") << text;
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_LT(seconds, 5) << text;
    alarm(0);
    return isValid;
  }
  const Lowering::Counts &counts() const { return lowering_.counts(); }

private:
  FrontEnd frontEnd_;
  Lowering lowering_;
};

} // namespace

TEST(Fuzz, TheCorpusIsHandled) {
  Compiler run(1);
  for (const std::string &text : seeds())
    run(text);
}

TEST(Fuzz, MutatedProgramsAreHandled) {
  std::vector<std::string> pool = seeds();
  const size_t first = pool.size();
  ASSERT_GT(first, 50u);
  size_t valid = 0, done = 0;
  const size_t inputs = numberOf("PHOBOS_FUZZ_INPUTS", 20000);
  Compiler run(static_cast<unsigned>(numberOf("PHOBOS_FUZZ_EMIT_EVERY", 8)));
  Random random(numberOf("PHOBOS_FUZZ_SEED", 1));
  auto begin = std::chrono::steady_clock::now();
  auto seconds = [begin] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double limit = static_cast<double>(numberOf("PHOBOS_FUZZ_SECONDS", 3600));
  for (; done < inputs && seconds() < limit && !HasFailure(); ++done) {
    std::string text = mutate(random.pick(pool), random.pick(pool), random);
    const bool isValid = run(text);
    valid += isValid;
    // Changes add up in what is still valid, beside the programs it began with.
    if (isValid && text.size() < 4096 && pool.size() < first + 200)
      pool.push_back(text);
    else if (isValid && text.size() < 4096)
      pool[first + random.below(pool.size() - first)] = text;
    if ((done + 1) % 50000 == 0 && done + 1 < inputs) {
      std::printf("%zu of %zu inputs, %zu valid, %.0f s\n", done + 1, inputs, valid, seconds());
      std::fflush(stdout);
    }
  }
  EXPECT_GT(valid, done / 10) << "the mutator reaches too little behind the parser";
  EXPECT_GT(run.counts().tileIr, done / 20) << "too little of it reaches the lowering";
  const Lowering::Counts &c = run.counts();
  std::printf("%zu inputs, %zu valid; kernels: %llu lowered, %llu cpu, %llu nvptx, %llu refused, %llu too "
              "large; %.0f s\n",
              done, valid, static_cast<unsigned long long>(c.tileIr), static_cast<unsigned long long>(c.cpu),
              static_cast<unsigned long long>(c.nvptx), static_cast<unsigned long long>(c.refused),
              static_cast<unsigned long long>(c.tooLarge), seconds());
  if (std::getenv("PHOBOS_FUZZ_REFUSALS"))
    for (const std::string &text : c.refusals)
      std::printf("refused: %s\n", text.c_str());
}

} // namespace phobos::test
