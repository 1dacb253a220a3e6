#include "compiler/sema/Linear.h"
#include "compiler/sema/TreeWalk.h"
#include <algorithm>

namespace phobos::sema {

namespace {

constexpr size_t kMaxTerms = 8;

bool same(const Linear::Term &a, const Linear::Term &b) {
  return a.symbol == b.symbol && a.var == b.var && a.expr == b.expr;
}

bool addTerm(Linear &sum, Linear::Term t) {
  auto it =
      std::find_if(sum.terms.begin(), sum.terms.end(), [&](const Linear::Term &o) { return same(o, t); });
  if (it == sum.terms.end()) {
    sum.terms.push_back(t);
    return sum.terms.size() <= kMaxTerms;
  }
  if (__builtin_add_overflow(it->factor, t.factor, &it->factor))
    return false;
  if (it->factor == 0)
    sum.terms.erase(it);
  return true;
}

/// a + k b; nothing if a number overflows or there are too many terms.
std::optional<Linear> plus(Linear a, const Linear &b, int64_t k) {
  int64_t scaled = 0;
  if (__builtin_mul_overflow(b.constant, k, &scaled) ||
      __builtin_add_overflow(a.constant, scaled, &a.constant))
    return std::nullopt;
  for (Linear::Term t : b.terms)
    if (__builtin_mul_overflow(t.factor, k, &t.factor) || !addTerm(a, t))
      return std::nullopt;
  return a;
}

void returned(const Block &b, std::vector<ExprP> &out) {
  for (StmtP s : b.statements) {
    if (s->kind == Stmt::Kind::Return && s->value)
      out.push_back(s->value);
    returned(s->body, out);
    returned(s->orElse, out);
  }
}

/// `e`, its operands, and what the functions called in it return.
template <typename Each> void forEachPart(ExprP e, Each each) {
  std::vector<ExprP> work{e};
  while (!work.empty()) {
    ExprP x = work.back();
    work.pop_back();
    each(*x);
    work.insert(work.end(), x->args.begin(), x->args.end());
    for (const Subscript &s : x->subscripts)
      work.push_back(s.start);
    if (x->op == Op::Call)
      returned(x->call->body, work);
  }
}

bool keepsIndices(ScalarType t) {
  return t == ScalarType::Index || t == ScalarType::I64 || t == ScalarType::I32 || t == ScalarType::U32;
}

} // namespace

int64_t Linear::blockFactor(int axis) const {
  for (const Term &t : terms)
    if (t.symbol == static_cast<Symbol>(axis))
      return t.factor;
  return 0;
}

/// Fills the tables in program order, so that what a variable's value names is known already.
class LinearCollector : public TreeWalk {
public:
  LinearCollector(LinearForms &out, const TypedKernel &kernel)
      : out_(out), kernel_(kernel), times_(kernel.vars.size()) {
    uses_.resize(kernel.vars.size());
    out_.isCounter_.resize(kernel.vars.size());
    out_.coordinates_.resize(kernel.vars.size());
  }

  void run() {
    Counter counter(times_);
    counter.block(kernel_.body);
    for (VarId v = 0; v < kernel_.vars.size(); ++v)
      if (kernel_.vars[v].isUnknown)
        out_.coordinates_[v] = LinearForms::kUnknown;
    block(kernel_.body);
    solveCoordinates();
  }

private:
  struct Counter : TreeWalk {
    explicit Counter(std::vector<unsigned> &t) : times(t) {}
    void onStatement(const Stmt &s) override {
      if (s.kind == Stmt::Kind::Assign || s.kind == Stmt::Kind::For)
        ++times[s.var];
    }
    void onParam(VarId v, ExprP) override { ++times[v]; }
    std::vector<unsigned> &times;
  };

  void onStatement(const Stmt &s) override {
    if (s.kind == Stmt::Kind::Assign)
      assign(s.var, s.value);
    if (s.kind != Stmt::Kind::For)
      return;
    out_.isCounter_[s.var] = true;
    Linear lo = out_.of(s.lo), hi = out_.of(s.hi), step = out_.of(s.step);
    for (ExprP e : {s.lo, s.hi, s.step})
      depends(s.var, e);
    if (!lo.isConstant() || !step.isConstant() || step.constant < 1)
      return;
    CounterRange r{lo.constant, step.constant, std::nullopt};
    int64_t span = 0;
    if (hi.isConstant() && hi.constant > lo.constant &&
        !__builtin_sub_overflow(hi.constant - 1, lo.constant, &span))
      r.last = lo.constant + span / step.constant * step.constant;
    out_.counters_[s.var] = r;
  }

  void onParam(VarId v, ExprP e) override { assign(v, e); }

  void assign(VarId v, ExprP e) {
    depends(v, e);
    if (times_[v] == 1 && e->type.isScalar() && keepsIndices(e->type.elem))
      out_.known_[v] = out_.of(e);
  }

  /// Edges from the variables in `e` to `v`, and its own coordinates.
  void depends(VarId v, ExprP e) {
    forEachPart(e, [&](const Expr &x) {
      if (x.op == Op::BlockId)
        out_.coordinates_[v] |= 1u << x.axis;
      if (x.op == Op::Var)
        uses_[x.var].push_back(v);
    });
  }

  void solveCoordinates() {
    std::vector<VarId> work;
    for (VarId v = 0; v < uses_.size(); ++v)
      if (out_.coordinates_[v])
        work.push_back(v);
    for (size_t i = 0; i < work.size(); ++i)
      for (VarId to : uses_[work[i]]) {
        unsigned joined = out_.coordinates_[to] | out_.coordinates_[work[i]];
        if (joined == out_.coordinates_[to])
          continue;
        out_.coordinates_[to] = joined;
        work.push_back(to);
      }
  }

  LinearForms &out_;
  const TypedKernel &kernel_;
  std::vector<unsigned> times_;
  std::vector<std::vector<VarId>> uses_;
};

LinearForms::LinearForms(const TypedKernel &kernel) { LinearCollector(*this, kernel).run(); }

Linear LinearForms::other(ExprP e) const {
  Linear l;
  l.terms.push_back({Linear::Symbol::Other, 0, e, 1});
  return l;
}

Linear LinearForms::of(ExprP e) const {
  auto symbol = [](Linear::Symbol s, VarId var = 0) {
    Linear l;
    l.terms.push_back({s, var, nullptr, 1});
    return l;
  };
  switch (e->op) {
  case Op::Int: {
    Linear l;
    l.constant = e->intValue;
    return l;
  }
  case Op::BlockId:
    return symbol(static_cast<Linear::Symbol>(e->axis));
  case Op::ThreadId:
    return symbol(Linear::Symbol::Thread);
  case Op::Var: {
    if (isCounter_[e->var])
      return symbol(Linear::Symbol::Counter, e->var);
    auto it = known_.find(e->var);
    return it == known_.end() ? other(e) : it->second;
  }
  case Op::Convert:
    if (e->type.isScalar() && keepsIndices(e->type.elem) && keepsIndices(e->args[0]->type.elem))
      return of(e->args[0]);
    break;
  case Op::Neg:
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Shl: {
    if (!e->type.isScalar() || !keepsIndices(e->type.elem))
      break;
    Linear a = of(e->args[0]);
    if (e->op == Op::Neg)
      return plus(Linear(), a, -1).value_or(other(e));
    Linear b = of(e->args[1]);
    if (e->op == Op::Add || e->op == Op::Sub)
      return plus(a, b, e->op == Op::Add ? 1 : -1).value_or(other(e));
    if (e->op == Op::Shl) {
      if (!b.isConstant() || b.constant < 0 || b.constant > 30)
        break;
      return plus(Linear(), a, int64_t(1) << b.constant).value_or(other(e));
    }
    if (b.isConstant())
      return plus(Linear(), a, b.constant).value_or(other(e));
    if (a.isConstant())
      return plus(Linear(), b, a.constant).value_or(other(e));
    break;
  }
  default:
    break;
  }
  return other(e);
}

std::optional<CounterRange> LinearForms::counter(VarId var) const {
  auto it = counters_.find(var);
  return it == counters_.end() ? std::nullopt : std::optional(it->second);
}

unsigned LinearForms::coordinates(ExprP e) const {
  unsigned out = 0;
  forEachPart(e, [&](const Expr &x) {
    out |= x.op == Op::BlockId ? 1u << x.axis : x.op == Op::Var ? coordinates_[x.var] : 0;
  });
  return out;
}

} // namespace phobos::sema
