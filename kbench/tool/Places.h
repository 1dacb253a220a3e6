// Where a run of phobos-kbench keeps and writes what it measured.
#pragma once
#include "kbench/tool/Options.h"
#include <string>

namespace phobos::kbench {

/// The ledger where --ledger does not name one; its folder is made. Empty where there is no home to keep it
/// in.
std::string defaultLedger();

/// What an output of these options would overwrite, in words: the source, the ledger, a file that is read,
/// another output. Empty if nothing.
std::string outputOnto(const Options &options);

} // namespace phobos::kbench
