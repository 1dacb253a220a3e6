#include "compiler/target/nvptx/PtxVersion.h"
#include <algorithm>
#include <cctype>
#include <iterator>

namespace phobos::nvptx {

// From the release notes of the PTX ISA.
unsigned leastPtxVersion(const Options &o) {
  switch (o.sm) {
  case 75:
    return 63;
  case 80:
    return 70;
  case 86:
    return 71;
  case 87:
    return 74;
  case 88:
    return 90;
  case 89:
    return 78;
  case 90:
    return o.archSpecific ? 80 : 78;
  case 100:
  case 101:
    return 86;
  case 120:
    return 87;
  case 103:
  case 121:
    return 88;
  default: // unknown ones between are taken as the next known one
    return o.sm < 80 ? 63 : o.sm < 89 ? 74 : o.sm < 100 ? 80 : 90;
  }
}

unsigned usualPtxVersion(const Options &o) {
  return std::max(leastPtxVersion(o), o.sm >= 89 ? 84u : o.sm < 80 ? 65u : 0u);
}

std::string ptxVersionText(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

unsigned parsePtxVersion(const std::string &text) {
  auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  if (text.size() != 3 || text[1] != '.' || !isDigit(text[0]) || !isDigit(text[2]))
    return 0;
  return static_cast<unsigned>((text[0] - '0') * 10 + (text[2] - '0'));
}

bool choosePtxVersion(Options &options, const PtxSources &sources, std::string &error) {
  // The versions that exist: what is asked for must be one of them.
  static constexpr unsigned known[] = {63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77,
                                       78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};
  const unsigned least = leastPtxVersion(options);
  const std::string needs = processorName(options) + " needs PTX " + ptxVersionText(least);
  const std::string driver = "the driver found (CUDA " + std::to_string(sources.driverCuda / 1000) + "." +
                             std::to_string(sources.driverCuda % 1000 / 10) + ") takes PTX up to " +
                             ptxVersionText(sources.driver);
  if (sources.driver && sources.driver < least) {
    error = needs + ", but " + driver;
    return false;
  }
  if (sources.asked) {
    const std::string asked = "--ptx gives " + ptxVersionText(sources.asked);
    if (sources.asked < least)
      error = needs + ", but " + asked;
    else if (sources.asked > newestPtxVersion)
      error = asked + ", but this compiler writes PTX up to " + ptxVersionText(newestPtxVersion);
    else if (std::find(std::begin(known), std::end(known), sources.asked) == std::end(known))
      error = asked + ", but there is no such version of PTX";
    else if (sources.driver && sources.asked > sources.driver)
      error = asked + ", but " + driver;
    options.ptxVersion = sources.asked;
    return error.empty();
  }
  options.ptxVersion = usualPtxVersion(options);
  if (!sources.driver)
    return true;
  // The driver need not read the PTX where a cubin is made of it, but it is there to fall back on: both take
  // what is written.
  unsigned newest = std::min(sources.driver, newestPtxVersion);
  if (sources.assembler)
    newest = std::min(newest, std::max(sources.assembler, least));
  for (unsigned version : known)
    if (version >= least && version <= newest)
      options.ptxVersion = version;
  return true;
}

} // namespace phobos::nvptx
