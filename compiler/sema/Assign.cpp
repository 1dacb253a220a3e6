// Assignments: to names, to slices of tensors (stores) and to slices of tiles, plain and compound.
#include "compiler/sema/Checker.h"
#include <algorithm>

namespace phobos::sema {

void Checker::checkAssign(const ast::Stmt &s) {
  switch (s.target->kind) {
  case ast::Expr::Kind::Name:
    return assignName(s);
  case ast::Expr::Kind::Index:
    return assignSlice(s);
  default:
    check(s.value);
    report(diag::NotAssignable, s.target->range).help("assign to a variable or to a slice");
  }
}

/// The variable that `name` is, or null with what it is instead.
const Entity *Checker::assignable(const ast::Expr &name) {
  const Entity *e = lookup(name.name);
  if (!e) {
    unsigned before = errorCount();
    checkName(name);
    if (size_t n = diags_.all().size(); errorCount() != before && n > 0 && !diags_.all().back().help)
      Diagnostics::Builder(diags_, n - 1).help("declare it: 'var " + name.name + " = ..'");
    return nullptr;
  }
  switch (e->kind) {
  case Entity::Kind::Var:
    return e;
  case Entity::Kind::Poison:
    return nullptr;
  case Entity::Kind::Let:
    report(diag::AssignToLet, name.range, name.name)
        .note(e->range, "declared here")
        .help("declare it with var");
    return nullptr;
  case Entity::Kind::Counter:
    report(diag::AssignToCounter, name.range, name.name).note(e->range, "declared here");
    return nullptr;
  default:
    auto b = report(diag::AssignToConstant, name.range, name.name, describe(*e));
    if (e->kind == Entity::Kind::Tensor)
      b.help("store to a slice of it: " + name.name + "[..] = ..");
    return nullptr;
  }
}

/// The value to assign: as written, or `old op value`.
Value Checker::compounded(const ast::Stmt &s, Expr *old) {
  Value v = check(s.value);
  if (!s.compound)
    return v;
  if (!needsValue(v))
    return Value::error();
  return binary(*s.compound, Value::typed(old), v, s.range);
}

void Checker::assignName(const ast::Stmt &s) {
  const Entity *entity = assignable(*s.target);
  if (!entity) {
    check(s.value);
    return;
  }
  VarId var = entity->var;
  Type type = out_->vars[var].type;
  Expr *old = nullptr;
  if (s.compound) {
    old = node(Op::Var, type, s.target->range);
    old->var = var;
  }
  const Value v = compounded(s, old);
  const size_t before = diags_.all().size();
  if (Expr *value = coerce(v, type, Use::Assign, s.compound ? s.range : s.value->range)) {
    emitAssign(var, value, s.range);
    return;
  }
  out_->vars[var].isUnknown = true;
  if (const auto &all = diags_.all(); all.size() > before && all.back().id == diag::NeedsConversion)
    meantAsFloat(*entity, v, all.size() - 1);
}

/// `var s = 0` makes an i32, to which a float is added then: the declaration is what to change.
void Checker::meantAsFloat(const Entity &entity, const Value &v, size_t error) {
  if (!entity.untyped || !v.isTyped() || !isFloat(v.expr->type.elem))
    return;
  const Local &local = out_->vars[entity.var];
  Diagnostics::Builder(diags_, error)
      .note(entity.range,
            "'" + local.name + "' is an i32: it begins as the integer " + ast::str(entity.untyped))
      .help("declare it as 'var " + local.name + ": " + str(v.expr->type) + " = " +
            std::to_string(entity.untyped->intValue) + ".0'");
}

void Checker::assignSlice(const ast::Stmt &s) {
  if (const Entity *tensor = tensorBase(*s.target))
    return assignTensorSlice(s, tensor->param);
  if (s.target->args[0]->kind != ast::Expr::Kind::Name) {
    check(s.value);
    report(diag::NotAssignable, s.target->range).help("assign to a slice of a variable or of a tensor");
    return;
  }
  const Entity *entity = assignable(*s.target->args[0]);
  if (!entity) {
    check(s.value);
    out_->lostStores = true; // it may be a tensor
    return;
  }
  assignTileSlice(s, *entity);
}

void Checker::emitStore(SourceRange range, ParamId tensor, std::vector<Subscript> subs, Expr *value,
                        Expr *mask) {
  out_->params[tensor].isWritten = true;
  Stmt *store = emit(Stmt::Kind::Store, range);
  store->param = tensor;
  store->subscripts = std::move(subs);
  store->value = value;
  store->mask = mask;
}

void Checker::assignTensorSlice(const ast::Stmt &s, ParamId tensor) {
  std::vector<Subscript> subs;
  std::vector<int64_t> shape;
  if (!tensorSubscripts(*s.target, tensor, subs, shape)) {
    check(s.value);
    out_->lostStores = true;
    return;
  }
  Expr *old = nullptr;
  if (s.compound) {
    for (Subscript &sub : subs) // the place is evaluated once though it is read and written
      if (hasSideEffects(sub.start)) {
        VarId once = newVar("place", sub.start->type, sub.range);
        emitAssign(once, sub.start, sub.range);
        Expr *n = node(Op::Var, sub.start->type, sub.range);
        n->var = once;
        sub.start = n;
      }
    old = load(tensor, subs, shape, nullptr, s.target->range).expr;
  }
  Type type = partType(out_->params[tensor].elem, shape);
  if (Expr *value = coerce(compounded(s, old), type, Use::Store, s.compound ? s.range : s.value->range))
    emitStore(s.range, tensor, std::move(subs), value, nullptr);
  else
    out_->lostStores = true;
}

void Checker::assignTileSlice(const ast::Stmt &s, const Entity &entity) {
  VarId var = entity.var;
  Type type = out_->vars[var].type;
  if (!type.isTile()) {
    check(s.value);
    report(diag::NotIndexable, s.target->range, "a scalar of type " + str(type));
    return;
  }
  auto part = tilePart(*s.target, type);
  if (!part) {
    check(s.value);
    return;
  }
  Type slice = partType(type.elem, part->shape);
  Expr *whole = node(Op::Var, type, s.target->range);
  whole->var = var;
  auto place = [&](Expr *n) {
    n->offsets = part->offsets;
    n->lengths = part->lengths;
    n->dropped = part->dropped;
    return n;
  };
  Expr *old = s.compound ? place(node(Op::TileSlice, slice, s.target->range, {whole})) : nullptr;
  if (Expr *value = coerce(compounded(s, old), slice, Use::Assign, s.compound ? s.range : s.value->range))
    emitAssign(var, place(node(Op::InsertSlice, type, s.range, {whole, value})), s.range);
  else
    out_->vars[var].isUnknown = true;
}

} // namespace phobos::sema
