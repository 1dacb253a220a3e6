// --best: the ranking that the ledger holds.
#pragma once
#include "kbench/report/Report.h"
#include "kbench/tool/Subject.h"

namespace phobos::kbench {

/// The arguments of a run as the ledger keeps them.
std::string keptArguments(const Options &options);
/// The options that ask for them again, for a shell: `--arg 'X=uniform(0, 1)' --seed 2`; of default ones
/// empty.
std::string argumentOptions(const std::string &kept);

/// Prints the points that runs of any build have measured in the setting of `context`, of them those that
/// --pin, --autotune and --points of `options` name. Returns an exit status.
int printRanking(Ledger &ledger, const Subject &subject, const Options &options,
                 const ReportContext &context);

} // namespace phobos::kbench
