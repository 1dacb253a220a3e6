// phobos-kbench: parent, or with --worker ROLE one of its workers.
#include "compiler/tools/Tools.h"
#include "kbench/target/Targets.h"
#include "kbench/tool/Tool.h"
#include "kbench/workers/Worker.h"
#include <csignal>
#include <string_view>

namespace phobos::tools {

int kbenchMain(int argc, char **argv) {
  auto targets = kbench::allTargets();
  if (argc == 3 && std::string_view(argv[1]) == "--worker")
    return kbench::runWorker(argv[2], targets);
  std::signal(SIGPIPE, SIG_IGN); // a reader that leaves is noticed and the search ended in order
  kbench::Options options;
  if (auto status = kbench::parseOptions(argc, argv, options))
    return *status;
  return kbench::runKbench(options, targets, {"/proc/self/exe", "kbench", "--worker"});
}

} // namespace phobos::tools
