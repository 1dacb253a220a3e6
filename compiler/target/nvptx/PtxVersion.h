// Which version of PTX is written: what the processor needs at least, what the back end, the driver and the
// assembler take at most. Versions are 10 * major + minor.
#pragma once
#include "compiler/target/nvptx/Nvptx.h"
#include <string>

namespace phobos::nvptx {

/// The newest that the back end writes.
constexpr unsigned newestPtxVersion = 90;

/// Who else has a say. 0: nobody asked, or not there.
struct PtxSources {
  unsigned asked = 0;     ///< `--ptx`
  int driverCuda = 0;     ///< CUDA version of the driver found, 1000 * major + 10 * minor
  unsigned driver = 0;    ///< the newest PTX that this driver takes
  unsigned assembler = 0; ///< the newest that the assembler found takes, where that is known
};

/// The version that introduced the processor: nothing older can name it.
unsigned leastPtxVersion(const Options &options);
/// What is written where nothing is known of driver and assembler: the oldest that has all instructions the
/// target uses (products of f8 came with 8.4).
unsigned usualPtxVersion(const Options &options);

/// Sets `options.ptxVersion`: what is asked for; else the newest that driver and assembler both take; else
/// the usual one. False with a message that names what the processor needs and what is given by whom, where
/// those do not meet.
bool choosePtxVersion(Options &options, const PtxSources &sources, std::string &error);

/// `8.4`
std::string ptxVersionText(unsigned version);
/// Reads `8.4`; 0 for what is not a version.
unsigned parsePtxVersion(const std::string &text);

} // namespace phobos::nvptx
