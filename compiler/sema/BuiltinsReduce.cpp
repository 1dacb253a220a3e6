// Reductions, scans, triangles and products of tiles.
#include "compiler/sema/Checker.h"

namespace phobos::sema {

using S = ScalarType;
using I = BuiltinId;

static Reduction reductionOf(BuiltinId id) {
  switch (id) {
  case I::rowmax:
  case I::colmax:
  case I::max:
  case I::cummax:
  case I::rowargmax:
    return Reduction::Max;
  case I::rowmin:
  case I::colmin:
  case I::min:
  case I::rowargmin:
    return Reduction::Min;
  case I::rowprod:
  case I::cumprod:
    return Reduction::Prod;
  default:
    return Reduction::Sum;
  }
}

/// The operand in the type that the reduction works in: sums and products in a wide one, extremes in its own.
Expr *Checker::reductionOperand(const BuiltinCall &c, Reduction r) {
  Expr *x = tileOperand(c.args[0], c.quoted());
  if (!x)
    return nullptr;
  if (r == Reduction::Sum || r == Reduction::Prod)
    return convert(x, accumulatorOf(x->type.elem), x->range);
  if (x->type.elem == S::Bool) {
    report(diag::WrongOperand, c.args[0]->range, c.quoted(), "numbers", str(x->type))
        .help("count with a sum: sum(t) > 0");
    return nullptr;
  }
  return x;
}

Value Checker::reduced(const BuiltinCall &c) {
  Reduction r = reductionOf(c.builtin.id);
  Expr *x = reductionOperand(c, r);
  if (!x)
    return Value::error();
  bool columns = c.builtin.name.starts_with("col");
  int axis = x->type.rank() == 1 || columns ? 0 : 1;
  Type result = x->type;
  result.shape[static_cast<size_t>(axis)] = 1;
  Expr *n = node(Op::Reduce, result, c.source.range, {x});
  n->reduction = r;
  n->axis = axis;
  return Value::typed(n);
}

Value Checker::argReduced(const BuiltinCall &c) {
  Reduction r = reductionOf(c.builtin.id);
  Expr *x = reductionOperand(c, r);
  if (!x)
    return Value::error();
  int axis = x->type.rank() == 1 ? 0 : 1;
  Type result = x->type.withElem(S::I32);
  result.shape[static_cast<size_t>(axis)] = 1;
  Expr *n = node(Op::ArgReduce, result, c.source.range, {x});
  n->reduction = r;
  n->axis = axis;
  return Value::typed(n);
}

Value Checker::reducedWhole(const BuiltinCall &c) {
  Reduction r = reductionOf(c.builtin.id);
  Expr *x = reductionOperand(c, r);
  if (!x)
    return Value::error();
  Expr *n = node(Op::Reduce, Type::scalar(x->type.elem), c.source.range, {x});
  n->reduction = r;
  n->axis = -1;
  return Value::typed(n);
}

Value Checker::scanned(const BuiltinCall &c) {
  Reduction r = reductionOf(c.builtin.id);
  Expr *x = reductionOperand(c, r);
  auto axis = x ? axisArgument(c.args[1], x->type.rank(), 0) : std::nullopt;
  if (!axis)
    return Value::error();
  Expr *n = node(Op::Scan, x->type, c.source.range, {x});
  n->reduction = r;
  n->axis = *axis;
  return Value::typed(n);
}

Value Checker::triangle(const BuiltinCall &c) {
  Expr *x = tileOperand(c.args[0], c.quoted());
  std::optional<int64_t> k = c.args[1] ? constantArgument(c.args[1], "the diagonal") : 0;
  if (!x || !k)
    return Value::error();
  if (x->type.rank() != 2) {
    report(diag::WrongOperand, c.args[0]->range, c.quoted(), "a tile of rank 2", str(x->type));
    return Value::error();
  }
  Expr *n = node(c.builtin.id == I::tril ? Op::Tril : Op::Triu, x->type, c.source.range, {x});
  n->intValue = *k;
  return Value::typed(n);
}

/// a @ b, or a @ transpose(b). Different types are joined first; equal ones stay, so that f8 reaches the
/// hardware as f8.
Value Checker::product(const BuiltinCall &c) {
  Expr *a = tileOperand(c.args[0], c.quoted()), *b = tileOperand(c.args[1], c.quoted());
  if (!a || !b)
    return Value::error();
  for (Expr *x : {a, b})
    if (x->type.rank() != 2) {
      report(diag::WrongOperand, x->range, c.quoted(), "tiles of rank 2", str(x->type));
      return Value::error();
    }
  if (!unify(Value::typed(a), Value::typed(b), a, b, false, c.quoted(), c.source.range))
    return Value::error();
  S t = a->type.elem;
  if (t == S::Index || t == S::Bool) { // a product of bools counts
    a = convert(a, t == S::Bool ? S::I8 : S::I64, a->range);
    b = convert(b, a->type.elem, b->range);
  }
  bool transposeB = c.builtin.id == I::dot_t;
  int64_t inner = b->type.shape[transposeB ? 1 : 0], n = b->type.shape[transposeB ? 0 : 1];
  if (a->type.shape[1] != inner) {
    auto message = report(diag::InnerExtentsDiffer, c.source.range, c.quoted(), a->type.shape[1], inner);
    message.note(a->range, "this is " + str(a->type)).note(b->range, "this is " + str(b->type));
    if (!transposeB && a->type.shape[1] == n)
      message.help("dot_t(a, b) takes the second operand transposed");
    return Value::error();
  }
  Type result = Type::tile(accumulatorOf(a->type.elem), {a->type.shape[0], n});
  if (!checkTileSize(result, c.source.range))
    return Value::error();
  Expr *e = node(Op::Dot, result, c.source.range, {a, b});
  e->transposeB = transposeB;
  return Value::typed(e);
}

} // namespace phobos::sema
