// The error of a target for a kernel that its rules do not take at its point.
#pragma once
#include "llvm/Support/Error.h"
#include <string>

namespace phobos::legality {

class IllegalPoint : public llvm::ErrorInfo<IllegalPoint> {
public:
  inline static char ID = 0;
  IllegalPoint(std::string brokenRule, std::string why)
      : rule(std::move(brokenRule)), reason(std::move(why)) {}
  void log(llvm::raw_ostream &os) const override { os << rule << ": " << reason; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  std::string rule, reason;
};

} // namespace phobos::legality
