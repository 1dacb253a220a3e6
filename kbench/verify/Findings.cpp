#include "kbench/verify/Findings.h"
#include "compiler/interp/Shadow.h"

namespace phobos::kbench {

bool isCheckable(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims) {
  uint64_t elements = 0;
  for (const sema::Param &p : kernel.params) {
    if (!p.isTensor || !p.isWritten)
      continue;
    uint64_t size = 1;
    for (const auto &e : p.extents)
      size *= static_cast<uint64_t>(e.fixed ? *e.fixed : dims[e.dim]);
    elements += size;
  }
  return elements <= maxCheckBytes / interp::Shadow::bytesAnElement;
}

std::string placeText(const Diagnostic &d, const SourceManager &sources) {
  std::string code(info(d.id).code);
  if (!d.range.isValid())
    return code;
  const SourceFile &file = sources.file(d.range.file);
  const LineColumn at = file.lineColumn(d.range.begin);
  return file.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
         (d.severity() == Severity::Error ? ": error[" : ": warning[") + code + "]";
}

Findings findingsOf(const Diagnostics &checked, const SourceManager &sources, const std::string &where,
                    GridRun grid) {
  Findings findings;
  auto wrong = [&](const Diagnostic &d, const char *help = "") {
    if (!findings.wrong)
      findings.wrong = Verdict{Status::Wrong, placeText(d, sources), d.message + where + help};
  };
  auto warn = [&](const Diagnostic &d) {
    if (findings.warning.empty())
      findings.warning = placeText(d, sources) + ": " + d.message + where;
  };
  for (const Diagnostic &d : checked.all())
    switch (d.id) {
    case diag::ThreadsRace:
      wrong(d);
      break;
    case diag::TwoBlocksStore:
    case diag::ReadOfOtherBlock:
      grid == GridRun::Given ? warn(d) : wrong(d);
      break;
    case diag::StoreNeverDone:
      if (grid == GridRun::Whole)
        wrong(d, "; @aligned(..) or @require(..) keeps sizes away that are not meant");
      break;
    case diag::PartlyStored:
      if (grid == GridRun::Whole)
        warn(d);
      break;
    default:
      break;
    }
  return findings;
}

} // namespace phobos::kbench
