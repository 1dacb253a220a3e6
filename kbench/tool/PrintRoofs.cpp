#include "kbench/tool/PrintRoofs.h"
#include "compiler/driver/Status.h"
#include "kbench/report/Report.h"
#include "kbench/tool/RunFolder.h"
#include "kbench/tune/RoofTask.h"
#include "kbench/tune/Search.h"
#include <cstdio>

namespace phobos::kbench {

int printRoofs(const Target &target, int device, const std::vector<std::string> &workerCommand) {
  const Interrupt interrupt;
  RunFolder folder;
  std::string error;
  // A worker is always at some kernel.
  const std::string source = "kernel none(X: tensor<f32>[1]) {\n  X[0 :+ 1] = X[0 :+ 1]\n}\n";
  Session session;
  session.textPath = folder.create(error) ? folder.path() + "/source.pho" : "";
  session.target = target.name;
  session.device = device;
  session.file = "none.pho";
  session.directory = folder.path();
  SearchOptions options;
  options.workerCommand = workerCommand;
  options.interrupt = &interrupt;
  Pool pool(workerPool(session, options, "device", 1));
  DeviceInfo info;
  if (session.textPath.empty() || !writeFile(session.textPath, source.data(), source.size(), error) ||
      !askDevice(pool, info, error)) {
    std::fprintf(stderr, "phobos-kbench: %s\n", error.c_str());
    return EnvironmentFault;
  }
  std::printf("%s on %s\n", target.name.c_str(), info.name.c_str());
  std::fflush(stdout);
  RoofTask task;
  Products products;
  for (const char *type : {"f64", "f32", "tf32", "bf16", "f16", "f8e4m3", "f8e5m2", "i8", "u8"})
    products.emplace_back(type, 0);
  Roof roof;
  for (size_t printed = 0; auto request = task.next(products);) {
    const bool isCopy = request->type.empty();
    if (!pool.give(0, request->toLine(), options.runLimit, error)) {
      std::fprintf(stderr, "phobos-kbench: %s\n", error.c_str());
      return EnvironmentFault;
    }
    std::vector<Outcome> ended;
    while ((ended = pool.collect()).empty())
      if (waitForAny({&pool}, &interrupt, std::chrono::milliseconds(500))) {
        if (isStandardOutputClosed())
          return Success;
        std::fprintf(stderr, "phobos-kbench: interrupted\n");
        return InputFault;
      }
    std::string why;
    task.ended(ended.front(), roof, why);
    if (isCopy && roof.bytesPerNs > 0)
      std::printf("a copy moves %.0f GB/s\n", roof.bytesPerNs);
    else if (isCopy)
      std::printf("a copy: %s\n", why.c_str());
    if (!isCopy && printed == roof.products.size())
      std::printf("dot %s: %s\n", request->type.c_str(), why.c_str());
    for (; printed < roof.products.size(); ++printed)
      std::printf("%s\n", productRoofText(roof.products[printed]).c_str());
    std::fflush(stdout);
  }
  if (!roof.isSteady)
    std::printf("repeated measurements did not agree: other work took part of the machine\n");
  return 0;
}

} // namespace phobos::kbench
