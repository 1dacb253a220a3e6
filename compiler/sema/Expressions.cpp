// Expressions: leaves, operators, and the conditional.
#include "compiler/sema/Checker.h"
#include "compiler/support/Printable.h"
#include <cmath>

namespace phobos::sema {

using K = ast::Expr::Kind;
using B = ast::BinaryOp;
using S = ScalarType;

Value Checker::check(ast::ExprP e) {
  Nested nested(depth_);
  if (depth_ > limits::kNesting) {
    if (!tooLarge_)
      report(diag::NestingTooDeep, e->range, limits::kNesting);
    tooLarge_ = true;
  }
  if (tooLarge_ || diags_.isFull())
    return Value::error();
  Value v = checkKind(*e);
  v.range = e->range;
  return v;
}

Value Checker::checkKind(const ast::Expr &e) {
  switch (e.kind) {
  case K::Int:
  case K::Float: {
    Literal &l = literals_.emplace_back();
    l.kind = e.kind == K::Int ? Literal::Kind::Int : Literal::Kind::Float;
    l.isFloat = e.kind == K::Float;
    l.intValue = e.intValue;
    l.floatValue = e.floatValue;
    l.isInfinity = e.name == "inf";
    l.range = e.range;
    if (e.intOverflow) {
      report(diag::LiteralDoesNotFit, e.range, shortened(e.name, 40), "i64");
      return Value::error();
    }
    return Value::literals(&l);
  }
  case K::Bool:
    return Value::typed(boolNode(e.boolValue, e.range));
  case K::Name:
    return checkName(e);
  case K::Unary:
    return checkUnary(e);
  case K::Binary:
    return checkBinary(e);
  case K::Conditional:
    return checkConditional(e);
  case K::Call:
    return checkCall(e);
  case K::Generic:
    return checkGeneric(e);
  case K::Index:
    return checkIndex(e);
  case K::Member:
    return checkMember(e);
  case K::List:
    report(diag::ListNotValue, e.range);
    return Value::error();
  case K::Broken:
    failed_ = true;
    for (ast::ExprP part : e.args)
      check(part);
    return Value::error();
  }
  return Value::error();
}

bool Checker::needsValue(const Value &v) {
  if (v.kind == Value::Kind::Tensor) {
    const Param &p = out_->params[v.tensor];
    std::string all;
    for (size_t i = 0; i < p.extents.size(); ++i)
      all += i ? ", .." : "..";
    report(diag::TensorAsValue, v.range, p.name).help("read a slice of it: " + p.name + "[" + all + "]");
    return false;
  }
  if (v.kind == Value::Kind::Nothing || (v.isTyped() && v.expr->type.isVoid())) {
    report(diag::NoValue, v.range, "this call");
    return false;
  }
  return !v.isError();
}

Expr *Checker::typed(Value v) {
  if (!needsValue(v))
    return nullptr;
  return v.isLiteral() ? adaptDefault(*v.literal) : v.expr;
}

Expr *Checker::checkTyped(ast::ExprP e) { return typed(check(e)); }

static std::string_view spelling(B op) {
  switch (op) {
#define INTEGER_INFIX(NAME, TEXT)                                                                            \
  case B::NAME:                                                                                              \
    return "'" TEXT "'";
#include "runtime/contract/IntegerOps.def"
  }
  return "";
}

static Op opOf(B op) {
  switch (op) {
#define INTEGER_INFIX(NAME, TEXT)                                                                            \
  case B::NAME:                                                                                              \
    return Op::NAME;
#include "runtime/contract/IntegerOps.def"
  }
  return Op::Add; // there is no other
}

static std::string_view spelling(ast::UnaryOp op) {
  switch (op) {
#define INTEGER_PREFIX(NAME, TEXT)                                                                           \
  case ast::UnaryOp::NAME:                                                                                   \
    return "'" TEXT "'";
#include "runtime/contract/IntegerOps.def"
  }
  return "";
}

static Op opOf(ast::UnaryOp op) {
  switch (op) {
#define INTEGER_PREFIX(NAME, TEXT)                                                                           \
  case ast::UnaryOp::NAME:                                                                                   \
    return Op::NAME;
#include "runtime/contract/IntegerOps.def"
  }
  return Op::Neg;
}

static bool isComparison(B op) { return op >= B::Eq && op <= B::Ge; }
static bool isLogical(B op) { return op == B::LogicalAnd || op == B::LogicalOr; }

Value Checker::checkUnary(const ast::Expr &e) {
  Value v = check(e.args[0]);
  if (!needsValue(v))
    return Value::error();
  using U = ast::UnaryOp;
  const std::string_view what = spelling(e.unaryOp);
  if (v.isLiteral() && e.unaryOp != U::Not) {
    if (e.unaryOp == U::BitNot && v.literal->isFloat) {
      report(diag::WrongOperand, e.range, what, "integers", "a float");
      return Value::error();
    }
    Literal &l = literals_.emplace_back();
    l.kind = e.unaryOp == U::Neg ? Literal::Kind::Neg : Literal::Kind::BitNot;
    l.a = v.literal;
    l.isFloat = v.literal->isFloat;
    l.isConstant = v.literal->isConstant;
    l.range = e.range;
    return Value::literals(&l);
  }
  Expr *x = typed(v);
  if (!x)
    return Value::error();
  S t = x->type.elem;
  bool fits = e.unaryOp == U::Not ? t == S::Bool : e.unaryOp == U::BitNot ? isInteger(t) : t != S::Bool;
  if (!fits) {
    report(diag::WrongOperand, e.range, what,
           e.unaryOp == U::Not      ? "bool"
           : e.unaryOp == U::BitNot ? "integers"
                                    : "a number",
           str(x->type));
    return Value::error();
  }
  if (isFloat(t) && bitWidth(t) == 8) // arithmetic on f8 is f32
    x = convert(x, S::F32, x->range);
  if (auto n = constant(x)) {
    if (e.unaryOp == U::Not)
      return Value::typed(boolNode(!*n, e.range));
    if (auto r = e.unaryOp == U::Neg ? foldInteger(Op::Sub, t, 0, *n)
                                     : foldInteger(Op::Sub, t, -1, *n)) // ~n is -1 - n
      return Value::typed(intNode(*r, t, e.range));
  }
  const Op op = opOf(e.unaryOp);
  return Value::typed(node(op, x->type, e.range, {x}));
}

/// A chain such as `a + b + c + ..` is walked along its left side, not recursed into: it may have as many
/// operators as the parser lets pass.
Value Checker::checkBinary(const ast::Expr &e) {
  std::vector<const ast::Expr *> chain;
  const ast::Expr *left = &e;
  for (; left->kind == K::Binary; left = left->args[0])
    chain.push_back(left);
  Value a = check(left);
  for (; !chain.empty(); chain.pop_back()) {
    const ast::Expr &op = *chain.back();
    Value b = check(op.args[1]);
    bool ok = needsValue(a);
    ok &= needsValue(b);
    a = ok ? binary(op.binaryOp, a, b, op.range) : Value::error();
    a.range = op.range;
  }
  return a;
}

Value Checker::binary(B op, Value a, Value b, SourceRange range) {
  if (isLogical(op)) {
    Expr *x = typed(a), *y = typed(b);
    return x && y ? logical(op, x, y, range) : Value::error();
  }
  bool integersOnly =
      op == B::Rem || op == B::Shl || op == B::Shr || op == B::And || op == B::Or || op == B::Xor;
  if (a.isLiteral() && b.isLiteral() && !isComparison(op)) {
    if (integersOnly && (a.literal->isFloat || b.literal->isFloat)) {
      report(diag::WrongOperand, range, spelling(op), "integers", "a float");
      return Value::error();
    }
    Literal &l = literals_.emplace_back();
    l.kind = Literal::Kind::Binary;
    l.binary = op;
    l.a = a.literal;
    l.b = b.literal;
    l.isFloat = a.literal->isFloat || b.literal->isFloat;
    l.isConstant = a.literal->isConstant && b.literal->isConstant;
    l.range = range;
    return Value::literals(&l);
  }
  Expr *x, *y;
  if (!unify(a, b, x, y, true, spelling(op), range))
    return Value::error();
  S t = x->type.elem;
  bool ofBools = op == B::Eq || op == B::Ne || op == B::And || op == B::Or ||
                 op == B::Xor; // & | ^ of bools take no shortcut
  bool fits = t == S::Bool ? ofBools : !integersOnly || isInteger(t);
  if (!fits) {
    auto message = report(diag::WrongOperand, range, spelling(op), integersOnly ? "integers" : "numbers",
                          str(isFloat(t) || t == S::Bool ? x->type : y->type));
    if (op == B::Rem)
      message.help("write x - y * floor(x / y), or convert to an integer");
    return Value::error();
  }
  if (!unifyShapes(x, y, range))
    return Value::error();
  return Value::typed(elementwise(opOf(op), isComparison(op) ? S::Bool : t, x, y, range));
}

Value Checker::logical(B op, Expr *x, Expr *y, SourceRange range) {
  for (Expr *e : {x, y})
    if (e->type.elem != S::Bool) {
      report(diag::WrongOperand, e->range, spelling(op), "bool", str(e->type)).help("compare it: x != 0");
      return Value::error();
    }
  if (!unifyShapes(x, y, range))
    return Value::error();
  return Value::typed(elementwise(opOf(op), S::Bool, x, y, range));
}

Value Checker::checkConditional(const ast::Expr &e) {
  Value a = check(e.args[0]);
  Expr *condition = checkCondition(e.args[1]);
  Value b = check(e.args[2]);
  if (!condition)
    return Value::error();
  return select(Op::Conditional, condition, a, b, e.range);
}

/// Conditional (a scalar condition) or Where (a condition of the values' shape). Of two literals it stays a
/// literal.
Value Checker::select(Op op, Expr *condition, Value a, Value b, SourceRange range) {
  if (a.isLiteral() && b.isLiteral()) {
    if (auto known = constant(condition);
        known && condition->type.isScalar() && a.literal->isFloat == b.literal->isFloat)
      return *known ? a : b;
    Literal &l = literals_.emplace_back();
    l.kind = Literal::Kind::Choice;
    l.choice = op;
    l.a = a.literal;
    l.b = b.literal;
    l.condition = condition;
    l.isFloat = a.literal->isFloat || b.literal->isFloat;
    l.isConstant = false;
    l.range = range;
    return Value::literals(&l);
  }
  Expr *x, *y;
  if (!unify(a, b, x, y, false, op == Op::Where ? "where" : "'if'", range) || !unifyShapes(x, y, range))
    return Value::error();
  if (op == Op::Conditional) {
    if (auto known = constant(condition))
      return Value::typed(*known ? x : y);
    return Value::typed(node(op, x->type, range, {x, condition, y}));
  }
  if (x->type.isTile() || condition->type.isTile()) { // all three to one shape
    Expr *c = condition;
    if (!unifyShapes(c, x, range) || !unifyShapes(c, y, range))
      return Value::error();
    x = broadcast(x, c->type.shape, x->range);
    condition = c;
  }
  return Value::typed(node(op, x->type, range, {condition, x, y}));
}

} // namespace phobos::sema
