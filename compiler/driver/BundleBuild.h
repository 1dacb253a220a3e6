// Kernels of a file at points for targets, as a bundle.
#pragma once
#include "compiler/driver/Compile.h"
#include "runtime/bundle/Bundle.h"
#include <functional>
#include <string>
#include <vector>

namespace phobos::driver {

struct BundleRequest {
  std::vector<std::string> kernels; ///< empty: all of the file
  std::vector<std::string> targets = {"cpu"};
  /// `TILE_M=64 TILE_N=32`, or `TILE_M=64 .. @ M <= 1024`: with the extents it serves, over runtime dimension
  /// names. Empty: first choices.
  std::vector<std::string> points;
  unsigned ptx = 0; ///< version of PTX, 10 * major + minor; 0: the usual one of each target
  sema::CheckOptions check;
  std::function<void(const std::string &)> doing = {}; ///< told what may take long, before it is begun
};

/// False with errors in `diags`.
bool buildBundle(const LoadedFile &loaded, const BundleRequest &request, Bundle &bundle, Diagnostics &diags);

/// `phobos 0.1.0 build 9c1d07aa4be2 (LLVM 22.1.8)`: which compiler wrote a bundle; part of every cache key.
std::string compilerBuild();

/// This machine's processor, with the features that code for it may use.
std::string hostProcessor();

/// SHA-256, 64 hexadecimal digits.
std::string bytesHash(std::string_view bytes);
/// bytesHash of the text with what does not matter made alike: line endings and trailing blanks.
std::string sourceHash(std::string_view text);

} // namespace phobos::driver
