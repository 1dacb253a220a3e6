// Built-ins that touch memory: load and store with their options, atomics, the barrier.
#include "compiler/sema/Checker.h"

namespace phobos::sema {

using S = ScalarType;
using I = BuiltinId;

/// `store` and `barrier` stand alone; false (reported) elsewhere.
bool Checker::statementOnly(const BuiltinCall &c) {
  if (statementCall_ == &c.source)
    return true;
  report(diag::StatementOnly, c.source.range, c.quoted());
  return false;
}

Value Checker::loaded(const BuiltinCall &c) {
  const Entity *tensor = tensorBase(*c.args[0]);
  if (!tensor) {
    if (!check(c.args[0]).isError())
      report(diag::SliceExpected, c.args[0]->range, c.quoted(), "load(A[i :+ n], fill = x)");
    return Value::error();
  }
  ParamId param = tensor->param;
  std::vector<Subscript> subs;
  std::vector<int64_t> shape;
  bool ok = tensorSubscripts(*c.args[0], param, subs, shape);
  Expr *fill = nullptr;
  if (c.args[1]) {
    fill = coerce(check(c.args[1]), Type::scalar(out_->params[param].elem), Use::Fill, c.args[1]->range);
    ok &= fill != nullptr;
  }
  return ok ? load(param, std::move(subs), shape, fill, c.source.range) : Value::error();
}

Value Checker::stored(const BuiltinCall &c) {
  if (!statementOnly(c))
    return Value::error();
  const Entity *tensor = tensorBase(*c.args[0]);
  if (!tensor) {
    if (!check(c.args[0]).isError())
      report(diag::SliceExpected, c.args[0]->range, c.quoted(), "store(A[i :+ n], t, where = mask)");
    return Value::error();
  }
  ParamId param = tensor->param;
  std::vector<Subscript> subs;
  std::vector<int64_t> shape;
  bool ok = tensorSubscripts(*c.args[0], param, subs, shape);
  Value v = check(c.args[1]);
  Value m = c.args[2] ? check(c.args[2]) : Value::error();
  if (!ok)
    return Value::error();
  Expr *value = coerce(v, partType(out_->params[param].elem, shape), Use::Store, c.args[1]->range);
  Expr *mask = nullptr;
  if (c.args[2]) {
    Expr *x = typed(m);
    if (x && x->type.elem != S::Bool) {
      report(diag::WrongOperand, c.args[2]->range, "the mask of 'store'", "bool", str(x->type))
          .help("compare it: " + ast::str(c.args[2]) + " != 0");
      x = nullptr;
    }
    mask = x ? coerce(Value::typed(x), partType(S::Bool, shape), Use::Store, c.args[2]->range) : nullptr;
    if (!mask)
      return Value::error();
  }
  if (!value)
    return Value::error();
  emitStore(c.source.range, param, std::move(subs), value, mask);
  return Value::nothing(c.source.range);
}

Value Checker::atomic(const BuiltinCall &c) {
  const ast::Expr &e = c.source;
  const Entity *tensor = e.args[0]->kind == ast::Expr::Kind::Name ? lookup(e.args[0]->name) : nullptr;
  if (!tensor || tensor->kind != Entity::Kind::Tensor) {
    Value v = check(e.args[0]);
    if (!v.isError())
      report(diag::TensorExpected, e.args[0]->range, c.quoted(), v.isTyped() ? str(v.expr->type) : "a number")
          .help("name the tensor, then the position: " + std::string(c.builtin.name) + "(A, i, j, value)");
    return Value::error();
  }
  ParamId param = tensor->param;
  S elem = out_->params[param].elem;
  size_t rank = out_->params[param].extents.size(), values = c.builtin.id == I::atomic_cas ? 2 : 1;
  if (e.args.size() != 1 + rank + values) {
    std::string wanted = std::to_string(1 + rank + values) + " arguments (the tensor, " +
                         std::to_string(rank) + (rank == 1 ? " position" : " positions") +
                         (values == 2 ? ", the old value, the new one)" : ", the value)");
    report(diag::ArgumentCount, e.range, c.builtin.name, wanted, e.args.size());
    return Value::error();
  }
  bool supported = elem == S::I32 || elem == S::U32 || elem == S::I64 || elem == S::Index || elem == S::F32 ||
                   elem == S::F64;
  if (!supported) {
    report(diag::AtomicType, e.args[0]->range, c.quoted(), phobos::name(elem));
    return Value::error();
  }
  Expr *n = node(Op::Atomic, Type::scalar(elem), e.range);
  bool ok = true;
  for (size_t i = 0; i < rank; ++i) {
    Expr *position = toIndex(check(e.args[1 + i]), "a position");
    ok &= position != nullptr;
    n->subscripts.push_back({true, position, 1, e.args[1 + i]->range});
    if (position)
      judgePlace(n->subscripts.back(), param, i);
  }
  for (size_t i = 0; i < values; ++i) {
    ast::ExprP written = e.args[1 + rank + i];
    Expr *value = coerce(check(written), Type::scalar(elem), Use::Pass, written->range);
    ok &= value != nullptr;
    n->args.push_back(value);
  }
  if (!ok)
    return Value::error();
  n->param = param;
  n->atomic = c.builtin.id == I::atomic_add   ? AtomicOp::Add
              : c.builtin.id == I::atomic_max ? AtomicOp::Max
              : c.builtin.id == I::atomic_min ? AtomicOp::Min
                                              : AtomicOp::Cas;
  out_->params[param].isRead = out_->params[param].isWritten = true;
  return Value::typed(n);
}

Value Checker::barrier(const BuiltinCall &c) {
  if (!statementOnly(c))
    return Value::error();
  out_->usesBarrier = true;
  emit(Stmt::Kind::Barrier, c.source.range);
  return Value::nothing(c.source.range);
}

} // namespace phobos::sema
