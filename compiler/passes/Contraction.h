// A contraction loop, found by what it computes: acc += dot(a, b) over slices that advance along k.
// docs/contractions.md lists the forms.
#pragma once
#include "compiler/ir/Pho.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>
#include <string>

namespace phobos::passes {

/// One operand: a slice of a tensor, read in every step, perhaps transposed, converted or computed on before
/// it is multiplied.
struct ContractionOperand {
  pho::LoadOp load;
  unsigned kAxis = 0,
           freeAxis = 0;  ///< axes of the tensor: the one summed over; the one that is m (of a) or n (of b)
  bool converted = false; ///< the elements' type changes on the way
  bool computed = false;  ///< elementwise work on the way, or a fill other than 0
};

struct Contraction {
  mlir::scf::ForOp loop;
  pho::DotOp dot;
  unsigned iterArg = 0; ///< the accumulator's place among the loop's carried values
  int64_t m = 0, n = 0, k = 0;
  int64_t advance = 0; ///< how far both slices move along k in one step
  ContractionOperand a, b;
  bool pure = false; ///< the loop does nothing else
};

/// A product and what it was found to be: a contraction, or why not, in the user's terms.
struct ContractionMatch {
  std::optional<Contraction> found;
  std::string whyNot;
};

ContractionMatch matchContraction(pho::DotOp dot);
/// Of the loop's products; the first that is a contraction.
std::optional<Contraction> contractionOf(mlir::scf::ForOp loop);

} // namespace phobos::passes
