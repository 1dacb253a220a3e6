// Fault injection, so that tests can make each status happen. Off unless PHOBOS_KBENCH_FAULT is set.
#pragma once
#include "compiler/support/Point.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::kbench {

enum class Fault : uint8_t {
#define FAULT(NAME, TEXT, MEANING) NAME,
#include "kbench/Faults.def"
};

class Faults {
public:
  /// `KIND@NAME=VALUE,NAME=VALUE;KIND@..`: a point is struck if it has all the values. False with a reason.
  bool parse(std::string_view text, std::string &error);
  bool strikes(Fault fault, const Point &point) const;

private:
  struct Entry {
    Fault fault;
    Point where;
  };
  std::vector<Entry> entries_;
};

/// What the environment asks for; parsed once a worker.
Faults faultsFromEnvironment();
/// What the crash, hang and lost kinds do to this process.
[[noreturn]] void crashHere();
[[noreturn]] void abortHere();
[[noreturn]] void hangHere();
[[noreturn]] void leaveHere();

} // namespace phobos::kbench
