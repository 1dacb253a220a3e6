// Chooses the tool by the name it was called by, else by its first argument.
#include "compiler/tools/Tools.h"
#include <cstdio>
#include <cstring>
#include <string_view>

using namespace phobos::tools;

namespace {

struct Tool {
  std::string_view name;
  int (*run)(int, char **);
  const char *summary;
};

constexpr Tool kTools[] = {
#define TOOL(NAME, FUNCTION, SUMMARY) {NAME, FUNCTION, SUMMARY},
#include "compiler/tools/Tools.def"
};

const Tool *toolNamed(std::string_view name) {
  for (const Tool &t : kTools)
    if (t.name == name)
      return &t;
  return nullptr;
}

void printUsage(FILE *out) {
  std::fputs(
      "usage: phobos TOOL [arguments], or phobos-TOOL [arguments]; phobos TOOL --help explains one\n\n", out);
  for (const Tool &t : kTools)
    std::fprintf(out, "  %-8s %s\n", t.name.data(), t.summary);
}

} // namespace

extern "C" int phobos_tool_main(int argc, char **argv) {
  std::string_view self = argc > 0 ? argv[0] : "phobos";
  if (size_t slash = self.rfind('/'); slash != std::string_view::npos)
    self.remove_prefix(slash + 1);
  constexpr std::string_view prefix = "phobos-";
  if (self.starts_with(prefix))
    if (const Tool *t = toolNamed(self.substr(prefix.size())))
      return t->run(argc, argv);
  if (argc >= 2) {
    if (const Tool *t = toolNamed(argv[1]))
      return t->run(argc - 1, argv + 1);
    if (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h")) {
      printUsage(stdout);
      return Success;
    }
    std::fprintf(stderr, "phobos: no tool is called '%s'\n", argv[1]);
  }
  printUsage(stderr);
  return UsageFault;
}
