// Bundles that are nearly right are refused with a reason or used; nothing crashes.
// PHOBOS_BUNDLE_FUZZ=1000000 runs as many inputs, PHOBOS_BUNDLE_SEED=N others.
#include "tests/bundle/Fuzz.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace phobos::test;

static uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(BundleFuzz, TheCorpusIsSound) {
  EXPECT_EQ(bundleCorpus().size(), 3u);
  for (const std::string &bytes : bundleCorpus()) {
    std::string wrong;
    EXPECT_EQ(useBundle(bytes, wrong), Reached::Prepared);
    EXPECT_EQ(wrong, "");
  }
}

TEST(BundleFuzz, MutantsAreRefusedOrUsed) {
  const std::vector<std::string> seeds = bundleCorpus();
  const uint64_t count = setting("PHOBOS_BUNDLE_FUZZ", 4000), first = setting("PHOBOS_BUNDLE_SEED", 1);
  size_t reached[4] = {};
  for (uint64_t i = first; i < first + count; ++i) {
    Random random(i);
    std::string wrong, bytes = mutateBundle(seeds[i % seeds.size()], random);
    ++reached[static_cast<size_t>(useBundle(bytes, wrong))];
    ASSERT_EQ(wrong, "") << "input " << i;
    if (const uint64_t done = i + 1 - first; done % 50000 == 0 && done < count) {
      std::printf("%llu of %llu inputs\n", static_cast<unsigned long long>(done),
                  static_cast<unsigned long long>(count));
      std::fflush(stdout);
    }
  }
  std::printf("%llu inputs: %zu refused, %zu decoded, %zu loaded, %zu prepared\n",
              static_cast<unsigned long long>(count), reached[0], reached[1], reached[2], reached[3]);
  if (count >= 4000)
    for (size_t n : reached)
      EXPECT_GT(n, count / 1000) << "the mutations no longer reach all of the runtime";
}
