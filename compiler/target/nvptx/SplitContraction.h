// SPLIT_K: several blocks share a tile of the result, each over a part of k.
#pragma once
#include "compiler/legality/Legality.h"

namespace mlir {
class Operation;
}

namespace phobos::nvptx {

/// Where the point sets SPLIT_K = S > 1 and the kernel has a recognised contraction loop: of its n steps each
/// of S blocks takes n / S, and the first n % S of them one more (so some take none if n < S). The sums begin
/// as written in part 0 and at 0 in the others; after the loop phog.combine_parts adds them up. The function
/// gets `phog.parts`. What cannot be split breaks a rule of the list `gpu`. On tile IR, before layouts.
legality::Verdict splitContraction(mlir::Operation *func);

/// The value of SPLIT_K where it means something, else 1.
int64_t partsOf(mlir::Operation *func);

} // namespace phobos::nvptx
