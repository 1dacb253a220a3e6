#include "tests/differential/Compare.h"
#include "compiler/driver/Compile.h"
#include "tests/differential/Inputs.h"
#include <algorithm>
#include <cmath>

namespace phobos::differential {

std::string valueText(const HostArray &a, int64_t i) {
  char text[64];
  if (isFloat(a.elem()))
    std::snprintf(text, sizeof text, "%.17g", a.getFloat(i));
  else
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(a.getInt(i)));
  return text;
}

static bool isSame(const HostArray &a, const HostArray &b, int64_t i, double tolerance) {
  if (!isFloat(a.elem()))
    return a.getInt(i) == b.getInt(i);
  double x = a.getFloat(i), y = b.getFloat(i);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) && std::isnan(y);
  if (tolerance == 0) // zeros too have their sign
    return x == y && std::signbit(x) == std::signbit(y);
  return x == y || std::abs(x - y) <= tolerance;
}

std::string difference(const std::string &name, const HostArray &expected, const HostArray &got,
                       double tolerance) {
  int64_t differing = 0, first = 0;
  for (int64_t i = expected.size(); i-- > 0;)
    if (!isSame(expected, got, i, tolerance))
      ++differing, first = i;
  if (!differing)
    return {};
  return name + ": element " + std::to_string(first) + " of " + str(expected.extents()) + " is " +
         valueText(got, first) + ", the interpreter has " + valueText(expected, first) + "; " +
         std::to_string(differing) + " differ by more than " + std::to_string(tolerance);
}

Comparison compare(const std::string &text, const std::string &target, const std::string &processor,
                   const std::string &name) {
  Diagnostics diags;
  auto loaded = driver::loadText(name, text, {.stdlib = false}, diags);
  auto failed = [&](Verdict v) { return Comparison{v, renderText(diags, loaded->sources)}; };
  const ast::Kernel *kernel = diags.hasErrors() ? nullptr : driver::selectKernel(*loaded->file, "", diags);
  auto typed = kernel ? driver::checkAt(*loaded, *kernel, {}, diags) : nullptr;
  if (!typed)
    return failed(Verdict::Rejected);
  Header header = readHeader(text);
  driver::HostArguments expected;
  BoundLaunch launch;
  std::string error;
  if (!makeArguments(driver::contractOf(*typed), header, expected, launch, error))
    return {Verdict::Rejected, error};
  driver::HostArguments got = expected, checked = expected;

  interp::Options options;
  options.maxSteps = 10'000'000;
  auto oracle = driver::prepare("interp", *typed, loaded->sources, options, diags);
  if (!oracle->run(expected, launch, diags))
    return failed(Verdict::Undefined);
  auto executable = target == "cpu" ? driver::prepareForCpu(*typed, loaded->sources, {}, diags, processor)
                                    : driver::prepare(target, *typed, loaded->sources, {}, diags);
  if (!executable || !executable->run(got, launch, diags)) {
    const bool isIllegal =
        std::ranges::any_of(diags.all(), [](const Diagnostic &d) { return d.id == diag::IllegalPoint; });
    return failed(isIllegal ? Verdict::Illegal : Verdict::Refused);
  }
  for (size_t i = 0; i < typed->params.size(); ++i) {
    const sema::Param &p = typed->params[i];
    auto tolerance = header.outputs.find(p.name);
    if (!p.isTensor)
      continue;
    std::string d = difference(p.name, expected.arrays[i], got.arrays[i],
                               tolerance == header.outputs.end() ? 0 : tolerance->second);
    if (d.empty())
      continue;
    // A program that races has no one result: that is the generator's fault.
    options.check = true;
    Diagnostics races;
    auto checker = driver::prepare("interp", *typed, loaded->sources, options, races);
    checker->run(checked, launch, races);
    for (const Diagnostic &r : races.all())
      if (r.id == diag::ThreadsRace || r.id == diag::TwoBlocksStore || r.id == diag::ReadOfOtherBlock)
        return {Verdict::Undefined, renderText(races, loaded->sources)};
    return {Verdict::Different, d};
  }
  return {};
}

} // namespace phobos::differential
