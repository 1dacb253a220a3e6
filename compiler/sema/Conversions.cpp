// Literals that adapt, joins of two types, broadcasts, and what is converted without being asked
// (spec/types.md).
#include "compiler/sema/Checker.h"
#include <algorithm>
#include <cmath>

namespace phobos::sema {

using S = ScalarType;

static bool isF8(S t) { return t == S::F8E4M3 || t == S::F8E5M2; }

/// A literal (or an expression of literals alone) as type `t`; null where it does not fit, which is reported.
Expr *Checker::adapt(const Literal &l, S t) {
  std::string found = l.isFloat ? "a float" : "an integer";
  if (t == S::Bool || (l.isFloat && isInteger(t))) {
    report(diag::NeedsConversion, l.range, spelled(l), found, phobos::name(t))
        .help("write " + std::string(phobos::name(t)) + "(..)");
    return nullptr;
  }
  if (!l.isConstant) {
    Expr *a = adapt(*l.a, t), *b = l.b ? adapt(*l.b, t) : nullptr;
    if (!a || (l.b && !b))
      return nullptr;
    Value v =
        l.kind == Literal::Kind::Choice
            ? select(l.choice, l.condition, Value::typed(a), Value::typed(b), l.range)
        : l.kind == Literal::Kind::Binary
            ? binary(l.binary, Value::typed(a), Value::typed(b), l.range)
            : Value::typed(node(l.kind == Literal::Kind::Neg ? Op::Neg : Op::BitNot, a->type, l.range, {a}));
    return v.isTyped() ? v.expr : nullptr;
  }
  if (isInteger(t)) {
    auto n = integerValue(l);
    if (n && holds(t, *n))
      return intNode(static_cast<int64_t>(*n), t, l.range);
  } else if (auto x = floatValue(l, t)) {
    return floatNode(*x, t, l.range);
  }
  report(diag::LiteralDoesNotFit, l.range, spelled(l), phobos::name(t));
  return nullptr;
}

Expr *Checker::adaptDefault(const Literal &l) { return adapt(l, l.isFloat ? S::F32 : S::I32); }

std::optional<S> Checker::join(S a, S b) {
  if (a == b)
    return a;
  if (a == S::Bool || b == S::Bool)
    return std::nullopt;
  if (isFloat(a) && isFloat(b)) {
    if (bitWidth(a) <= 16 && bitWidth(b) <= 16)
      return S::F32; // f16 with bf16, any f8 with another
    return bitWidth(a) > bitWidth(b) ? a : b;
  }
  if (isFloat(a) || isFloat(b)) {
    S f = isFloat(a) ? a : b;
    return isF8(f) ? S::F32 : f;
  }
  if (a == S::Index || b == S::Index)
    return S::I64;
  if (isSigned(a) == isSigned(b))
    return bitWidth(a) > bitWidth(b) ? a : b;
  S s = isSigned(a) ? a : b, u = isSigned(a) ? b : a; // the narrowest signed type that holds both
  if (u == S::U32 || s == S::I64)
    return S::I64;
  return S::I32;
}

/// Without being asked: the same kind to wider, index and i64 to each other, f32 to f16 and bf16.
bool Checker::converts(S from, S to) {
  if (from == to)
    return true;
  if (from == S::Bool || to == S::Bool || isFloat(from) != isFloat(to))
    return false;
  if (isFloat(from))
    return bitWidth(from) < bitWidth(to) || (from == S::F32 && (to == S::F16 || to == S::BF16));
  return isSigned(from) == isSigned(to) && bitWidth(from) <= bitWidth(to);
}

bool Checker::unify(Value a, Value b, Expr *&x, Expr *&y, bool arithmetic, std::string_view what,
                    SourceRange range) {
  if (!needsValue(a) || !needsValue(b))
    return false;
  S t;
  if (a.isLiteral() && b.isLiteral()) {
    t = a.literal->isFloat || b.literal->isFloat ? S::F32 : S::I32;
  } else if (a.isLiteral() || b.isLiteral()) {
    const Literal &l = *(a.isLiteral() ? a : b).literal;
    t = (a.isLiteral() ? b : a).expr->type.elem;
    if (t == S::Bool) {
      report(diag::NoCommonType, range, what, a.isLiteral() ? spelled(l) : "bool",
             a.isLiteral() ? "bool" : spelled(l));
      return false;
    }
    if (l.isFloat && isInteger(t))
      t = S::F32;
  } else {
    auto joined = join(a.expr->type.elem, b.expr->type.elem);
    if (!joined) {
      report(diag::NoCommonType, range, what, str(a.expr->type), str(b.expr->type))
          .help("convert one of them, as in i32(..)");
      return false;
    }
    t = *joined;
  }
  if (arithmetic && isF8(t))
    t = S::F32;
  x = a.isLiteral() ? adapt(*a.literal, t) : convert(a.expr, t, a.expr->range);
  y = b.isLiteral() ? adapt(*b.literal, t) : convert(b.expr, t, b.expr->range);
  return x && y;
}

/// NumPy's rule: aligned at the last axis, an extent of 1 or a missing leading axis repeats. A scalar has no
/// axes.
std::optional<std::vector<int64_t>> Checker::joinShapes(const Type &a, const Type &b) {
  size_t rank = std::max(a.shape.size(), b.shape.size());
  std::vector<int64_t> shape(rank);
  for (size_t i = 0; i < rank; ++i) {
    auto at = [&](const Type &t) {
      return i + t.shape.size() < rank ? 1 : t.shape[i + t.shape.size() - rank];
    };
    int64_t p = at(a), q = at(b);
    if (p != q && p != 1 && q != 1)
      return std::nullopt;
    shape[i] = p == 1 ? q : p;
  }
  return shape;
}

bool Checker::unifyShapes(Expr *&x, Expr *&y, SourceRange range) {
  if (x->type.isScalar() && y->type.isScalar())
    return true;
  auto shape = joinShapes(x->type, y->type);
  if (!shape) {
    report(diag::ShapesDiffer, range, str(x->type.shape), str(y->type.shape))
        .help("extents must be equal or 1");
    return false;
  }
  if (!checkTileSize(Type::tile(x->type.elem, *shape), range))
    return false;
  x = broadcast(x, *shape, x->range);
  y = broadcast(y, *shape, y->range);
  return true;
}

static std::string_view words(Use use) {
  switch (use) {
  case Use::Initialise:
    return "this initial value";
  case Use::Assign:
    return "this assignment";
  case Use::Store:
    return "this store";
  case Use::Pass:
    return "this argument";
  case Use::Return:
    return "this return";
  case Use::Fill:
    return "the fill value";
  }
  return "this value";
}

Expr *Checker::coerce(Value v, const Type &target, Use use, SourceRange at) {
  if (!needsValue(v))
    return nullptr;
  Expr *e;
  if (v.isLiteral()) {
    e = adapt(*v.literal, target.elem);
    if (!e)
      return nullptr;
  } else {
    if (!converts(v.expr->type.elem, target.elem)) {
      std::string to(phobos::name(target.elem));
      report(diag::NeedsConversion, at, words(use), phobos::name(v.expr->type.elem), to)
          .help("write " + to + "(..) around the value");
      return nullptr;
    }
    e = convert(v.expr, target.elem, v.expr->range);
  }
  if (target.isScalar() && e->type.isScalar())
    return e;
  auto shape = joinShapes(e->type, target);
  if (target.isScalar() || !shape || *shape != target.shape) {
    auto described = [](const Type &t) {
      return t.isScalar() ? "a scalar" : "a tile of shape " + phobos::str(t.shape);
    };
    auto b = report(diag::ShapeNotAssignable, at, words(use), described(e->type), described(target));
    if (target.isScalar() && e->type.elements() == 1)
      b.help(e->type.rank() == 1 ? "take its element: t[0]" : "take its element: t[0, 0]");
    else if (target.isScalar() && use == Use::Assign)
      b.help("declare the variable as a tile: " + str(e->type));
    return nullptr;
  }
  return broadcast(e, target.shape, e->range);
}

/// A scalar integer of any type as index: subscripts, bounds, positions.
Expr *Checker::toIndex(Value v, std::string_view what) {
  if (!needsValue(v))
    return nullptr;
  if (v.isLiteral()) {
    if (v.literal->isFloat) {
      report(diag::NotAnInteger, v.range, what, "the float " + spelled(*v.literal));
      return nullptr;
    }
    return adapt(*v.literal, S::Index);
  }
  if (!v.expr->type.isScalar() || !isInteger(v.expr->type.elem)) {
    auto b = report(diag::NotAnInteger, v.range, what, str(v.expr->type));
    const Type &found = v.expr->type;
    if (found.isScalar() && isFloat(found.elem))
      b.help("write i32(..) around it");
    else if (found.isTile() && found.elements() == 1)
      b.help(found.rank() == 1 ? "take its element: t[0]" : "take its element: t[0, 0]");
    else if (found.isTile() && isInteger(found.elem) && what == "a subscript")
      b.help("neighbours are one slice, X[first :+ " + std::to_string(found.elements()) +
             "]; elements anywhere are taken one by one, in a loop or one a thread (@launch)");
    return nullptr;
  }
  return convert(v.expr, S::Index, v.range);
}

/// T(x): every number to every other. A literal is taken as T where T holds it, else converted like any
/// value.
Value Checker::convertTo(Value v, S t, SourceRange range) {
  if (!needsValue(v))
    return Value::error();
  if (v.isTyped()) {
    Expr *e = convert(v.expr, t, range);
    return Value::typed(e);
  }
  const Literal &l = *v.literal;
  if (!l.isConstant || t == S::Bool) {
    Expr *e = l.isConstant                                 ? adaptDefault(l)
              : isFloat(t) || (isInteger(t) && !l.isFloat) ? adapt(l, t)
                                                           : adaptDefault(l);
    return e ? Value::typed(convert(e, t, range)) : Value::error();
  }
  if (isInteger(t) && !l.isFloat) {
    auto n = integerValue(l);
    if (n && holds(t, *n))
      return Value::typed(intNode(static_cast<int64_t>(*n), t, range));
    if (n && *n >= -(static_cast<__int128>(1) << 63) &&
        *n < (static_cast<__int128>(1) << 64)) // wraps, as T(x) of a wider integer does
      return Value::typed(
          convert(intNode(static_cast<int64_t>(static_cast<uint64_t>(*n)), S::I64, range), t, range));
    report(diag::LiteralDoesNotFit, l.range, spelled(l), phobos::name(S::I64));
    return Value::error();
  }
  if (isFloat(t)) {
    if (auto x = floatValue(l, t))
      return Value::typed(floatNode(*x, t, range));
    auto wide =
        floatValue(l, S::F64); // overflows as the conversion of a value would: to infinity, or saturated
    return wide ? Value::typed(convert(floatNode(*wide, S::F64, range), t, range))
                : Value::typed(adapt(l, S::F64));
  }
  Expr *wide = adapt(l, S::F64); // a float to an integer: truncated from its exact value
  return wide ? Value::typed(convert(wide, t, range)) : Value::error();
}

} // namespace phobos::sema
