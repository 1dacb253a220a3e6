// Built-ins about shapes, and those that read the shape environment.
#include "compiler/sema/Checker.h"
#include <algorithm>

namespace phobos::sema {

using S = ScalarType;
using I = BuiltinId;

Expr *Checker::tileOperand(ast::ExprP e, std::string_view what) {
  Expr *x = checkTyped(e);
  if (!x || x->type.isTile())
    return x;
  report(diag::WrongOperand, e->range, what, "a tile", str(x->type));
  return nullptr;
}

Value Checker::transposed(const BuiltinCall &c) {
  Expr *x = tileOperand(c.args[0], c.quoted());
  if (!x)
    return Value::error();
  if (x->type.rank() != 2) {
    report(diag::WrongOperand, c.args[0]->range, c.quoted(), "a tile of rank 2", str(x->type));
    return Value::error();
  }
  return Value::typed(node(Op::Transpose, Type::tile(x->type.elem, {x->type.shape[1], x->type.shape[0]}),
                           c.source.range, {x}));
}

Value Checker::coordinate(const BuiltinCall &c) {
  auto shape = shapeList(c.args[1], "iota");
  auto axis = shape ? axisArgument(c.args[0], static_cast<unsigned>(shape->size()), 0) : std::nullopt;
  if (!axis)
    return Value::error();
  Expr *n = node(Op::Iota, Type::tile(S::I32, *shape), c.source.range);
  n->axis = *axis;
  return Value::typed(n);
}

Value Checker::filled(const BuiltinCall &c) {
  const ast::TypeExpr &written = *c.source.typeArg;
  bool scalar = written.kind == ast::TypeExpr::Kind::Scalar;
  if (!scalar)
    report(diag::TypeArgument, written.range, c.builtin.name,
           "needs an element type, as in " + std::string(c.builtin.name) + "<f32>");
  auto t = scalar ? scalarType(written.elem) : std::nullopt;
  auto shape = shapeList(c.args[0], c.builtin.name);
  Value x = c.builtin.id == I::full ? check(c.args[1]) : Value::error();
  if (!t || !shape)
    return Value::error();
  Expr *value;
  if (c.builtin.id == I::full)
    value = coerce(x, Type::scalar(*t), Use::Fill, c.args[1]->range);
  else
    value = *t == S::Bool ? boolNode(false, c.source.range)
            : isFloat(*t) ? floatNode(0, *t, c.source.range)
                          : intNode(0, *t, c.source.range);
  return value ? Value::typed(broadcast(value, *shape, c.source.range)) : Value::error();
}

Value Checker::flattened(const BuiltinCall &c) {
  Expr *x = tileOperand(c.args[0], c.quoted());
  return x ? Value::typed(
                 node(Op::Reshape, Type::tile(x->type.elem, {1, x->type.elements()}), c.source.range, {x}))
           : Value::error();
}

Value Checker::reshaped(const BuiltinCall &c) {
  Expr *x = tileOperand(c.args[0], c.quoted());
  auto shape = shapeList(c.args[1], "reshape");
  if (!x || !shape)
    return Value::error();
  Type to = Type::tile(x->type.elem, *shape);
  if (to.elements() != x->type.elements()) {
    report(diag::ReshapeElements, c.source.range, str(x->type.shape), str(*shape), x->type.elements(),
           to.elements());
    return Value::error();
  }
  return Value::typed(to == x->type ? x : node(Op::Reshape, to, c.source.range, {x}));
}

Value Checker::broadcasted(const BuiltinCall &c) {
  Expr *x = checkTyped(c.args[0]);
  auto shape = shapeList(c.args[1], "broadcast");
  if (!x || !shape)
    return Value::error();
  auto joined = joinShapes(x->type, Type::tile(x->type.elem, *shape));
  if (!joined || *joined != *shape) {
    report(diag::ShapesDiffer, c.source.range, str(x->type.shape), str(*shape))
        .help("only extents of 1 are repeated");
    return Value::error();
  }
  return Value::typed(broadcast(x, *shape, c.source.range));
}

Value Checker::concatenated(const BuiltinCall &c) {
  Expr *a = tileOperand(c.args[0], c.quoted()), *b = tileOperand(c.args[1], c.quoted());
  if (!a || !b || !unify(Value::typed(a), Value::typed(b), a, b, false, c.quoted(), c.source.range))
    return Value::error();
  if (a->type.rank() != b->type.rank()) {
    report(diag::ShapesDiffer, c.source.range, str(a->type.shape), str(b->type.shape))
        .help("both must have the same rank");
    return Value::error();
  }
  auto axis = axisArgument(c.args[2], a->type.rank(), 0);
  if (!axis)
    return Value::error();
  Type result = a->type;
  for (size_t i = 0; i < result.shape.size(); ++i) {
    if (i == static_cast<size_t>(*axis)) {
      result.shape[i] += b->type.shape[i];
    } else if (a->type.shape[i] != b->type.shape[i]) {
      report(diag::ShapesDiffer, c.source.range, str(a->type.shape), str(b->type.shape))
          .help("extents off the axis must be equal");
      return Value::error();
    }
  }
  if (!checkTileSize(result, c.source.range))
    return Value::error();
  Expr *n = node(Op::Cat, result, c.source.range, {a, b});
  n->axis = *axis;
  return Value::typed(n);
}

Value Checker::extentOf(const BuiltinCall &c) {
  Value v = check(c.args[0]);
  if (v.isError())
    return v;
  if (v.kind == Value::Kind::Tensor) {
    auto axis = axisArgument(c.args[1], static_cast<unsigned>(out_->params[v.tensor].extents.size()), 0);
    if (!axis)
      return Value::error();
    Extent e = out_->params[v.tensor].extents[static_cast<size_t>(*axis)];
    if (e.fixed)
      return Value::typed(intNode(*e.fixed, S::Index, c.source.range));
    Expr *n = node(Op::Dim, Type::scalar(S::Index), c.source.range);
    n->dim = e.dim;
    return Value::typed(n);
  }
  Expr *x = typed(v);
  if (x && !x->type.isTile()) {
    report(diag::WrongOperand, c.args[0]->range, c.quoted(), "a tensor or a tile", str(x->type));
    return Value::error();
  }
  auto axis = x ? axisArgument(c.args[1], x->type.rank(), 0) : std::nullopt;
  return axis ? Value::typed(intNode(x->type.shape[static_cast<size_t>(*axis)], S::Index, c.source.range))
              : Value::error();
}

Value Checker::programId(const BuiltinCall &c) {
  auto axis = axisArgument(c.args[0], 3, 0);
  if (!axis)
    return Value::error();
  Expr *n = node(Op::BlockId, Type::scalar(S::Index), c.source.range);
  n->axis = *axis;
  return Value::typed(n);
}

Value Checker::bitcasted(const BuiltinCall &c) {
  const ast::TypeExpr &written = *c.source.typeArg;
  Expr *x = checkTyped(c.args[0]);
  if (written.kind != ast::TypeExpr::Kind::Scalar) {
    report(diag::TypeArgument, written.range, "bitcast", "needs an element type, as in bitcast<i32>");
    return Value::error();
  }
  auto t = scalarType(written.elem);
  if (!t || !x)
    return Value::error();
  S from = x->type.elem;
  if (bitWidth(from) != bitWidth(*t)) {
    report(diag::BitcastWidth, c.source.range, phobos::name(from), phobos::name(*t), bitWidth(from),
           bitWidth(*t));
    return Value::error();
  }
  return Value::typed(from == *t ? x : node(Op::Bitcast, x->type.withElem(*t), c.source.range, {x}));
}

} // namespace phobos::sema
