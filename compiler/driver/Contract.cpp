#include "compiler/driver/Compile.h"
#include <cassert>

namespace phobos::driver {

using sema::Op;
using H = HostExpr::Op;

static std::optional<H> hostOp(Op op) {
  switch (op) {
#define INTEGER_PREFIX(NAME, TEXT)                                                                           \
  case Op::NAME:                                                                                             \
    return H::NAME;
#define INTEGER_INFIX INTEGER_PREFIX
#define INTEGER_CALL INTEGER_PREFIX
#include "runtime/contract/IntegerOps.def"
  case Op::Conditional:
    return H::Conditional;
  default:
    return std::nullopt;
  }
}

static HostExpr hostExpr(sema::ExprP e) {
  switch (e->op) {
  case Op::Int:
  case Op::Bool:
    return HostExpr::constant(e->intValue);
  case Op::Dim:
    return HostExpr::dim(e->dim);
  case Op::Convert:
    return hostExpr(e->args[0]); // extents are index already; sema allows nothing narrower here
  case Op::Where:
    return {H::Conditional, 0, {hostExpr(e->args[1]), hostExpr(e->args[0]), hostExpr(e->args[2])}};
  default:
    break;
  }
  auto op = hostOp(e->op);
  assert(op && "sema lets only dimensions, constants and arithmetic into a launch expression");
  HostExpr out{op.value_or(H::Const), 0, {}};
  for (sema::ExprP a : e->args)
    out.args.push_back(hostExpr(a));
  return out;
}

Contract contractOf(const sema::TypedKernel &k) {
  Contract c;
  c.kernel = k.name;
  c.dims = k.dims;
  for (const sema::Param &p : k.params) {
    ContractParam out{p.name, p.isTensor, p.elem, {}, p.isRead, p.isWritten};
    for (const sema::Extent &e : p.extents)
      out.extents.push_back(e.fixed ? ContractExtent{true, *e.fixed} : ContractExtent{false, e.dim});
    c.params.push_back(std::move(out));
  }
  c.gridFromHost = k.grid.fromHost;
  c.inferredGrid.resize(3);
  for (size_t axis = 0; axis < 3; ++axis) {
    if (k.grid.axes[axis])
      c.grid[axis] = hostExpr(k.grid.axes[axis]);
    if (k.grid.inferred[axis])
      c.inferredGrid[axis] = hostExpr(k.grid.inferred[axis]);
  }
  for (const sema::Require &r : k.requires_)
    c.requires_.push_back({hostExpr(r.condition), r.text, r.reason, r.values});
  for (const sema::Aligned &a : k.aligned)
    c.aligned.push_back({a.dim, a.multiple});
  return c;
}

} // namespace phobos::driver
