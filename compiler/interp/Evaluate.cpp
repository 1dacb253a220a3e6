// Expressions: leaves, choices, calls, and the dispatch to the operations.
#include "compiler/interp/Arithmetic.h"
#include "compiler/interp/Machine.h"
#include "compiler/interp/Shape.h"
#include <cmath>

namespace phobos::interp {

using sema::Expr;
using sema::ExprP;
using sema::Op;

Value Machine::evaluate(ExprP e) {
  switch (e->op) {
  case Op::Conditional:
    return evaluateConditional(*e);
  case Op::LogicalAnd:
  case Op::LogicalOr:
    return evaluateLogical(*e);
  case Op::Call:
    return evaluateCall(*e);
  case Op::Load:
    return evaluateLoad(*e);
  case Op::Atomic:
    return evaluateAtomic(*e);
  case Op::Iota:
    return iota(e->type, e->axis);
  default:
    return e->args.empty() ? evaluateLeaf(*e) : evaluateElementwise(*e);
  }
}

Value Machine::evaluateLeaf(const Expr &e) {
  // Who each thread is: one cell a thread.
  auto perThread = [&](auto f) {
    Value v(threads_);
    for (unsigned t = 0; t < threads_; ++t)
      v.ints()[t] = f(t);
    return v;
  };
  switch (e.op) {
  case Op::Float:
    return Value::ofFloat(e.floatValue);
  case Op::Var:
    return vars_[e.var].size() ? vars_[e.var] : Value::zero();
  case Op::Param:
    return scalars_[e.param];
  case Op::Dim:
    return Value::ofInt(dims_[e.dim]);
  case Op::BlockId:
    return Value::ofInt(block_[static_cast<size_t>(e.axis)]);
  case Op::GridDim:
    return Value::ofInt(grid_[static_cast<size_t>(e.axis)]);
  case Op::ThreadId:
    return perThread([](unsigned t) { return t; });
  case Op::WarpId:
    return perThread([](unsigned t) { return t / 32; });
  case Op::LaneId:
    return perThread([](unsigned t) { return t % 32; });
  default:
    return Value::ofInt(e.intValue);
  }
}

/// Operations whose operands are all evaluated, in order.
Value Machine::evaluateElementwise(const Expr &e) {
  Value a = evaluate(e.args[0]);
  Value b = e.args.size() > 1 ? evaluate(e.args[1]) : Value();
  Value c = e.args.size() > 2 ? evaluate(e.args[2]) : Value();
  const Type &type = e.args[0]->type;
  switch (e.op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Div:
  case Op::Rem:
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Shl:
  case Op::Shr:
  case Op::Max:
  case Op::Min:
  case Op::CDiv:
  case Op::Pow:
    return binary(e.op, e.type.elem, a, b);
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return compare(e.op, type.elem, a, b);
  case Op::Fma:
    return fma(e.type.elem, a, b, c);
  case Op::Where:
    return select(a, b, c);
  case Op::Convert:
    return convert(type.elem, e.type.elem, a);
  case Op::Bitcast:
    return bitcast(type.elem, e.type.elem, a);
  case Op::Broadcast:
    return broadcast(type.isScalar() ? uniform(a) : a, type, e.type);
  case Op::Transpose:
    return transpose(a, type);
  case Op::Reshape:
    return a;
  case Op::Cat:
    return cat(a, type, b, e.args[1]->type, e.axis);
  case Op::TileSlice:
    return tileSlice(e, a, type);
  case Op::InsertSlice:
    return insertSlice(e, std::move(a), b);
  case Op::Tril:
  case Op::Triu:
    return triangle(a, type, e.op == Op::Tril, e.intValue);
  case Op::Reduce:
    return reduce(e, a, type);
  case Op::ArgReduce:
    return argReduce(e, a, type);
  case Op::Scan:
    return scan(e, a, type);
  case Op::Dot:
    return dot(e, a, b);
  case Op::Rand:
    return rand(a, b);
  default:
    return farFromPromised(e, a, unary(e.op, e.type.elem, a));
  }
}

/// args = value, condition, otherwise. Only the chosen one is evaluated, by the threads that choose it.
Value Machine::farFromPromised(const Expr &e, const Value &operand, Value result) const {
  const bool applies =
      options_.farTrig && (e.op == Op::Sin || e.op == Op::Cos) && e.type.elem == ScalarType::F64;
  for (size_t i = 0; applies && i < result.size(); ++i)
    if (const double x = operand.floats()[i]; std::isfinite(x) && std::abs(x) > 0x1p46)
      result.floats()[i] = *options_.farTrig;
  return result;
}

Value Machine::evaluateConditional(const Expr &e) {
  Value condition = evaluate(e.args[1]);
  if (condition.isSplat())
    return evaluate(e.args[*condition.ints() ? 0 : 2]);
  Lanes here = mask_, yes = where(condition), no = mask_;
  no -= yes;
  Value result;
  auto choose = [&](const Lanes &lanes, ExprP value) {
    if (!lanes.any())
      return;
    mask_ = lanes;
    merge(result, evaluate(value), lanes);
  };
  choose(yes, e.args[0]);
  choose(no, e.args[2]);
  mask_ = here;
  return result;
}

/// The right operand of scalars is evaluated by the threads that need it.
Value Machine::evaluateLogical(const Expr &e) {
  Value left = evaluate(e.args[0]);
  bool isAnd = e.op == Op::LogicalAnd;
  if (e.type.isTile())
    return logical(e.op, left, evaluate(e.args[1]));
  if (left.isSplat())
    return (*left.ints() != 0) == isAnd ? evaluate(e.args[1]) : left;
  Lanes here = mask_, need = where(left);
  if (!isAnd) {
    Lanes others = mask_;
    others -= need;
    need = others;
  }
  if (need.any()) {
    mask_ = need;
    merge(left, evaluate(e.args[1]), need);
    mask_ = here;
  }
  return left;
}

Value Machine::evaluateCall(const Expr &e) {
  const sema::Inlined &callee = *e.call;
  std::vector<Value> args;
  for (ExprP a : e.args)
    args.push_back(evaluate(a));
  for (size_t i = 0; i < args.size(); ++i)
    assign(callee.params[i], std::move(args[i]), kernel_.vars[callee.params[i]].type.isTile());
  Frame frame{Lanes(threads_), {}}, *outerFrame = std::exchange(frame_, &frame);
  Loop *outerLoop = std::exchange(loop_, nullptr);
  Lanes here = mask_;
  execute(callee.body);
  mask_ = here;
  frame_ = outerFrame;
  loop_ = outerLoop;
  return frame.result.size() ? std::move(frame.result) : Value::zero();
}

} // namespace phobos::interp
