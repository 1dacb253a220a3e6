// Nodes of the typed tree. Operations on scalar integers and bools that are known become numbers at once, so
// that slice lengths, tile extents and unroll factors written over the shape environment are numbers.
#include "compiler/sema/Checker.h"
#include "runtime/contract/Numeric.h"

namespace phobos::sema {

Expr *Checker::node(Op op, Type type, SourceRange range, std::vector<ExprP> args) {
  if (out_->exprs.size() > limits::kExpressionNodes && !tooLarge_) {
    tooLarge_ = true;
    report(diag::TooManyNodes, range, limits::kExpressionNodes);
  }
  Expr &e = out_->exprs.emplace_back();
  e.op = op;
  e.type = std::move(type);
  e.range = range;
  e.args = std::move(args);
  return &e;
}

Expr *Checker::intNode(int64_t value, ScalarType t, SourceRange range) {
  Expr *e = node(Op::Int, Type::scalar(t), range);
  e->intValue = value;
  return e;
}

Expr *Checker::floatNode(double value, ScalarType t, SourceRange range) {
  Expr *e = node(Op::Float, Type::scalar(t), range);
  e->floatValue = value;
  return e;
}

Expr *Checker::boolNode(bool value, SourceRange range) {
  Expr *e = node(Op::Bool, Type::scalar(ScalarType::Bool), range);
  e->intValue = value;
  return e;
}

std::optional<int64_t> Checker::constant(ExprP e) {
  if (e->op == Op::Int || e->op == Op::Bool)
    return e->intValue;
  return std::nullopt;
}

Expr *Checker::convert(Expr *e, ScalarType t, SourceRange range) {
  ScalarType from = e->type.elem;
  if (from == t)
    return e;
  if (t == ScalarType::Bool) { // any value but 0; a NaN is one
    Expr *zero = isFloat(from) ? floatNode(0, from, range) : intNode(0, from, range);
    return elementwise(Op::Ne, ScalarType::Bool, e,
                       e->type.isTile() ? broadcast(zero, e->type.shape, range) : zero, range);
  }
  if (auto n = constant(e); n && e->type.isScalar())
    return isFloat(t) ? floatNode(numeric::intToFloat(t, *n), t, range)
                      : intNode(numeric::wrapTo(t, *n), t, range);
  return node(Op::Convert, e->type.withElem(t), range, {e});
}

Expr *Checker::broadcast(Expr *e, const std::vector<int64_t> &shape, SourceRange range) {
  if (e->type.isTile() && e->type.shape == shape)
    return e;
  return node(Op::Broadcast, Type::tile(e->type.elem, shape), range, {e});
}

/// Operands of one type.
Expr *Checker::elementwise(Op op, ScalarType result, Expr *a, Expr *b, SourceRange range) {
  auto x = constant(a), y = constant(b);
  if (x && y && a->type.isScalar())
    if (auto n = foldInteger(op, a->type.elem, *x, *y))
      return result == ScalarType::Bool ? boolNode(*n != 0, range) : intNode(*n, result, range);
  return node(op, a->type.withElem(result), range, {a, b});
}

} // namespace phobos::sema
