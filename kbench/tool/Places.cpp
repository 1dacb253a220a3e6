#include "kbench/tool/Places.h"
#include "kbench/Environment.h"
#include "runtime/files/WriteFile.h"
#include <cstdlib>
#include <filesystem>

namespace phobos::kbench {

std::string defaultLedger() {
  if (auto path = get(Environment::Ledger))
    return *path;
  const char *home = std::getenv("HOME");
  auto state = get(Environment::StateHome);
  if (!state && !home)
    return "";
  std::filesystem::path folder =
      std::filesystem::path(state ? *state : std::string(home) + "/.local/state") / "phobos";
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  return folder / "kbench.sqlite";
}

std::string outputOnto(const Options &options) {
  std::vector<std::pair<std::string, std::string>> taken = {{"the source", options.file}};
  const std::string ledger = options.ledger.empty() ? defaultLedger() : options.ledger;
  for (const char *part : {"", "-wal", "-shm", ".roof"})
    taken.emplace_back("the ledger", ledger + part);
  for (const std::string &path : options.points)
    if (path != "-")
      taken.emplace_back("a file of points", path);
  for (const auto *paths : {&options.csv, &options.json})
    for (const std::string &path : *paths) {
      const char *option = paths == &options.csv ? "--csv" : "--json";
      if (path.empty())
        return std::string(option) + " '' names no file";
      if (path == "-")
        continue;
      for (const auto &[what, other] : taken)
        if (isSameFile(path, other))
          return std::string(option) + " '" + path + "' would overwrite " + what;
      taken.emplace_back("another output", path);
    }
  return "";
}

} // namespace phobos::kbench
