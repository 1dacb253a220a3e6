// Control flow: lists of statements with early exits, to structured operations.
#include "compiler/ir/KernelBuilder.h"
#include "compiler/ir/Types.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace phobos::ir {

using sema::ExprP;
using sema::Op;
using sema::Stmt;
using sema::StmtP;
using sema::VarId;

/// Past this many regions around, what follows an early exit is guarded piece by piece instead of nested once
/// more, so that a thousand `if .. { return }` in a row do not make a thousand levels.
static constexpr unsigned kMaxGuardNesting = 48;

//===-- slots --===//

mlir::Type KernelBuilder::typeOf(VarId var) { return valueType(&context_, kernel_.vars[var].type); }

KernelBuilder::Slot KernelBuilder::newSlot() {
  slots_.push_back({});
  return static_cast<Slot>(slots_.size() - 1);
}

void KernelBuilder::set(Slot slot, Value v) {
  undo_.emplace_back(slot, slots_[slot]);
  slots_[slot] = v;
}

SmallVector<Value> KernelBuilder::valuesOf(const Slots &carried) {
  SmallVector<Value> values;
  for (Slot s : carried)
    values.push_back(slots_[s]);
  return values;
}

void KernelBuilder::setAll(const Slots &carried, ValueRange values) {
  for (auto [slot, v] : llvm::zip_equal(carried, values))
    set(slot, v);
}

SmallVector<Value> KernelBuilder::inRegion(const Slots &carried, ValueRange args, Effect fill) {
  llvm::SaveAndRestore deeper(nesting_, nesting_ + 1);
  size_t mark = undo_.size();
  if (!args.empty())
    setAll(carried, args);
  fill();
  SmallVector<Value> values = valuesOf(carried);
  for (; undo_.size() > mark; undo_.pop_back())
    slots_[undo_.back().first] = undo_.back().second;
  return values;
}

//===-- exits --===//

uint8_t KernelBuilder::exits(Statements list) {
  uint8_t all = None;
  for (StmtP s : list)
    all |= exits(s);
  return all;
}

uint8_t KernelBuilder::exits(StmtP s) {
  switch (s->kind) {
  case Stmt::Kind::Break:
    return Break;
  case Stmt::Kind::Continue:
    return Continue;
  case Stmt::Kind::Return:
    return Return;
  case Stmt::Kind::If:
  case Stmt::Kind::Block:
  case Stmt::Kind::For:
  case Stmt::Kind::While:
    break;
  default:
    return None;
  }
  if (auto known = exits_.find(s); known != exits_.end())
    return known->second;
  uint8_t found = exits(s->body.statements) | exits(s->orElse.statements);
  if (s->kind == Stmt::Kind::For || s->kind == Stmt::Kind::While)
    found &= Return; // the others stay inside
  return exits_[s] = found;
}

bool KernelBuilder::alwaysExits(Statements list) {
  return llvm::any_of(list, [&](StmtP s) {
    switch (s->kind) {
    case Stmt::Kind::Break:
    case Stmt::Kind::Continue:
    case Stmt::Kind::Return:
      return true;
    case Stmt::Kind::If:
      return exits(s) && alwaysExits(s->body.statements) && alwaysExits(s->orElse.statements);
    case Stmt::Kind::Block:
      return exits(s) && alwaysExits(s->body.statements);
    default:
      return false;
    }
  });
}

void KernelBuilder::addFlags(uint8_t exits, Slots &slots) {
  if (exits & Return) {
    slots.insert(frames_.back().returned);
    if (frames_.back().result)
      slots.insert(*frames_.back().result);
  }
  if (exits & Break)
    slots.insert(loops_.back().broke);
  if (exits & Continue)
    slots.insert(loops_.back().continued);
}

void KernelBuilder::addAssigned(Statements list, Slots &slots) {
  for (StmtP s : list) {
    if (s->kind == Stmt::Kind::Assign && slots_[s->var])
      slots.insert(s->var);
    addAssigned(s->body.statements, slots);
    addAssigned(s->orElse.statements, slots);
  }
}

Value KernelBuilder::exited(Location loc, uint8_t exits) {
  Value any;
  auto add = [&](Slot s) {
    any = any ? arith::OrIOp::create(b_, loc, any, slots_[s]).getResult() : slots_[s];
  };
  if (exits & Return)
    add(frames_.back().returned);
  if (exits & Break)
    add(loops_.back().broke);
  if (exits & Continue)
    add(loops_.back().continued);
  return any;
}

void KernelBuilder::exitStatement(StmtP s) {
  Location loc = here_;
  if (s->kind == Stmt::Kind::Return) {
    if (s->value) {
      Value result = value(s->value);
      if (frames_.back().result)
        set(*frames_.back().result, result);
    }
    set(frames_.back().returned, flag(loc, true));
    return;
  }
  set(s->kind == Stmt::Kind::Break ? loops_.back().broke : loops_.back().continued, flag(loc, true));
}

//===-- lists --===//

void KernelBuilder::statements(Statements list) {
  while (!list.empty()) {
    StmtP s = list.front();
    list = list.drop_front();
    uint8_t out = exits(s);
    if (!out || list.empty()) {
      statement(s);
      continue;
    }

    // Something may leave `s` for a place past `list`.
    bool thenExits = alwaysExits(s->body.statements);
    bool elseExits = s->kind == Stmt::Kind::If && alwaysExits(s->orElse.statements);
    if (alwaysExits(s)) {
      statement(s); // what follows never runs
      return;
    }
    bool nest = nesting_ < kMaxGuardNesting;
    if (nest && s->kind == Stmt::Kind::If &&
        (thenExits ? !exits(s->orElse.statements) : elseExits && !exits(s->body.statements))) {
      // if c { .. exit } rest: the rest is the other branch.
      here_ = location(s->range);
      Value condition = value(s->value);
      const std::vector<StmtP> &short_ = thenExits ? s->body.statements : s->orElse.statements;
      std::vector<StmtP> long_ = thenExits ? s->orElse.statements : s->body.statements;
      long_.insert(long_.end(), list.begin(), list.end());
      thenExits ? branch(here_, condition, short_, long_) : branch(here_, condition, long_, short_);
      return;
    }
    statement(s);
    Location loc = here_;
    if (nest) {
      branch(loc, negate(loc, exited(loc, out)), list, {});
      return;
    }
    // Deep: guard up to the next statement that may exit; what those declare must have a value on both ways.
    while (!list.empty()) {
      auto end = llvm::find_if(list, [&](StmtP t) { return exits(t) != None; });
      Statements piece = list.take_front(std::min<size_t>(end - list.begin() + 1, list.size()));
      list = list.drop_front(piece.size());
      for (StmtP t : piece)
        if (t->kind == Stmt::Kind::Assign && !slots_[t->var])
          set(t->var, zero(loc, typeOf(t->var)));
      branch(loc, negate(loc, exited(loc, out)), piece, {});
      out |= exits(piece);
    }
  }
}

void KernelBuilder::statement(StmtP s) {
  here_ = location(s->range);
  switch (s->kind) {
  case Stmt::Kind::Assign:
    set(s->var, value(s->value));
    return;
  case Stmt::Kind::Store:
    return store(s);
  case Stmt::Kind::Expr:
    value(s->value);
    return;
  case Stmt::Kind::If: {
    Location loc = here_;
    Value condition = value(s->value);
    return branch(loc, condition, s->body.statements, s->orElse.statements);
  }
  case Stmt::Kind::For:
    return forLoop(s);
  case Stmt::Kind::While:
    return whileLoop(s);
  case Stmt::Kind::Break:
  case Stmt::Kind::Continue:
  case Stmt::Kind::Return:
    return exitStatement(s);
  case Stmt::Kind::Barrier:
    pho::BarrierOp::create(b_, here_);
    return;
  case Stmt::Kind::Block:
    return statements(s->body.statements);
  }
}

void KernelBuilder::store(StmtP s) {
  Location loc = here_;
  Value stored = value(s->value), mask = s->mask ? value(s->mask) : Value();
  Access a = access(s->param, s->subscripts, loc);
  pho::StoreOp::create(b_, loc, stored, arguments_[s->param], a.starts, a.extents, mask, a.sizes, a.points,
                       a.inBounds, a.allPoints() && s->oncePerBlock);
}

//===-- branches and loops --===//

void KernelBuilder::branch(Location loc, Value condition, Statements then, Statements otherwise) {
  Slots carried;
  for (Statements list : {then, otherwise}) {
    addAssigned(list, carried);
    addFlags(exits(list), carried);
  }
  SmallVector<Value> before = valuesOf(carried);
  auto op = scf::IfOp::create(b_, loc, ValueRange(before).getTypes(), condition, /*addThenBlock=*/true,
                              /*addElseBlock=*/!carried.empty() || !otherwise.empty());
  auto fill = [&](mlir::Block *block, Statements list) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(block);
    scf::YieldOp::create(b_, loc, inRegion(carried, {}, [&] { statements(list); }));
  };
  fill(op.thenBlock(), then);
  if (op.elseBlock())
    fill(op.elseBlock(), otherwise);
  setAll(carried, op.getResults());
}

void KernelBuilder::forLoop(StmtP s) {
  Location loc = here_;
  Value lo = value(s->lo), hi = value(s->hi), step = value(s->step);
  bool stepIsSmall = s->step->op == Op::Int && s->step->intValue > 0 && s->step->intValue <= INT32_MAX;
  if (!stepIsSmall) {
    // A step below 1 runs nothing.
    Value one = integer(loc, step.getType(), 1);
    Value positive = arith::CmpIOp::create(b_, loc, arith::CmpIPredicate::sge, step, one);
    hi = arith::SelectOp::create(b_, loc, positive, hi, lo);
    step = arith::MaxSIOp::create(b_, loc, step, one);
  }
  if (exits(s->body.statements) & (Break | Return))
    countedLoopWithExit(s, lo, hi, step);
  else
    countedLoop(s, lo, hi, step);
}

void KernelBuilder::countedLoop(StmtP s, Value lo, Value hi, Value step) {
  Location loc = here_;
  Slots carried;
  addAssigned(s->body.statements, carried);
  loops_.push_back({newSlot(), newSlot()});
  auto op = scf::ForOp::create(b_, loc, lo, hi, step, valuesOf(carried),
                               [&](OpBuilder &inner, Location, Value i, ValueRange args) {
                                 OpBuilder::InsertionGuard guard(b_);
                                 b_.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
                                 scf::YieldOp::create(b_, loc, inRegion(carried, args, [&] {
                                                        set(s->var, i);
                                                        set(loops_.back().continued, flag(loc, false));
                                                        statements(s->body.statements);
                                                      }));
                               });
  if (s->unroll > 1)
    op->setAttr("pho.unroll", b_.getI64IntegerAttr(s->unroll));
  loops_.pop_back();
  setAll(carried, op.getResults());
}

/// How far a counter that is below `hi` moves: to `hi` at most, so that it cannot wrap. The distance is below
/// 2^64, hence exact without a sign.
Value KernelBuilder::stepTo(Value hi, Value counter, ExprP written, Value step) {
  if (written->op == Op::Int && written->intValue == 1)
    return step;
  Value left = arith::SubIOp::create(b_, here_, hi, counter);
  return arith::MinUIOp::create(b_, here_, step, left);
}

void KernelBuilder::countedLoopWithExit(StmtP s, Value lo, Value hi, Value step) {
  Location loc = here_;
  loops_.push_back({newSlot(), newSlot()});
  Slot counter = newSlot();
  set(counter, lo);
  set(loops_.back().broke, flag(loc, false));
  uint8_t out = exits(s->body.statements) & (Break | Return);
  Slots carried;
  carried.insert(counter);
  addAssigned(s->body.statements, carried);
  addFlags(out, carried);
  auto op = loop(
      loc, carried,
      [&] {
        Value below = arith::CmpIOp::create(b_, loc, arith::CmpIPredicate::slt, slots_[counter], hi);
        return arith::AndIOp::create(b_, loc, below, negate(loc, exited(loc, out))).getResult();
      },
      [&] {
        set(s->var, slots_[counter]);
        set(loops_.back().continued, flag(loc, false));
        statements(s->body.statements);
        here_ = loc;
        Value stride = stepTo(hi, slots_[counter], s->step, step);
        set(counter, arith::AddIOp::create(b_, loc, slots_[counter], stride));
      });
  if (s->unroll > 1)
    op->setAttr("pho.unroll", b_.getI64IntegerAttr(s->unroll));
  loops_.pop_back();
}

void KernelBuilder::whileLoop(StmtP s) {
  Location loc = here_;
  loops_.push_back({newSlot(), newSlot()});
  set(loops_.back().broke, flag(loc, false));
  uint8_t out = exits(s->body.statements) & (Break | Return);
  Slots carried;
  addAssigned(s->body.statements, carried);
  addFlags(out, carried);
  loop(
      loc, carried,
      [&]() -> Value {
        if (!out)
          return value(s->value);
        // After an exit the condition is not evaluated again.
        Value goesOn = negate(loc, exited(loc, out));
        return choose(
            loc, goesOn, goesOn.getType(), [&] { return value(s->value); }, [&] { return flag(loc, false); });
      },
      [&] {
        set(loops_.back().continued, flag(loc, false));
        statements(s->body.statements);
      });
  loops_.pop_back();
}

scf::WhileOp KernelBuilder::loop(Location loc, const Slots &carried, llvm::function_ref<Value()> test,
                                 Effect body) {
  SmallVector<Value> before = valuesOf(carried);
  auto at = [&](OpBuilder &inner) {
    b_.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
  };
  auto op = scf::WhileOp::create(
      b_, loc, ValueRange(before).getTypes(), before,
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b_);
        at(inner);
        Value condition;
        inRegion(carried, args, [&] { condition = test(); });
        scf::ConditionOp::create(b_, loc, condition, args);
      },
      [&](OpBuilder &inner, Location, ValueRange args) {
        OpBuilder::InsertionGuard guard(b_);
        at(inner);
        scf::YieldOp::create(b_, loc, inRegion(carried, args, body));
      });
  setAll(carried, op.getResults());
  return op;
}

} // namespace phobos::ir
