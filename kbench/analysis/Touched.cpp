#include "kbench/analysis/Touched.h"
#include "kbench/space/Interval.h"
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace phobos::kbench {
namespace {

using sema::ExprP;
using sema::Op;
using sema::StmtP;

/// What is known of a scalar (of a tile, whether it depends on data).
struct Value {
  Interval range;
  bool isData = false;
};

Value join(const Value &a, const Value &b) { return {join(a.range, b.range), a.isData || b.isData}; }

Interval rangeOf(const Type &t) {
  if (!t.isScalar())
    return {};
  if (t.elem == ScalarType::Bool)
    return {0, 1};
  if (isFloat(t.elem) || byteSize(t.elem) >= 8)
    return {};
  const int bits = static_cast<int>(8 * byteSize(t.elem));
  return isSigned(t.elem) ? Interval{-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1}
                          : Interval{0, (int64_t(1) << bits) - 1};
}

/// What wraps may be anything of the type.
Interval within(Interval i, const Type &t) {
  const Interval all = rangeOf(t);
  return i.lo < all.lo || i.hi > all.hi ? all : i;
}

/// Of all that is not an infix operator (binaryForm).
std::optional<FormulaOp> formulaOp(Op op) {
  switch (op) {
#define INTEGER_CALL(NAME, TEXT)                                                                             \
  case Op::NAME:                                                                                             \
    return FormulaOp::NAME;
#include "runtime/contract/IntegerOps.def"
  default:
    return prefixForm(op);
  }
}

/// Walks the code for all blocks and threads at once, with bounds for scalars. Which variables depend on data
/// is asked of the whole kernel: one that does anywhere does everywhere. That is known when a walk finds no
/// further one.
class Boxes {
public:
  Boxes(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims, const std::array<int64_t, 3> &grid)
      : kernel_(kernel), dims_(dims), grid_(grid), isData_(kernel.vars.size()) {}

  TouchedElements run() {
    constexpr int mostWalks = 32; // more take a chain of variables that each hand on what another held before
    for (int i = 0; i < mostWalks && changed_; ++i)
      walkAll();
    if (changed_) {
      isData_.assign(isData_.size(), true);
      walkAll();
    }
    return std::move(touched_);
  }

private:
  void walkAll() {
    changed_ = dependsOnData_ = leavesByData_ = returnsByData_ = false;
    ranges_.assign(kernel_.vars.size(), {});
    touched_ = {};
    touched_.params.resize(kernel_.params.size());
    walk(kernel_.body);
  }

  void access(const void *place, sema::ParamId param, const std::vector<sema::Subscript> &subscripts,
              bool reads, bool writes, bool isData) {
    isData = isData || dependsOnData_;
    Box box;
    bool isOutside = false;
    for (size_t axis = 0; axis < subscripts.size(); ++axis) {
      const sema::Subscript &s = subscripts[axis];
      const Value start = visit(s.start);
      isData = isData || start.isData;
      const sema::Extent &e = kernel_.params[param].extents[axis];
      const int64_t extent = e.fixed ? *e.fixed : dims_[e.dim];
      const int64_t from = std::max<int64_t>(start.range.lo, 0),
                    to = std::min(addOrEnd(start.range.hi, s.isPoint ? 0 : s.length - 1), extent - 1);
      isOutside = isOutside || from > to;
      box.axes.push_back({from, to});
    }
    if (isOutside)
      return;
    touched_.dependsOnData[place] |= isData;
    TouchedTensor &t = touched_.params[param];
    for (Touched *side : {reads ? &t.read : nullptr, writes ? &t.written : nullptr})
      if (side) {
        side->all.include(box);
        if (!isData)
          side->certain.include(box);
      }
  }

  Value conditional(ExprP e) {
    const Value c = visit(e->args[1]);
    if (c.range.isTrue() || c.range.isFalse()) {
      Value v = visit(e->args[c.range.isTrue() ? 0 : 2]);
      v.isData = v.isData || c.isData;
      return v;
    }
    const bool before = dependsOnData_;
    dependsOnData_ = before || c.isData;
    Value v = join(visit(e->args[0]), visit(e->args[2]));
    dependsOnData_ = before || hasLeftByData();
    v.isData = v.isData || c.isData;
    return v;
  }

  Value call(ExprP e) {
    std::vector<Value> args;
    for (ExprP a : e->args)
      args.push_back(visit(a));
    for (size_t i = 0; i < e->call->params.size() && i < args.size(); ++i)
      assign(e->call->params[i], args[i]);
    // Its returns leave it alone.
    const auto outer = std::exchange(result_, std::nullopt);
    const bool before = dependsOnData_, returned = returnsByData_;
    std::vector<StmtP> around = std::exchange(loops_, {});
    walk(e->call->body);
    loops_ = std::move(around);
    dependsOnData_ = before, returnsByData_ = returned;
    const Value result = std::exchange(result_, outer).value_or(Value());
    return {within(result.range, e->type), result.isData};
  }

  Value visit(ExprP e) {
    const Interval anything = rangeOf(e->type);
    switch (e->op) {
    case Op::Int:
    case Op::Bool:
      return {Interval::exactly(e->intValue), false};
    case Op::Var:
      return {ranges_[e->var], isData_[e->var]};
    case Op::Param:
      return {anything, true};
    case Op::Dim:
      return {Interval::exactly(dims_[e->dim]), false};
    case Op::BlockId:
      return {{0, std::max<int64_t>(0, grid_[static_cast<size_t>(e->axis)] - 1)}, false};
    case Op::GridDim:
      return {Interval::exactly(grid_[static_cast<size_t>(e->axis)]), false};
    case Op::ThreadId:
      return {{0, kernel_.threadCount() - 1}, false};
    case Op::WarpId:
      return {{0, (kernel_.threadCount() - 1) / 32}, false};
    case Op::LaneId:
      return {{0, std::min<int64_t>(31, kernel_.threadCount() - 1)}, false};
    case Op::Conditional:
      return conditional(e);
    case Op::Call:
      return call(e);
    default:
      break;
    }
    std::vector<Interval> ranges;
    bool isData = e->op == Op::Load || e->op == Op::Atomic || e->op == Op::Rand;
    for (ExprP a : e->args) {
      const Value v = visit(a);
      ranges.push_back(v.range);
      isData = isData || v.isData;
    }
    if (e->op == Op::Load || e->op == Op::Atomic)
      access(e, e->param, e->subscripts, true, e->op == Op::Atomic, false);
    if (!e->type.isScalar() || isFloat(e->type.elem))
      return {anything, isData};
    return {within(arithmetic(e, ranges).value_or(anything), e->type), isData};
  }

  std::optional<Interval> arithmetic(ExprP e, const std::vector<Interval> &args) const {
    for (ExprP a : e->args)
      if (!a->type.isScalar() || isFloat(a->type.elem))
        return std::nullopt;
    if (e->op == Op::Convert || e->op == Op::Broadcast)
      return args[0];
    if (const auto form = binaryForm(e->op)) {
      std::array ab{args[0], form->negatesSecond ? bound(FormulaOp::Neg, {&args[1], 1}) : args[1]};
      if (form->swaps)
        std::swap(ab[0], ab[1]);
      return bound(form->op, ab);
    }
    const auto op = formulaOp(e->op);
    return op ? std::optional(bound(*op, args)) : std::nullopt;
  }

  // What a body assigns has any value at its first statement.
  void forget(const sema::Block &block) {
    for (StmtP s : block.statements) {
      if (s->kind == sema::Stmt::Kind::Assign || s->kind == sema::Stmt::Kind::For)
        ranges_[s->var] = rangeOf(kernel_.vars[s->var].type);
      forget(s->body);
      forget(s->orElse);
    }
  }

  /// `head` is evaluated at each trip, in the loop; true where the number of trips depends on data.
  template <typename Head> void loop(const sema::Stmt &s, Head head) {
    const bool outer = dependsOnData_, left = leavesByData_;
    loops_.push_back(&s);
    forget(s.body);
    dependsOnData_ = head() || outer || leftByData_.count(&s) > 0;
    walk(s.body);
    forget(s.body);
    loops_.pop_back();
    leavesByData_ = left;
    dependsOnData_ = outer || hasLeftByData();
  }

  void forLoop(const sema::Stmt &s) {
    const Value lo = visit(s.lo), hi = visit(s.hi), step = s.step ? visit(s.step) : Value{{1, 1}, false};
    const bool isData = lo.isData || hi.isData || step.isData;
    if (lo.range.lo >= hi.range.hi)
      return;
    loop(s, [&] {
      assign(s.var, {{lo.range.lo, addOrEnd(hi.range.hi, -1)}, isData});
      return isData;
    });
  }

  void branch(const sema::Stmt &s) {
    const Value c = visit(s.value);
    if (c.range.isTrue() || c.range.isFalse())
      return walk(c.range.isTrue() ? s.body : s.orElse);
    const bool outer = dependsOnData_;
    const std::vector<Interval> before = ranges_;
    dependsOnData_ = outer || c.isData;
    walk(s.body);
    const std::vector<Interval> after = std::exchange(ranges_, before);
    walk(s.orElse);
    for (size_t v = 0; v < ranges_.size(); ++v)
      ranges_[v] = join(after[v], ranges_[v]);
    dependsOnData_ = outer || hasLeftByData();
  }

  bool hasLeftByData() const { return leavesByData_ || returnsByData_; }

  void assign(sema::VarId var, const Value &v) {
    ranges_[var] = v.range;
    if ((v.isData || dependsOnData_) && !isData_[var])
      isData_[var] = changed_ = true;
  }

  void walk(const sema::Block &block) {
    for (StmtP s : block.statements)
      walk(*s);
  }

  void walk(const sema::Stmt &s) {
    using Kind = sema::Stmt::Kind;
    switch (s.kind) {
    case Kind::Assign:
      return assign(s.var, visit(s.value));
    case Kind::Store: {
      visit(s.value);
      const bool isMasked = s.mask && visit(s.mask).isData;
      return access(&s, s.param, s.subscripts, false, true, isMasked);
    }
    case Kind::Expr:
      visit(s.value);
      return;
    case Kind::If:
      return branch(s);
    case Kind::For:
      return forLoop(s);
    case Kind::While:
      return loop(s, [&] { return visit(s.value).isData; });
    case Kind::Return:
      if (s.value) {
        Value v = visit(s.value);
        v.isData = v.isData || dependsOnData_;
        result_ = result_ ? join(*result_, v) : v;
      }
      [[fallthrough]];
    case Kind::Break:
    case Kind::Continue:
      (s.kind == Kind::Return ? returnsByData_ : leavesByData_) |= dependsOnData_;
      for (StmtP around : loops_) // further trips are not sure
        if (dependsOnData_ && leftByData_.insert(around).second)
          changed_ = true;
      return;
    case Kind::Block:
      return walk(s.body);
    case Kind::Barrier:
      return;
    }
  }

  const sema::TypedKernel &kernel_;
  const std::vector<int64_t> &dims_;
  std::array<int64_t, 3> grid_;
  std::vector<Interval> ranges_; ///< of each variable, here
  std::vector<bool> isData_;     ///< and whether it depends on data anywhere
  std::vector<StmtP> loops_;     ///< around the current statement
  std::set<StmtP> leftByData_;   ///< loops whose further trips depend on data
  TouchedElements touched_;
  std::optional<Value> result_; ///< what the function that is walked has returned so far
  bool dependsOnData_ = false;  ///< whether the current statement is reached
  /// Some statement before may have left the trip or loop, or the function or block, by data.
  bool leavesByData_ = false, returnsByData_ = false;
  bool changed_ = true; ///< this walk found a variable or loop that depends on data
};

} // namespace

double Box::elements() const {
  double n = axes.empty() ? 0 : 1;
  for (const auto &[from, to] : axes)
    n *= static_cast<double>(to - from + 1);
  return n;
}

void Box::include(const Box &other) {
  if (axes.empty())
    axes = other.axes;
  for (size_t i = 0; i < axes.size(); ++i)
    axes[i] = {std::min(axes[i][0], other.axes[i][0]), std::max(axes[i][1], other.axes[i][1])};
}

TouchedElements touchedElements(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims,
                                const std::array<int64_t, 3> &grid) {
  return Boxes(kernel, dims, grid).run();
}

} // namespace phobos::kbench
