// Elementwise built-ins.
#include "compiler/sema/Checker.h"
#include <cstdlib>

namespace phobos::sema {

using S = ScalarType;
using I = BuiltinId;

static Op mathOp(BuiltinId id) {
  switch (id) {
  case I::exp2:
    return Op::Exp2;
  case I::log:
    return Op::Log;
  case I::log2:
    return Op::Log2;
  case I::sqrt:
    return Op::Sqrt;
  case I::rsqrt:
    return Op::Rsqrt;
  case I::tanh:
    return Op::Tanh;
  case I::sigmoid:
    return Op::Sigmoid;
  case I::erf:
    return Op::Erf;
  case I::sin:
    return Op::Sin;
  case I::cos:
    return Op::Cos;
  case I::floor:
    return Op::Floor;
  case I::ceil:
    return Op::Ceil;
  case I::round:
    return Op::Round;
  default:
    return Op::Exp;
  }
}

/// A float: an integer literal becomes f32, f8 is computed in f32.
Expr *Checker::floatOperand(ast::ExprP e, std::string_view what) {
  Value v = check(e);
  if (v.isLiteral())
    return adapt(*v.literal, S::F32);
  Expr *x = typed(v);
  if (!x)
    return nullptr;
  if (!isFloat(x->type.elem)) {
    report(diag::WrongOperand, e->range, what, "a float", str(x->type)).help("write f32(..) around it");
    return nullptr;
  }
  return bitWidth(x->type.elem) == 8 ? convert(x, S::F32, x->range) : x;
}

Value Checker::floatMath(const BuiltinCall &c) {
  Expr *x = floatOperand(c.args[0], c.quoted());
  return x ? Value::typed(node(mathOp(c.builtin.id), x->type, c.source.range, {x})) : Value::error();
}

Value Checker::absolute(const BuiltinCall &c) {
  Expr *x = checkTyped(c.args[0]);
  if (!x)
    return Value::error();
  S t = x->type.elem;
  if (t == S::Bool) {
    report(diag::WrongOperand, c.args[0]->range, c.quoted(), "a number", str(x->type));
    return Value::error();
  }
  if (isInteger(t) && !isSigned(t))
    return Value::typed(x);
  if (auto n = constant(x))
    if (auto r = *n < 0 ? foldInteger(Op::Sub, t, 0, *n) : n)
      return Value::typed(intNode(*r, t, c.source.range));
  if (isFloat(t) && bitWidth(t) == 8)
    x = convert(x, S::F32, x->range);
  return Value::typed(node(Op::Abs, x->type, c.source.range, {x}));
}

/// Two operands of one type and shape; `kind` says which types: "floats", "integers" or "numbers".
bool Checker::operands(Value a, Value b, std::string_view what, std::string_view kind, SourceRange range,
                       Expr *&x, Expr *&y) {
  if (!unify(a, b, x, y, true, what, range))
    return false;
  S t = x->type.elem;
  bool fits = kind == "floats" ? isFloat(t) : kind == "integers" ? isInteger(t) : t != S::Bool;
  if (!fits) {
    report(diag::WrongOperand, range, what, kind, str(x->type));
    return false;
  }
  return unifyShapes(x, y, range);
}

Value Checker::power(const BuiltinCall &c) {
  Value a = check(c.args[0]), b = check(c.args[1]);
  Expr *x, *y;
  if (a.isLiteral() && b.isLiteral()) // pow(2, 3) is of floats as pow(2.0, 3.0) is
    a = Value::typed(adapt(*a.literal, S::F32));
  if (!operands(a, b, c.quoted(), "floats", c.source.range, x, y))
    return Value::error();
  return Value::typed(node(Op::Pow, x->type, c.source.range, {x, y}));
}

Value Checker::fusedMultiplyAdd(const BuiltinCall &c) {
  Value a = check(c.args[0]), b = check(c.args[1]), d = check(c.args[2]);
  Expr *x, *y, *p, *z;
  SourceRange range = c.source.range;
  if (a.isLiteral() && b.isLiteral()) { // literals adapt to the one operand that has a type
    if (!operands(a, d, c.quoted(), "floats", range, x, z))
      return Value::error();
    a = Value::typed(x);
  }
  if (!operands(a, b, c.quoted(), "floats", range, x, y) ||
      !operands(Value::typed(x), d, c.quoted(), "floats", range, p, z))
    return Value::error();
  y = convert(y, p->type.elem, y->range);
  if (p->type.isTile())
    y = broadcast(y, p->type.shape, y->range);
  return Value::typed(node(Op::Fma, p->type, range, {p, y, z}));
}

Value Checker::extreme(const BuiltinCall &c) {
  Value a = check(c.args[0]), b = check(c.args[1]);
  bool isMax = c.builtin.id == I::max || c.builtin.id == I::tmax;
  Expr *x, *y;
  if (!operands(a, b, c.quoted(), "numbers", c.source.range, x, y))
    return Value::error();
  return Value::typed(elementwise(isMax ? Op::Max : Op::Min, x->type.elem, x, y, c.source.range));
}

Value Checker::whereSelect(const BuiltinCall &c) {
  Expr *condition = checkTyped(c.args[0]);
  Value a = check(c.args[1]), b = check(c.args[2]);
  if (!condition)
    return Value::error();
  if (condition->type.elem != S::Bool) {
    report(diag::WrongOperand, c.args[0]->range, "the condition of 'where'", "bool", str(condition->type))
        .help("compare it: " + ast::str(c.args[0]) + " != 0");
    return Value::error();
  }
  return select(Op::Where, condition, a, b, c.source.range);
}

Value Checker::clampTo(const BuiltinCall &c) {
  Value v = check(c.args[0]), lo = check(c.args[1]), hi = check(c.args[2]);
  Expr *x, *l, *m, *h;
  SourceRange range = c.source.range;
  if (!operands(v, lo, c.quoted(), "numbers", range, x, l))
    return Value::error();
  Expr *atLeast = elementwise(Op::Max, x->type.elem, x, l, range);
  if (!operands(Value::typed(atLeast), hi, c.quoted(), "numbers", range, m, h))
    return Value::error();
  return Value::typed(elementwise(Op::Min, m->type.elem, m, h, range));
}

Value Checker::quotientUp(const BuiltinCall &c) {
  Value a = check(c.args[0]), b = check(c.args[1]);
  Expr *x, *y;
  if (!operands(a, b, c.quoted(), "integers", c.source.range, x, y))
    return Value::error();
  return Value::typed(elementwise(Op::CDiv, x->type.elem, x, y, c.source.range));
}

Value Checker::random(const BuiltinCall &c) {
  std::vector<Expr *> both;
  for (ast::ExprP e : c.args) {
    Value v = check(e);
    Expr *x = v.isLiteral() ? adapt(*v.literal, S::I64) : typed(v);
    if (x && !isInteger(x->type.elem)) {
      report(diag::WrongOperand, e->range, c.quoted(), "integers", str(x->type));
      x = nullptr;
    }
    both.push_back(x ? convert(x, S::I64, x->range) : nullptr);
  }
  Expr *seed = both[0], *offset = both[1];
  if (!seed || !offset || !unifyShapes(seed, offset, c.source.range))
    return Value::error();
  return Value::typed(node(Op::Rand, offset->type.withElem(S::F32), c.source.range, {seed, offset}));
}

} // namespace phobos::sema
