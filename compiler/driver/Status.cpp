#include "compiler/driver/Status.h"

namespace phobos::driver {

int statusOf(diag id) {
  if (info(id).severity != Severity::Error)
    return Success;
  switch (id) {
  // The text of an option itself. (That a well-written name is not one of the kernel's is for the kernel to
  // say.)
  case diag::BadPoint:
  case diag::PtxVersion:
  case diag::UnknownTarget:
  case diag::BadArgument:
  case diag::BadDimension:
  case diag::BadGrid:
  case diag::BadOutput:
  case diag::RepeatedName:
    return UsageFault;
  case diag::CannotReadFile:
  case diag::CannotWriteFile:
  case diag::ArgumentTooLarge:
  case diag::TensorsTooLarge:
  case diag::DeviceFailed:
    return EnvironmentFault;
  default:
    return InputFault;
  }
}

int statusOf(const Diagnostics &diags) {
  for (const Diagnostic &d : diags.all())
    if (int status = statusOf(d.id))
      return status;
  return Success;
}

} // namespace phobos::driver
