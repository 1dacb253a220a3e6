#include "compiler/driver/Compile.h"
#include <cassert>

namespace phobos::driver {

using sema::Op;
using H = HostExpr::Op;

static std::optional<H> hostOp(Op op) {
  switch (op) {
  case Op::Neg:
    return H::Neg;
  case Op::Not:
    return H::Not;
  case Op::BitNot:
    return H::BitNot;
  case Op::Add:
    return H::Add;
  case Op::Sub:
    return H::Sub;
  case Op::Mul:
    return H::Mul;
  case Op::Div:
    return H::Div;
  case Op::Rem:
    return H::Rem;
  case Op::CDiv:
    return H::CDiv;
  case Op::And:
    return H::And;
  case Op::Or:
    return H::Or;
  case Op::Xor:
    return H::Xor;
  case Op::Shl:
    return H::Shl;
  case Op::Shr:
    return H::Shr;
  case Op::Max:
    return H::Max;
  case Op::Min:
    return H::Min;
  case Op::Eq:
    return H::Eq;
  case Op::Ne:
    return H::Ne;
  case Op::Lt:
    return H::Lt;
  case Op::Le:
    return H::Le;
  case Op::Gt:
    return H::Gt;
  case Op::Ge:
    return H::Ge;
  case Op::LogicalAnd:
    return H::LogicalAnd;
  case Op::LogicalOr:
    return H::LogicalOr;
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
