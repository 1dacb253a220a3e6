#include "kbench/analysis/Gemm.h"
#include <algorithm>

namespace phobos::kbench {
namespace {

bool hasDot(const sema::TypedKernel &kernel) {
  return std::any_of(kernel.exprs.begin(), kernel.exprs.end(),
                     [](const sema::Expr &e) { return e.op == sema::Op::Dot; });
}

bool isEqual(const ContractExtent &a, const ContractExtent &b) {
  return a.fixed == b.fixed && a.value == b.value;
}

bool isBlasType(ScalarType t) {
  return t == ScalarType::F16 || t == ScalarType::BF16 || t == ScalarType::F32 || t == ScalarType::F64;
}

} // namespace

std::optional<PlainGemm> recogniseGemm(const sema::TypedKernel &kernel, const Contract &contract) {
  const auto &params = contract.params;
  if (params.size() != 3 || !hasDot(kernel))
    return std::nullopt;
  for (const ContractParam &p : params)
    if (!p.isTensor || p.extents.size() != 2 || !isBlasType(p.elem))
      return std::nullopt;
  // C is the one that is written; of the others A comes first, unless only the other order fits.
  for (auto [a, b, c] :
       {std::array<size_t, 3>{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
    const ContractParam &pa = params[a], &pb = params[b], &pc = params[c];
    if (!pc.isWritten || pc.isRead || pa.isWritten || pb.isWritten || pa.elem != pb.elem)
      continue;
    const bool outFits = pc.elem == pa.elem || (pc.elem == ScalarType::F32 && pa.elem != ScalarType::F64);
    if (outFits && isEqual(pa.extents[1], pb.extents[0]) && isEqual(pa.extents[0], pc.extents[0]) &&
        isEqual(pb.extents[1], pc.extents[1]))
      return PlainGemm{a, b, c, pa.elem, pc.elem, pa.extents[0], pb.extents[1], pa.extents[1]};
  }
  return std::nullopt;
}

} // namespace phobos::kbench
