// Typed trees written by hand, and kernels run in the interpreter: what the tests of the interpreter are made
// of.
#pragma once
#include "compiler/interp/Interp.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace phobos::interp {

using sema::ExprP;
using sema::Op;
using sema::StmtP;
using S = ScalarType;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

/// One axis of an access: a point, or `length` elements from `start`.
struct At {
  ExprP start;
  std::optional<int64_t> length;
  At(ExprP point) : start(point) {}
  At(ExprP from, int64_t n) : start(from), length(n) {}
};

/// Builds a kernel and runs it. Every node gets a source range of its own, so that diagnostics can be told
/// apart.
class Tree {
public:
  sema::TypedKernel k;
  std::vector<HostArray> arrays; ///< of each parameter; scalars have an array of one
  Diagnostics diags;
  Options options;

  sema::ParamId tensor(S elem, std::vector<int64_t> extents, bool written = true, bool read = false) {
    sema::Param p;
    p.name = std::string(1, static_cast<char>('A' + k.params.size()));
    p.range = range();
    p.isTensor = true, p.elem = elem, p.isRead = read, p.isWritten = written;
    for (int64_t e : extents)
      p.extents.push_back({e, 0});
    k.params.push_back(p);
    arrays.emplace_back(elem, extents);
    return static_cast<sema::ParamId>(k.params.size() - 1);
  }
  sema::ParamId input(S elem, std::vector<int64_t> extents, const Floats &values) {
    sema::ParamId p = tensor(elem, std::move(extents), false, true);
    for (size_t i = 0; i < values.size(); ++i)
      arrays[p].setFloat(static_cast<int64_t>(i), values[i]);
    return p;
  }
  sema::ParamId input(S elem, std::vector<int64_t> extents, const Ints &values) {
    sema::ParamId p = tensor(elem, std::move(extents), false, true);
    for (size_t i = 0; i < values.size(); ++i)
      arrays[p].setInt(static_cast<int64_t>(i), values[i]);
    return p;
  }
  sema::VarId local(Type type) {
    k.vars.push_back(
        {"v" + std::to_string(k.vars.size()), std::move(type), sema::Variance::Uniform, range()});
    return static_cast<sema::VarId>(k.vars.size() - 1);
  }

  // Expressions.
  sema::Expr &node(Op op, Type type, std::vector<ExprP> args = {}) {
    sema::Expr &e = k.exprs.emplace_back();
    e.op = op, e.type = std::move(type), e.args = std::move(args), e.range = range();
    return e;
  }
  ExprP integer(int64_t x, S t = S::Index) {
    sema::Expr &e = node(Op::Int, Type::scalar(t));
    e.intValue = x;
    return &e;
  }
  ExprP real(double x, S t = S::F32) {
    sema::Expr &e = node(Op::Float, Type::scalar(t));
    e.floatValue = x;
    return &e;
  }
  ExprP var(sema::VarId v) {
    sema::Expr &e = node(Op::Var, k.vars[v].type);
    e.var = v;
    return &e;
  }
  ExprP op(Op o, ExprP a, ExprP b = nullptr) {
    bool isComparison = o >= Op::Eq && o <= Op::Ge;
    Type type = isComparison ? a->type.withElem(S::Bool) : a->type;
    return &node(o, type, b ? std::vector{a, b} : std::vector{a});
  }
  ExprP thread() {
    k.usesThreads = true;
    sema::Expr &e = node(Op::ThreadId, Type::scalar(S::Index));
    e.variance = sema::Variance::Thread;
    return &e;
  }
  ExprP block(int axis = 0) {
    sema::Expr &e = node(Op::BlockId, Type::scalar(S::Index));
    e.axis = axis;
    return &e;
  }
  ExprP load(sema::ParamId p, const std::vector<At> &at, ExprP fill = nullptr) {
    sema::Expr &e = node(Op::Load, accessType(p, at));
    e.param = p, e.subscripts = subscripts(at);
    if (fill)
      e.args = {fill};
    return &e;
  }
  ExprP atomic(sema::AtomicOp what, sema::ParamId p, const std::vector<At> &at, std::vector<ExprP> args,
               bool once = false) {
    sema::Expr &e = node(Op::Atomic, Type::scalar(k.params[p].elem), std::move(args));
    e.param = p, e.subscripts = subscripts(at), e.atomic = what, e.oncePerBlock = once;
    return &e;
  }

  // Statements.
  sema::Stmt &statement(sema::Stmt::Kind kind) {
    sema::Stmt &s = k.stmts.emplace_back();
    s.kind = kind, s.range = range();
    return s;
  }
  StmtP set(sema::VarId v, ExprP value) {
    sema::Stmt &s = statement(sema::Stmt::Kind::Assign);
    s.var = v, s.value = value;
    return &s;
  }
  StmtP store(sema::ParamId p, const std::vector<At> &at, ExprP value, ExprP mask = nullptr) {
    sema::Stmt &s = statement(sema::Stmt::Kind::Store);
    s.param = p, s.subscripts = subscripts(at), s.value = value, s.mask = mask;
    for (const sema::Subscript &sub : s.subscripts)
      s.oncePerBlock &= !varies(sub.start);
    return &s;
  }
  StmtP effect(ExprP value) {
    sema::Stmt &s = statement(sema::Stmt::Kind::Expr);
    s.value = value;
    return &s;
  }
  StmtP choose(ExprP condition, std::vector<StmtP> body, std::vector<StmtP> orElse = {}) {
    sema::Stmt &s = statement(sema::Stmt::Kind::If);
    s.value = condition, s.body.statements = std::move(body), s.orElse.statements = std::move(orElse);
    return &s;
  }
  StmtP loop(sema::VarId v, ExprP lo, ExprP hi, ExprP step, std::vector<StmtP> body) {
    sema::Stmt &s = statement(sema::Stmt::Kind::For);
    s.var = v, s.lo = lo, s.hi = hi, s.step = step, s.body.statements = std::move(body);
    return &s;
  }
  StmtP loopWhile(ExprP condition, std::vector<StmtP> body) {
    sema::Stmt &s = statement(sema::Stmt::Kind::While);
    s.value = condition, s.body.statements = std::move(body);
    return &s;
  }
  StmtP leave(sema::Stmt::Kind kind, ExprP value = nullptr) {
    sema::Stmt &s = statement(kind);
    s.value = value;
    return &s;
  }
  StmtP barrier() { return &statement(sema::Stmt::Kind::Barrier); }
  void add(StmtP s) { k.body.statements.push_back(s); }

  bool run(std::array<int64_t, 3> grid = {1, 1, 1}) {
    std::vector<Argument> args;
    for (HostArray &a : arrays)
      args.push_back(&a);
    return interp::run(k, args, dims, grid, options, diags);
  }
  std::vector<int64_t> dims;

  Floats floats(sema::ParamId p) const {
    Floats out;
    for (int64_t i = 0; i < arrays[p].size(); ++i)
      out.push_back(arrays[p].getFloat(i));
    return out;
  }
  Ints ints(sema::ParamId p) const {
    Ints out;
    for (int64_t i = 0; i < arrays[p].size(); ++i)
      out.push_back(arrays[p].getInt(i));
    return out;
  }

private:
  SourceRange range() {
    ++next_;
    return {next_, next_ + 1, 0};
  }
  static bool varies(ExprP e) {
    if (e->variance == sema::Variance::Thread)
      return true;
    for (ExprP a : e->args)
      if (varies(a))
        return true;
    return false;
  }
  Type accessType(sema::ParamId p, const std::vector<At> &at) const {
    std::vector<int64_t> shape;
    for (const At &a : at)
      if (a.length)
        shape.push_back(*a.length);
    S elem = k.params[p].elem;
    return shape.empty() ? Type::scalar(elem) : Type::tile(elem, shape);
  }
  std::vector<sema::Subscript> subscripts(const std::vector<At> &at) {
    std::vector<sema::Subscript> subs;
    for (const At &a : at)
      subs.push_back({!a.length, a.start, a.length.value_or(1), range()});
    return subs;
  }
  uint32_t next_ = 0;
};

/// `op` over rows of values: each input becomes a tensor that is read whole as a tile of one row.
template <typename Out, typename In = Out> Out apply(Op o, S type, const std::vector<In> &inputs, S result) {
  Tree t;
  int64_t n = static_cast<int64_t>(inputs[0].size());
  std::vector<ExprP> args;
  for (const In &in : inputs)
    args.push_back(t.load(t.input(type, {n}, in), {{t.integer(0), n}}));
  sema::ParamId out = t.tensor(result, {n});
  t.add(t.store(out, {{t.integer(0), n}}, &t.node(o, Type::tile(result, {n}), args)));
  EXPECT_TRUE(t.run());
  if constexpr (std::is_same_v<Out, Floats>)
    return t.floats(out);
  else
    return t.ints(out);
}

/// Equal, NaN to NaN, and zeros by sign.
inline void expectSame(const Floats &got, const Floats &expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(got[i])) << "at " << i;
    else
      EXPECT_TRUE(got[i] == expected[i] && std::signbit(got[i]) == std::signbit(expected[i]))
          << "at " << i << ": " << got[i] << ", expected " << expected[i];
}

} // namespace phobos::interp
