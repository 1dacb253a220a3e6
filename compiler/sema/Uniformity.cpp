#include "compiler/sema/Uniformity.h"
#include "compiler/sema/ThreadFlow.h"
#include <algorithm>
#include <set>

namespace phobos::sema {

namespace {

using Node = VarianceGraph::Node;

Variance placeOf(const std::vector<Subscript> &subscripts) {
  Variance v = Variance::Uniform;
  for (const Subscript &s : subscripts)
    v = std::max(v, s.start->variance);
  return v;
}

bool isCollective(const Expr &e) {
  return e.type.isTile() ||
         std::any_of(e.args.begin(), e.args.end(), [](ExprP a) { return a->type.isTile(); });
}

// ---- what was found, into the tree. The nodes are owned by the kernel, which we may change.

void write(const ThreadFlow &flow, TypedKernel &kernel) {
  for (size_t i = 0; i < flow.vars.size(); ++i)
    kernel.vars[i].variance = flow.graph[flow.vars[i]];
  for (const auto &[e, n] : flow.exprs) {
    auto *expr = const_cast<Expr *>(e);
    expr->variance = flow.graph[n];
    if (e->op == Op::Atomic)
      expr->oncePerBlock = flow.graph[n] == Variance::Uniform;
  }
  for (const Visit &v : flow.visits) {
    if (!v.stmt)
      continue;
    auto *s = const_cast<Stmt *>(v.stmt);
    s->control = flow.graph[flow.frames[v.frame].absolute];
    bool uniform = s->control == Variance::Uniform && placeOf(s->subscripts) == Variance::Uniform;
    if (s->kind == Stmt::Kind::Store)
      s->oncePerBlock = s->value->type.isTile() || (uniform && s->value->variance == Variance::Uniform);
  }
}

// ---- errors

class Errors {
public:
  Errors(const ThreadFlow &flow, const TypedKernel &kernel, Diagnostics &diags)
      : flow_(flow), kernel_(kernel), diags_(diags), times_(kernel.vars.size()), value_(kernel.vars.size()) {
    for (const Visit &v : flow_.visits) {
      if (v.stmt && v.stmt->kind == Stmt::Kind::Assign)
        assigned(v.stmt->var, v.stmt->value);
      else if (v.stmt && v.stmt->kind == Stmt::Kind::For)
        assigned(v.stmt->var, nullptr);
      else if (v.expr && v.expr->op == Op::Call)
        for (size_t i = 0; i < v.expr->args.size() && i < v.expr->call->params.size(); ++i)
          assigned(v.expr->call->params[i], v.expr->args[i]);
    }
  }

  void run() {
    for (const Visit &v : flow_.visits)
      if (v.stmt)
        statement(v);
      else if (isCollective(*v.expr))
        expression(v);
  }

private:
  void assigned(VarId var, ExprP value) {
    ++times_[var];
    value_[var] = value;
  }

  void statement(const Visit &v) {
    if (v.stmt->kind == Stmt::Kind::Barrier)
      collective("barrier()", v.stmt->range, v);
    if (v.stmt->kind == Stmt::Kind::Store)
      store(v);
  }

  void expression(const Visit &v) {
    if (!v.parent || !isCollective(*v.parent))
      collective("a tile operation", v.expr->range, v);
    operands(v);
  }

  static const char *describe(Variance v) { return v == Variance::Warp ? "per warp" : "per thread"; }

  void noteCause(Diagnostics::Builder &report, Node n) {
    VarianceGraph::Cause cause = flow_.graph.causeOf(n);
    if (!cause.name.empty())
      report.note(cause.place, "'" + cause.name + "' differs " + describe(flow_.graph[n]) +
                                   ", and with it what is computed from it");
    else if (cause.place.isValid())
      report.note(cause.place, std::string("this differs ") + describe(flow_.graph[n]));
  }

  void noteCalls(Diagnostics::Builder &report, size_t call) {
    for (unsigned n = 0; call != 0 && n < 8; call = flow_.calls[call - 1].outer, ++n)
      report.note(flow_.calls[call - 1].expr->range,
                  "in '" + flow_.calls[call - 1].expr->call->name + "' as it is called here");
  }

  /// All threads of the block are needed at `v`. One error for each frame that keeps some away.
  void collective(const char *what, SourceRange range, const Visit &v) {
    if (flow_.graph[flow_.frames[v.frame].absolute] == Variance::Uniform)
      return;
    FrameId id = v.frame;
    while (flow_.graph[flow_.frames[id].own] == Variance::Uniform)
      id = flow_.frames[id].parent;
    const Frame &f = flow_.frames[id];
    if (!blamed_.insert(f.own).second)
      return;
    const char *differs = describe(flow_.graph[f.own]);
    if (f.kind == Frame::Kind::AfterJump) {
      auto report = diags_.report(diag::CollectiveAfterJump, range, what, f.jump);
      report.note(f.place, std::string("only some threads take this '") + f.jump + "'");
      finish(report, f.own, v);
    } else if (f.kind == Frame::Kind::Loop) {
      auto report = diags_.report(diag::CollectiveInLoop, range, what, differs);
      report.note(f.place, "the number of its rounds comes from here");
      finish(report, f.own, v);
    } else {
      auto report = diags_.report(diag::CollectiveUnderCondition, range, what, differs);
      report.note(f.place, "the condition is here");
      finish(report, f.own, v);
    }
  }

  void finish(Diagnostics::Builder &report, Node cause, const Visit &v) {
    noteCause(report, cause);
    noteCalls(report, v.call);
  }

  /// A tile operation is done once by all threads: its scalars must be the same for all.
  void operands(const Visit &v) {
    const Expr &e = *v.expr;
    if (e.op == Op::Call)
      return; // its body says where
    const char *role = e.op == Op::Load          ? "the fill value"
                       : e.op == Op::Conditional ? "the condition"
                                                 : "an operand";
    SourceRange operation = e.op == Op::Broadcast && v.parent ? v.parent->range : e.range;
    for (ExprP a : e.args)
      if (!a->type.isTile())
        scalar(role, a, operation, v);
    for (const Subscript &s : e.subscripts)
      scalar("a bound", s.start, operation, v);
  }

  void scalar(const char *role, ExprP operand, SourceRange operation, const Visit &v) {
    if (operand->variance == Variance::Uniform)
      return;
    auto report = diags_.report(diag::PerThreadOperand, operand->range, role, describe(operand->variance));
    report.note(operation, "all threads do this operation together");
    finish(report, flow_.exprs.at(operand), v);
  }

  void store(const Visit &v) {
    const Stmt &s = *v.stmt;
    if (s.value->type.isTile()) {
      collective("a store of a tile", s.range, v);
      for (const Subscript &sub : s.subscripts)
        scalar("a bound", sub.start, s.range, v);
      return;
    }
    if (s.value->variance == Variance::Uniform || placeOf(s.subscripts) != Variance::Uniform ||
        isOneThread(v.frame))
      return;
    auto report = diags_.report(diag::PerThreadValueAtUniformPlace, s.range, describe(s.value->variance));
    report.help("store at a place of each thread, or let one thread store: 'if ctx.thread == 0 { .. }'");
    finish(report, flow_.exprs.at(s.value), v);
  }

  /// Whether a condition around it lets through one thread at most: `ctx.thread == e`, or `ctx.lane == e &&
  /// ctx.warp == f`.
  bool isOneThread(FrameId f) const {
    bool lane = false, warp = false;
    for (; f != 0; f = flow_.frames[f].parent) {
      std::vector<ExprP> conditions;
      if (flow_.frames[f].taken)
        conditions.push_back(flow_.frames[f].taken);
      while (!conditions.empty()) {
        ExprP c = conditions.back();
        conditions.pop_back();
        if (c->op == Op::Var && kernel_.vars[c->var].isUnknown)
          return true; // it may say so
        if (c->op == Op::LogicalAnd)
          conditions.insert(conditions.end(), c->args.begin(), c->args.end());
        if (equatesUniform(c, Op::ThreadId))
          return true;
        lane |= equatesUniform(c, Op::LaneId);
        warp |= equatesUniform(c, Op::WarpId);
      }
    }
    return lane && warp;
  }

  /// Whether `e` is another number in each thread because it is `id`, perhaps by another name, with what is
  /// uniform added to it: adding wraps, and keeps different numbers different.
  bool isShifted(ExprP e, Op id) const {
    for (;;) {
      bool keepsAll =
          e->type.isScalar() && (e->type.elem == ScalarType::I32 || e->type.elem == ScalarType::U32 ||
                                 e->type.elem == ScalarType::I64 || e->type.elem == ScalarType::Index);
      if (!keepsAll || e->op == id)
        return keepsAll;
      if (e->op == Op::Convert)
        e = e->args[0];
      else if (e->op == Op::Var && times_[e->var] == 1 && value_[e->var])
        e = value_[e->var];
      else if ((e->op == Op::Add || e->op == Op::Sub) && e->args[1]->variance == Variance::Uniform)
        e = e->args[0];
      else if ((e->op == Op::Add || e->op == Op::Sub) && e->args[0]->variance == Variance::Uniform)
        e = e->args[1];
      else
        return false;
    }
  }

  bool equatesUniform(ExprP c, Op id) const {
    if (c->op != Op::Eq)
      return false;
    ExprP a = c->args[0], b = c->args[1];
    return (b->variance == Variance::Uniform && isShifted(a, id)) ||
           (a->variance == Variance::Uniform && isShifted(b, id));
  }

  const ThreadFlow &flow_;
  const TypedKernel &kernel_;
  Diagnostics &diags_;
  std::set<Node> blamed_;
  std::vector<unsigned> times_; ///< how often the text gives a variable a value
  std::vector<ExprP> value_;    ///< the last such value
};

} // namespace

void inferUniformity(TypedKernel &kernel, Diagnostics &diags) {
  bool perThread = std::any_of(kernel.exprs.begin(), kernel.exprs.end(), [](const Expr &e) {
    return e.op == Op::ThreadId || e.op == Op::LaneId || e.op == Op::WarpId;
  });
  if (!perThread) {
    for (Expr &e : kernel.exprs)
      e.oncePerBlock = e.op == Op::Atomic;
    return; // the tree is made uniform
  }
  ThreadFlow flow = followThreads(kernel);
  write(flow, kernel);
  Errors(flow, kernel, diags).run();
}

} // namespace phobos::sema
