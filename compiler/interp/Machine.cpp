#include "compiler/interp/Machine.h"

namespace phobos::interp {

using sema::Stmt;

Machine::Machine(const sema::TypedKernel &kernel, const std::vector<Argument> &args,
                 const std::vector<int64_t> &dims, const std::array<int64_t, 3> &grid, const Options &options,
                 Shadow *shadow, Diagnostics &diags)
    : kernel_(kernel), dims_(dims), options_(options), shadow_(shadow), diags_(diags),
      threads_(kernel.usesThreads ? static_cast<unsigned>(kernel.threadCount()) : 1), grid_(grid),
      scalars_(args.size()), tensors_(args.size()) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (auto *array = std::get_if<HostArray *>(&args[i])) {
      tensors_[i] = tensorOf(**array, i);
      if (shadow_)
        shadow_->addTensor(tensors_[i], (*array)->size());
    } else {
      const ScalarArgument &s = std::get<ScalarArgument>(args[i]);
      scalars_[i] = isFloat(kernel.params[i].elem) ? Value::ofFloat(s.f) : Value::ofInt(s.i);
    }
  }
}

bool Machine::runBlock(const std::array<int64_t, 3> &block) {
  block_ = block;
  if (shadow_)
    shadow_->beginBlock(block);
  vars_.assign(kernel_.vars.size(), Value());
  Frame frame{Lanes(threads_), {}};
  frame_ = &frame;
  loop_ = nullptr;
  mask_ = Lanes::all(threads_);
  execute(kernel_.body);
  return !stopped_;
}

bool Machine::countStep(SourceRange range) {
  if (++steps_ > options_.maxSteps) {
    diags_.report(diag::StepLimit, range, options_.maxSteps);
    stopped_ = true;
  } else if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) {
    diags_.report(diag::Cancelled, range);
    stopped_ = true;
  }
  return !stopped_;
}

Lanes Machine::where(const Value &condition) const {
  if (condition.isSplat())
    return *condition.ints() ? mask_ : Lanes(threads_);
  Lanes chosen(threads_);
  mask_.forEach([&](unsigned i) {
    if (condition.ints()[i])
      chosen.add(i);
  });
  return chosen;
}

void Machine::merge(Value &into, const Value &from, const Lanes &lanes) const {
  Value merged = (into.size() ? into : Value::zero()).expanded(threads_);
  into = Value(); // the cells may now be ours alone
  merged.own();
  lanes.forEach([&](unsigned i) { merged.copyFrom(i, from, from.isSplat() ? 0 : i, 1); });
  into = std::move(merged);
}

Value Machine::uniform(const Value &v) const { return v.isSplat() ? v : v.cell(mask_.first()); }

int Machine::actor() const {
  return kernel_.usesThreads && !mask_.isAll() ? static_cast<int>(mask_.first()) : -1;
}

// Statements ------------------------------------------------------------

void Machine::execute(const sema::Block &block) {
  for (sema::StmtP s : block.statements) {
    if (stopped_ || !mask_.any())
      return;
    if (countStep(s->range))
      execute(*s);
  }
}

void Machine::execute(const Stmt &s) {
  switch (s.kind) {
  case Stmt::Kind::Assign:
    return assign(s.var, evaluate(s.value), kernel_.vars[s.var].type.isTile());
  case Stmt::Kind::Store:
    return executeStore(s);
  case Stmt::Kind::Expr:
    return void(evaluate(s.value));
  case Stmt::Kind::If:
    return executeIf(s);
  case Stmt::Kind::For:
    return executeFor(s);
  case Stmt::Kind::While:
    return executeWhile(s);
  case Stmt::Kind::Return:
    return executeReturn(s);
  case Stmt::Kind::Block:
    return execute(s.body);
  case Stmt::Kind::Break:
    mask_ = Lanes(threads_);
    return;
  case Stmt::Kind::Continue:
    loop_->continued |= mask_;
    mask_ = Lanes(threads_);
    return;
  case Stmt::Kind::Barrier:
    if (shadow_)
      shadow_->barrier();
    return;
  }
}

void Machine::assign(sema::VarId var, Value value, bool isTile) {
  if (isTile || mask_.isAll())
    vars_[var] = std::move(value);
  else
    merge(vars_[var], value, mask_);
}

void Machine::executeIf(const Stmt &s) {
  Value condition = evaluate(s.value);
  if (condition.isSplat())
    return execute(*condition.ints() ? s.body : s.orElse);
  Lanes yes = where(condition), no = mask_;
  no -= yes;
  mask_ = yes;
  if (mask_.any())
    execute(s.body);
  Lanes left = mask_; // threads that came out of the first branch
  mask_ = no;
  if (mask_.any())
    execute(s.orElse);
  mask_ |= left;
}

void Machine::executeFor(const Stmt &s) {
  Value i = evaluate(s.lo), hi = evaluate(s.hi), step = evaluate(s.step);
  bool shared = i.isSplat() && hi.isSplat() && step.isSplat();
  Loop loop{Lanes(threads_)}, *outer = std::exchange(loop_, &loop);
  Lanes entered = mask_, live = mask_;
  size_t n = shared ? 1 : threads_;
  Value counter = i.expanded(n);
  while (!stopped_) {
    // Who has another iteration: below the bound, by a step that moves forward.
    if (shared) {
      if (*counter.ints() >= *hi.ints() || *step.ints() < 1)
        break;
    } else {
      Lanes next(threads_);
      live.forEach([&](unsigned t) {
        if (counter.ints()[t] < hi.intAt(t) && step.intAt(t) >= 1)
          next.add(t);
      });
      live = next;
    }
    mask_ = live;
    if (!mask_.any() || !countStep(s.range))
      break;
    assign(s.var, counter, false);
    loop.continued = Lanes(threads_);
    execute(s.body);
    live = mask_;
    live |= loop.continued;
    // A counter that would pass the largest index has passed every bound.
    Value advanced(n);
    for (size_t t = 0; t < n; ++t)
      if (__builtin_add_overflow(counter.ints()[t], step.intAt(t), advanced.ints() + t))
        advanced.ints()[t] = INT64_MAX;
    counter = std::move(advanced);
  }
  loop_ = outer;
  mask_ = entered;
  mask_ -= frame_->returned;
}

void Machine::executeWhile(const Stmt &s) {
  Loop loop{Lanes(threads_)}, *outer = std::exchange(loop_, &loop);
  Lanes entered = mask_, live = mask_;
  while (!stopped_) {
    mask_ = live;
    if (!mask_.any() || !countStep(s.range))
      break;
    mask_ = where(evaluate(s.value));
    if (!mask_.any())
      break;
    loop.continued = Lanes(threads_);
    execute(s.body);
    live = mask_;
    live |= loop.continued;
  }
  loop_ = outer;
  mask_ = entered;
  mask_ -= frame_->returned;
}

void Machine::executeReturn(const Stmt &s) {
  if (s.value) {
    Value v = evaluate(s.value);
    if (s.value->type.isTile() || mask_.isAll())
      frame_->result = std::move(v);
    else
      merge(frame_->result, v, mask_);
  }
  frame_->returned |= mask_;
  mask_ = Lanes(threads_);
}

} // namespace phobos::interp
