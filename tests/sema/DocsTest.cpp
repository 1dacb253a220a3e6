// Pages that are made from lists say what the lists say.
#include "compiler/sema/Builtins.h"
#include "tests/sema/Sources.h"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace phobos::test {
namespace {

std::string path(const std::string &name) { return std::string(PHOBOS_SOURCE_DIR) + "/docs/" + name; }

std::string read(const std::string &name) {
  std::ifstream in(path(name));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string builtinsPage() {
  std::string s = "# Built-ins\n\nMade from `compiler/sema/Builtins.def` (run `sema-tests` with "
                  "`PHOBOS_UPDATE_DOCS=1` after a change). The "
                  "rules are in [spec/builtins.md](../spec/builtins.md);\narguments in brackets may be left "
                  "out, and any may be given by name.\n";
  std::string_view group;
  for (const sema::Builtin &b : sema::builtins()) {
    if (b.group != group)
      s += "\n## " + std::string(b.group) + "\n\n| call | gives |\n|---|---|\n";
    group = b.group;
    s += "| `" + sema::signature(b) + "` | " + std::string(b.summary) + " |\n";
  }
  return s;
}

TEST(SemaDocs, BuiltinsPageIsTheList) {
  if (std::getenv("PHOBOS_UPDATE_DOCS"))
    std::ofstream(path("builtins.md")) << builtinsPage();
  EXPECT_EQ(read("builtins.md"), builtinsPage()) << "run sema-tests with PHOBOS_UPDATE_DOCS=1";
}

TEST(SemaDocs, StdlibPageNamesEveryFunction) {
  std::string page = read("stdlib.md");
  for (const auto &f : sharedStdlib().functions)
    EXPECT_NE(page.find("`" + f->name.text + "("), std::string::npos) << f->name.text;
}

TEST(SemaDocs, SpecNamesEveryBuiltin) {
  std::ifstream in(std::string(PHOBOS_SOURCE_DIR) + "/spec/builtins.md");
  std::stringstream text;
  text << in.rdbuf();
  for (const sema::Builtin &b : sema::builtins())
    EXPECT_NE(text.str().find(b.name), std::string::npos) << b.name;
}

} // namespace
} // namespace phobos::test
