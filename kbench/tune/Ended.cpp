#include "kbench/tune/Ended.h"

namespace phobos::kbench {

std::optional<Verdict> verdictOfEnd(const Outcome &o, bool isCompiler, std::chrono::milliseconds limit,
                                    bool secondTime) {
  const std::string seconds = limit.count() < 100 ? std::to_string(limit.count()) + " ms"
                                                  : std::to_string(limit.count() / 1000) + "." +
                                                        std::to_string(limit.count() % 1000 / 100) + " s";
  switch (o.kind) {
  case Outcome::Kind::Crash:
    return Verdict{isCompiler ? Status::CompileError : Status::Fault, "",
                   (isCompiler ? "the compiler " : "the device worker ") + o.detail};
  case Outcome::Kind::Timeout:
    if (!o.phase.empty()) // compiled, but what it must compute is not known: the kernel itself does not end
      return Verdict{Status::Hang, "",
                     o.phase + " did not end within " + seconds + " (--run-timeout gives more)"};
    if (isCompiler)
      return Verdict{Status::CompileTimeout, "",
                     "no answer within " + seconds + (o.doing.empty() ? "" : ", while " + o.doing) +
                         " (--compile-timeout gives more)"};
    return Verdict{Status::Hang, "", "no answer within " + seconds + " (--run-timeout gives more)"};
  default:
    if (!secondTime)
      return std::nullopt;
    return Verdict{Status::Lost, "",
                   "its worker " +
                       (o.kind == Outcome::Kind::Answer ? "answered what nobody understands" : o.detail) +
                       ", twice"};
  }
}

} // namespace phobos::kbench
