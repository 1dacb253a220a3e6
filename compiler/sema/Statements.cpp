// Statements: declarations, control flow, returns, calls for their effect. Assignments are in Assign.cpp.
#include "compiler/sema/Checker.h"

namespace phobos::sema {

using K = ast::Stmt::Kind;

Stmt *Checker::emit(Stmt::Kind kind, SourceRange range) {
  Stmt &s = out_->stmts.emplace_back();
  s.kind = kind;
  s.range = range;
  block_->statements.push_back(&s);
  return &s;
}

VarId Checker::newVar(std::string name, Type type, SourceRange range) {
  out_->vars.push_back({std::move(name), std::move(type), Variance::Uniform, range});
  return static_cast<VarId>(out_->vars.size() - 1);
}

/// Stands for a condition or a bound that is in error, so that the rest can be judged.
Expr *Checker::unknown(const Type &type, SourceRange range) {
  VarId var = newVar("", type, range);
  out_->vars[var].isUnknown = true;
  Expr *n = node(Op::Var, type, range);
  n->var = var;
  return n;
}

void Checker::emitAssign(VarId var, ExprP value, SourceRange range) {
  Stmt *s = emit(Stmt::Kind::Assign, range);
  s->var = var;
  s->value = value;
}

Block Checker::checkBlock(const ast::Block &block) {
  Block result;
  Block *outer = block_;
  block_ = &result;
  scopes_.emplace_back();
  for (ast::StmtP s : block.statements)
    checkStatement(*s);
  scopes_.pop_back();
  block_ = outer;
  return result;
}

void Checker::checkStatement(const ast::Stmt &s) {
  Nested nested(depth_);
  if (depth_ > limits::kNesting && !tooLarge_) {
    report(diag::NestingTooDeep, s.headRange.isValid() ? s.headRange : s.range, limits::kNesting);
    tooLarge_ = true;
  }
  if (frames_.size() > 1 && ++inlinedStatements_ > limits::kInlinedStatements && !tooLarge_) {
    report(diag::InlinedTooLarge, s.range, limits::kInlinedStatements);
    tooLarge_ = true;
  }
  if (tooLarge_ || diags_.isFull())
    return;
  switch (s.kind) {
  case K::Let:
  case K::Var:
    return checkDeclaration(s);
  case K::Assign:
    return checkAssign(s);
  case K::Expr:
    return checkExprStatement(s);
  case K::If:
    return checkIf(s);
  case K::For:
    return checkFor(s);
  case K::While:
    return checkWhile(s);
  case K::Break:
  case K::Continue:
    return checkJump(s);
  case K::Return:
    return checkReturn(s);
  case K::Broken:
    failed_ = out_->lostStores = true; // the rest is judged
    if (!s.name.text.empty())
      scopes_.back().try_emplace(s.name.text).first->second.range = s.name.range;
    return;
  case K::Block: {
    Stmt *b = emit(Stmt::Kind::Block, s.range);
    b->body = checkBlock(s.body);
    return;
  }
  }
}

void Checker::checkDeclaration(const ast::Stmt &s) {
  Value v = check(s.value); // before the name is declared: `let x = x + 1` speaks of an outer x
  std::optional<Type> type;
  if (s.type)
    type = valueType(*s.type);
  Expr *value = nullptr;
  if (s.type && type)
    value = coerce(v, *type, Use::Initialise, s.value->range);
  else if (!s.type)
    value = typed(v);
  Entity entity;
  entity.range = s.name.range;
  // A let of an integer may be what makes a shape constant: without its value nothing can be said of that.
  bool mayBeConstant = s.kind == K::Let && type && type->isScalar() && !isFloat(type->elem);
  if (!value && (!type || mayBeConstant)) {
    declare(s.name, entity); // poisoned
    return;
  }
  entity.kind = s.kind == K::Let ? Entity::Kind::Let : Entity::Kind::Var;
  if (!s.type && s.value->kind == ast::Expr::Kind::Int)
    entity.untyped = s.value;
  entity.var = newVar(s.name.text, value ? value->type : *type, s.name.range);
  if (s.kind == K::Let && value && constant(value))
    entity.known = value;
  declare(s.name, entity);
  if (value)
    emitAssign(entity.var, value, s.range);
  else
    out_->vars[entity.var].isUnknown = true;
}

Expr *Checker::checkCondition(ast::ExprP e) {
  Expr *c = checkTyped(e);
  if (!c)
    return nullptr;
  if (c->type.isScalar() && c->type.elem == ScalarType::Bool)
    return c;
  auto b = report(diag::ConditionNotBool, e->range, str(c->type));
  if (c->type.isTile())
    b.help("choose between elements with where(condition, a, b)");
  else
    b.help("compare it: " + ast::str(e) + " != 0");
  return nullptr;
}

/// A condition over the shape environment alone chooses when compiling: the other branch need not fit at this
/// point.
void Checker::checkIf(const ast::Stmt &s) {
  Expr *condition = checkCondition(s.value);
  if (auto known = condition ? constant(condition) : std::nullopt) {
    checkDead(*known ? s.orElse : s.body);
    Stmt *taken = emit(Stmt::Kind::Block, s.range);
    taken->body = checkBlock(*known ? s.body : s.orElse);
    return;
  }
  Stmt *out = emit(Stmt::Kind::If, s.range);
  out->value = condition ? condition : unknown(Type::scalar(ScalarType::Bool), s.value->range);
  out->body = checkBlock(s.body);
  if (s.hasElse)
    out->orElse = checkBlock(s.orElse);
}

/// Leaves no trace but errors about names.
void Checker::checkDead(const ast::Block &block) {
  std::vector<Param> params = out_->params;
  bool usesThreads = out_->usesThreads, usesBarrier = out_->usesBarrier;
  std::set<const ast::Function *> failedFunctions = failedFunctions_;
  ++dead_;
  checkBlock(block);
  --dead_;
  failedFunctions_ = std::move(failedFunctions);
  out_->params = std::move(params);
  out_->usesThreads = usesThreads;
  out_->usesBarrier = usesBarrier;
}

void Checker::checkFor(const ast::Stmt &s) {
  if (s.rangeArgs.empty() || s.rangeArgs.size() > 3)
    report(diag::RangeArguments, s.rangeCall, s.rangeArgs.size())
        .help("range(end), range(start, end) or range(start, end, step)");
  std::vector<Expr *> bounds;
  for (ast::ExprP e : s.rangeArgs)
    bounds.push_back(toIndex(check(e), "a bound of a range"));
  int64_t unroll = 1;
  if (s.unroll) {
    Expr *u = toIndex(check(s.unroll), "the unroll factor");
    auto n = u ? constant(u) : std::nullopt;
    if (u && !n)
      report(diag::UnrollNotConstant, s.unroll->range, ast::str(s.unroll))
          .help("use a number or a name declared by @autotune");
    else if (n && (*n < 1 || *n > limits::kUnroll))
      report(diag::UnrollOutOfRange, s.unroll->range, limits::kUnroll, *n);
    else if (n)
      unroll = *n;
  }
  Stmt *out = emit(Stmt::Kind::For, s.range);
  size_t count = bounds.size();
  if (count >= 1 && count <= 3) {
    out->lo = count == 1 ? intNode(0, ScalarType::Index, s.rangeCall) : bounds[0];
    out->hi = bounds[count == 1 ? 0 : 1];
    out->step = count == 3 ? bounds[2] : intNode(1, ScalarType::Index, s.rangeCall);
    if (auto step = out->step ? constant(out->step) : std::nullopt; step && *step < 1) {
      report(diag::StepBelowOne, s.rangeCall, *step);
      out->step = nullptr;
    }
  }
  for (ExprP *bound : {&out->lo, &out->hi, &out->step})
    if (!*bound)
      *bound = unknown(Type::scalar(ScalarType::Index), s.rangeCall);
  out->unroll = unroll;
  Entity counter;
  counter.kind = Entity::Kind::Counter;
  counter.var = out->var = newVar(s.name.text, Type::scalar(ScalarType::Index), s.name.range);
  scopes_.emplace_back();
  declare(s.name, counter);
  ++frame().loops;
  out->body = checkBlock(s.body);
  --frame().loops;
  scopes_.pop_back();
}

void Checker::checkWhile(const ast::Stmt &s) {
  Expr *condition = checkCondition(s.value);
  Stmt *out = emit(Stmt::Kind::While, s.range);
  out->value = condition ? condition : unknown(Type::scalar(ScalarType::Bool), s.value->range);
  ++frame().loops;
  out->body = checkBlock(s.body);
  --frame().loops;
}

void Checker::checkJump(const ast::Stmt &s) {
  bool isBreak = s.kind == K::Break;
  if (frame().loops == 0)
    report(diag::OutsideLoop, s.range, isBreak ? "break" : "continue");
  else
    emit(isBreak ? Stmt::Kind::Break : Stmt::Kind::Continue, s.range);
}

void Checker::checkReturn(const ast::Stmt &s) {
  const ast::Function *f = frame().function;
  if (!f || !f->result) {
    if (s.value) {
      auto b = report(diag::ReturnsNothing, s.range, f ? "'" + f->name.text + "'" : "a kernel");
      if (f)
        b.help("declare what it returns: fn " + f->name.text + "(..) -> T");
      else
        b.help("store the result to a tensor");
      return;
    }
    emit(Stmt::Kind::Return, s.range);
    return;
  }
  if (!s.value) {
    if (frame().result)
      report(diag::ReturnNeedsValue, s.range, f->name.text, str(*frame().result));
    return;
  }
  Value v = check(s.value);
  if (!frame().result)
    return; // the declared type is in error
  if (Expr *value = coerce(v, *frame().result, Use::Return, s.value->range))
    emit(Stmt::Kind::Return, s.range)->value = value;
}

void Checker::checkExprStatement(const ast::Stmt &s) {
  const ast::Expr *outer = statementCall_;
  statementCall_ = s.value->kind == ast::Expr::Kind::Call ? s.value : nullptr;
  Value v = check(s.value);
  statementCall_ = outer;
  out_->lostStores |= v.isError();
  if (v.kind == Value::Kind::Nothing || v.isError())
    return; // it put its own statement
  if (v.isTyped() && v.expr->op == Op::Call && v.expr->type.isVoid()) {
    emit(Stmt::Kind::Expr, s.range)->value = v.expr;
    return;
  }
  Expr *e = typed(v);
  if (!e)
    return;
  emit(Stmt::Kind::Expr, s.range)->value = e;
  if (!hasSideEffects(e) && options_.warnings)
    report(diag::UnusedValue, s.range);
}

} // namespace phobos::sema
