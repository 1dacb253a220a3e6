// The loader of CPU objects: code, constants, data, calls outside; and files that are none of it.
#include "runtime/cpu/ObjectLoader.h"
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace phobos;

namespace {

std::string objectBytes() {
  std::ifstream in(PHOBOS_LOADER_OBJECT, std::ios::binary);
  std::ostringstream s;
  s << in.rdbuf();
  return s.str();
}

TEST(ObjectLoader, RunsCodeWithConstantsDataAndCallsOutside) {
  std::string error;
  auto object = LoadedObject::load(objectBytes(), error);
  ASSERT_TRUE(object) << error;
  auto pick = reinterpret_cast<float (*)(int)>(object->symbol("pick"));
  auto bump = reinterpret_cast<long (*)(long)>(object->symbol("bump"));
  auto copy = reinterpret_cast<int (*)(char *, const char *, long)>(object->symbol("copy"));
  ASSERT_TRUE(pick && bump && copy);
  EXPECT_EQ(object->symbol("absent"), nullptr);
  EXPECT_EQ(pick(2), 3.0f);
  EXPECT_EQ(bump(1), 1);
  EXPECT_EQ(bump(1), 2);
  char to[8] = {};
  EXPECT_EQ(copy(to, "phobos", 7), 7);
  EXPECT_STREQ(to, "phobos");
}

TEST(ObjectLoader, RefusesWhatIsNotAnObject) {
  std::string error;
  EXPECT_FALSE(LoadedObject::load("", error));
  EXPECT_EQ(error, "object code: not a relocatable x86-64 ELF object");
  EXPECT_FALSE(LoadedObject::load(std::string(4096, 'x'), error));
  std::string cut = objectBytes();
  cut.resize(cut.size() / 2);
  EXPECT_FALSE(LoadedObject::load(cut, error));
}

TEST(ObjectLoader, SurvivesDamagedTables) {
  std::string bytes = objectBytes(), error;
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string m = bytes;
    for (unsigned k = 1 + random() % 3; k > 0; --k)
      m[random() % m.size()] = static_cast<char>(random());
    LoadedObject::load(m, error); // may load (damaged instructions are not run), must not crash
  }
}

TEST(ObjectLoader, NamesAMissingFeature) {
  std::string missing;
  EXPECT_TRUE(processorHas({}, missing));
  EXPECT_FALSE(processorHas({"quantum"}, missing));
  EXPECT_EQ(missing, "quantum");
}

} // namespace
