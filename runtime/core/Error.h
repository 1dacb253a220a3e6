// A status with its text: what the runtime's functions return inside, before the C interface splits it.
#pragma once
#include "runtime/include/phobos/phobos.h"
#include <string>
#include <utility>

namespace phobos::runtime {

struct [[nodiscard]] Status {
  phobos_status code = PHOBOS_OK;
  std::string message;
  bool ok() const { return code == PHOBOS_OK; }
  static Status success() { return {}; }
  static Status failure(phobos_status code, std::string message) { return {code, std::move(message)}; }
};

} // namespace phobos::runtime
