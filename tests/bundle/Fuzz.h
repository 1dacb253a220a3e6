// Bundles that are nearly right, and everything that a program does with a bundle short of running its code.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace phobos::test {

using Random = std::mt19937_64; // the same numbers on every machine

/// One to four changes of a sound bundle: a value of the payload replaced by one at an edge, of another kind
/// or from elsewhere in it; a field or element dropped, doubled or moved; bytes of a code image or of its ELF
/// tables; a cut. The checksum is made right again most times, so that the change is seen by what lies behind
/// it.
std::string mutateBundle(std::string_view bytes, Random &random);

/// How far a bundle got.
enum class Reached : uint8_t { Refused, Decoded, Loaded, Prepared };

/// Decodes, encodes and describes it, loads it for the CPU, asks all questions about its kernels, and
/// prepares launches of them. What is wrong with the runtime's answers (not with the bundle) is in `wrong`.
Reached useBundle(std::string_view bytes, std::string &wrong);

/// The bundles of tests/bundle/corpus.
std::vector<std::string> bundleCorpus();

} // namespace phobos::test
