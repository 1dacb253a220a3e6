// One program on two targets.
#pragma once
#include "compiler/host/HostArray.h"
#include <cstdint>
#include <string>

namespace phobos::differential {

enum class Verdict : uint8_t {
  Same,
  Different, ///< an output differs by more than its tolerance
  Rejected,  ///< the front end reports an error: the generator's fault
  Refused,   ///< the target cannot take it
  Illegal,   ///< a rule of the target says why not (E0801): rightly, of tiles that do not fit
  Undefined, ///< the interpreter's checks find a race: nothing to compare
};

struct Comparison {
  Verdict verdict = Verdict::Same;
  std::string message; ///< what differs where, or the diagnostics
};

/// `text` has the header that Inputs.h describes; `processor` is of the CPU target (driver::prepareForCpu);
/// `name` is what diagnostics call the text.
Comparison compare(const std::string &text, const std::string &target, const std::string &processor = "",
                   const std::string &name = "program.pho");

/// Element `i`, all digits of it.
std::string valueText(const HostArray &a, int64_t i);

/// The first difference of `name`, in words; empty if there is none.
std::string difference(const std::string &name, const HostArray &expected, const HostArray &got,
                       double tolerance);

} // namespace phobos::differential
