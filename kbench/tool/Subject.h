// What a command line asks to be searched: a kernel, its space as the target sees it, and the size at which
// it is timed.
#pragma once
#include "compiler/driver/Compile.h"
#include "kbench/Backend.h"
#include "kbench/space/SearchSpace.h"
#include "kbench/tool/Options.h"
#include <map>

namespace phobos::kbench {

struct Subject {
  std::unique_ptr<driver::LoadedFile> loaded;
  const ast::Kernel *kernel = nullptr;
  std::string text; ///< of the file, as it was read
  sema::Space space;
  SearchSpace searched;
  Point pinned;
  std::vector<std::string>
      ignored; ///< declared names that the target does not look at and that have several choices
  std::vector<Point> listed; ///< of --points, each once
  size_t repeated = 0;       ///< how many more there were
  Contract contract;         ///< at the first point that checks
  std::vector<std::pair<std::string, int64_t>> dims;
  std::vector<std::string> defaultDims; ///< those of `dims` that nobody gave
  std::optional<std::array<int64_t, 3>> grid;
};

/// Fills `subject`; what is wrong is in `diags` (rendered with subject.loaded->sources). Returns an exit
/// status, 0 to go on.
int makeSubject(const Options &options, const Target &target, Subject &subject, Diagnostics &diags);

} // namespace phobos::kbench
