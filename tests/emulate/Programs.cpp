// What is run: random programs, and the cases of the conformance suite.
#include "compiler/driver/Compile.h"
#include "compiler/driver/GivenValues.h"
#include "compiler/driver/RunArguments.h"
#include "compiler/host/Npy.h"
#include "tests/differential/Compare.h"
#include "tests/differential/Inputs.h"
#include "tests/emulate/Launch.h"
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace phobos::emulate {

Outcome runProgram(const std::string &text, const Point &point, const std::string &target, const How &how) {
  Diagnostics diags;
  auto loaded = driver::loadText("program.pho", text, {.stdlib = false}, diags);
  auto failed = [&](Verdict v) { return Outcome{v, renderText(diags, loaded->sources)}; };
  const ast::Kernel *kernel = diags.hasErrors() ? nullptr : driver::selectKernel(*loaded->file, "", diags);
  auto typed = kernel ? driver::checkAt(*loaded, *kernel, point, diags) : nullptr;
  if (!typed)
    return failed(Verdict::Failed);
  const differential::Header header = differential::readHeader(text);
  driver::HostArguments expected;
  BoundLaunch bound;
  std::string error;
  if (!differential::makeArguments(driver::contractOf(*typed), header, expected, bound, error))
    return {Verdict::Failed, error};
  const driver::HostArguments given = expected;
  interp::Options options;
  options.maxSteps = 10'000'000;
  if (!driver::prepare("interp", *typed, loaded->sources, options, diags)->run(expected, bound, diags))
    return failed(Verdict::Undefined);
  auto judge = [&](const driver::HostArguments &got) {
    std::string why;
    for (size_t i = 0; i < typed->params.size() && why.empty(); ++i) {
      auto tolerance = header.outputs.find(typed->params[i].name);
      if (typed->params[i].isTensor)
        why = differential::difference(typed->params[i].name, expected.arrays[i], got.arrays[i],
                                       tolerance == header.outputs.end() ? 0 : tolerance->second);
    }
    return why;
  };
  return launch(*typed, loaded->sources, target, given, bound, how, judge);
}

namespace {

/// As numpy.isclose has it; NaN is NaN, and where nothing may differ zeros have their sign.
bool isClose(double got, double want, double rtol, double atol) {
  if (std::isnan(got) || std::isnan(want))
    return std::isnan(got) && std::isnan(want);
  if (rtol == 0 && atol == 0)
    return got == want && std::signbit(got) == std::signbit(want);
  return got == want || std::abs(got - want) <= atol + rtol * std::abs(want);
}

std::string judgeCase(const std::string &name, const HostArray &got, const std::string &file, double rtol,
                      double atol) {
  std::string error;
  auto read = readNpy(file, error);
  if (!read)
    return file + ": " + error;
  auto want = convertForParameter(std::move(*read), got.elem());
  if (!want || want->extents() != got.extents())
    return file + " is another type or shape than " + name;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double g = isFloat(got.elem()) ? got.getFloat(i) : static_cast<double>(got.getInt(i)),
                 w = isFloat(got.elem()) ? want->getFloat(i) : static_cast<double>(want->getInt(i));
    if (!isClose(g, w, rtol, atol))
      return name + ": element " + std::to_string(i) + " of " + str(got.extents()) + " is " +
             differential::valueText(got, i) + ", expected " + differential::valueText(*want, i);
  }
  return {};
}

std::string scalarText(const nlohmann::json &value) { return value.dump(); }

} // namespace

Outcome runCase(const std::string &folder, const std::string &target, const How &how) {
  std::ifstream file(folder + "/case.json");
  const nlohmann::json c = nlohmann::json::parse(file, nullptr, false);
  if (c.is_discarded())
    return {Verdict::Failed, folder + "/case.json cannot be read"};
  driver::RunRequest request;
  for (const auto &[name, value] : c["point"].items())
    request.point.push_back(name + "=" + scalarText(value));
  for (const auto &[name, value] : c["args"].items())
    request.args.push_back(name + "=" + folder + "/" + value.get<std::string>());
  for (const auto &[name, value] : c["scalars"].items())
    request.args.push_back(name + "=" + scalarText(value));
  if (c.contains("grid"))
    for (const auto &extent : c["grid"])
      request.grid += (request.grid.empty() ? "" : ",") + scalarText(extent);

  Diagnostics diags;
  auto loaded = driver::load(folder + "/kernel.pho", {}, diags);
  auto failed = [&] { return Outcome{Verdict::Failed, renderText(diags, loaded->sources)}; };
  Point point;
  const ast::Kernel *kernel =
      diags.hasErrors() || !driver::readPoint(request.point, "--point", point, diags)
          ? nullptr
          : driver::selectKernel(*loaded->file, c.value("kernel", std::string()), diags);
  auto typed = kernel ? driver::checkAt(*loaded, *kernel, point, diags) : nullptr;
  driver::PreparedLaunch prepared;
  if (!typed || !driver::prepareLaunch(*typed, driver::contractOf(*typed), request, prepared, diags))
    return failed();
  auto judge = [&](const driver::HostArguments &got) {
    std::string why;
    for (size_t i = 0; i < typed->params.size() && why.empty(); ++i)
      if (const std::string &name = typed->params[i].name; c["expect"].contains(name))
        why = judgeCase(name, got.arrays[i], folder + "/" + c["expect"][name].get<std::string>(),
                        c["rtol"].get<double>(), c["atol"].get<double>());
    return why;
  };
  return launch(*typed, loaded->sources, target, prepared.arguments, prepared.launch, how, judge);
}

} // namespace phobos::emulate
