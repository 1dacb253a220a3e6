#include "kbench/tool/Build.h"
#include "kbench/ledger/Ledger.h"
#include <dlfcn.h>
#include <sys/stat.h>

namespace phobos::kbench {

std::string buildName() {
  // The file that holds the compiler: a shared library, or the executable itself.
  Dl_info here{};
  struct stat info{};
  bool found = dladdr(reinterpret_cast<void *>(&buildName), &here) && here.dli_fname &&
               stat(here.dli_fname, &info) == 0;
  if (!found)
    stat("/proc/self/exe", &info);
  return PHOBOS_VERSION_TEXT "-" +
         contentHash(std::to_string(info.st_size) + "." + std::to_string(info.st_mtim.tv_sec) + "." +
                     std::to_string(info.st_mtim.tv_nsec))
             .substr(0, 12);
}

} // namespace phobos::kbench
