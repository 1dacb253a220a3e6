// Chooses the tool by the name it was called by, else by its first argument.
#include "compiler/support/Suggest.h"
#include "compiler/tools/Output.h"
#include "compiler/tools/Tools.h"
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

using namespace phobos;
using namespace phobos::tools;
using namespace std::string_view_literals;

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
    std::fprintf(out, "  %-8s %s\n", std::string(t.name).c_str(), t.summary);
  std::fputs("\nExit status: 0 success; 1 the input is at fault; 2 usage; 3 the environment (files, driver, "
             "memory).\n",
             out);
}

int dispatch(int argc, char **argv) {
  std::signal(SIGXFSZ,
              SIG_IGN); // a file past the limit of `ulimit -f` is a failed write, reported as any other
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
    if (argv[1] == "--help"sv || argv[1] == "-h"sv) {
      printUsage(stdout);
      return Success;
    }
    if (argv[1] == "--version"sv) {
      std::printf("phobos %s\n", PHOBOS_VERSION_TEXT);
      return Success;
    }
    std::fprintf(stderr, "phobos: no tool is called '%s'\n", argv[1]);
    std::vector<std::string> names;
    for (const Tool &t : kTools)
      names.emplace_back(t.name);
    if (const auto near = nearest(argv[1], names))
      std::fprintf(stderr, "help: did you mean '%s'?\n", near->c_str());
  }
  printUsage(stderr);
  return UsageFault;
}

} // namespace

extern "C" int phobos_tool_main(int argc, char **argv) {
  holdStandardStreams();
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    std::string_view a = argv[i];
    json |= a == "--diagnostics=json" || (a == "--diagnostics" && i + 1 < argc && argv[i + 1] == "json"sv);
  }
  return finishOutput(dispatch(argc, argv), json);
}
