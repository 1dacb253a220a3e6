// Programs that do nothing but multiply and add, as fast as a GPU's processor can: what a product of a type
// is measured against. PTX text alone; no driver is needed to make it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace phobos::kbench {

/// One kernel, `products(.param .u64 out, .param .u32 trips)`; `out` is written only if a sum has one value
/// in 2^32, so that nothing before it can be left out.
struct ProductProgram {
  std::string ptx;
  std::string how; ///< the instruction: `wgmma m64n256k16`, `fma`
  uint32_t threads = 256, blocksPerProcessor = 1;
  double flopsPerTrip = 0; ///< of a block
};

/// For products of `type` (an element type's name, or `tf32`) on a processor of compute capability `sm`
/// (10 * major + minor): the fastest unit that takes operands of this type, or, where there is none, of the
/// narrowest type that holds them. Nullopt where no unit is known.
std::optional<ProductProgram> productProgram(const std::string &type, unsigned sm);

} // namespace phobos::kbench
