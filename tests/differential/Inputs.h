// The first lines of a program, and the arguments that they describe:
//
//   //! seed 17            of all values
//   //! dim M 23           a runtime dimension
//   //! in A quarters      an input: integers, bools, quarters (multiples of 1/4), specials (and NaN,
//   infinities, -0), edges (any bits, denormals, the largest)
//   //! out O 1e-6         an output (filled before, too) and the largest difference that targets may show; 0
//   is equality
#pragma once
#include "compiler/driver/Execute.h"
#include <map>

namespace phobos::differential {

struct Header {
  uint64_t seed = 0;
  std::vector<std::pair<std::string, int64_t>> dims;
  std::map<std::string, std::string> inputs;
  std::map<std::string, double> outputs;
};

Header readHeader(const std::string &text);

/// Arguments for `contract`; the same for the same header. False with a reason where the header does not
/// serve.
bool makeArguments(const Contract &contract, const Header &header, driver::HostArguments &arguments,
                   BoundLaunch &launch, std::string &error);

} // namespace phobos::differential
