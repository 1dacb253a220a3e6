#include "compiler/sema/FillMarks.h"
#include "compiler/sema/Linear.h"
#include "compiler/sema/TreeWalk.h"
#include <algorithm>
#include <numeric>

namespace phobos::sema {

namespace {

/// For each axis of a tile the slice whose fill zeros it may hold; null where it cannot.
struct Marks {
  std::array<ExprP, 2> axes{};
  bool any() const { return axes[0] || axes[1]; }
  /// False if that changed nothing.
  bool join(const Marks &o) {
    bool grew = false;
    for (size_t i = 0; i < 2; ++i)
      if (!axes[i] && o.axes[i]) {
        axes[i] = o.axes[i];
        grew = true;
      }
    return grew;
  }
};

/// Whether slices stay inside their tensors.
class Bounds {
public:
  explicit Bounds(const TypedKernel &kernel) : kernel_(kernel), forms_(kernel) {}

  bool isInside(const Param &tensor, size_t axis, const Subscript &s) const {
    const Extent &extent = tensor.extents[axis];
    Linear start = forms_.of(s.start);
    if (extent.fixed && staysWithin(start, s.length, *extent.fixed))
      return true;
    // Whole tiles: an extent of n tiles, a start at a whole tile.
    int64_t multiple = extent.fixed ? *extent.fixed : 0;
    if (!extent.fixed)
      for (const Aligned &a : kernel_.aligned)
        if (a.dim == extent.dim)
          multiple = a.multiple;
    return multiple > 0 && multiple % s.length == 0 && isWholeMultiple(start, s.length);
  }

private:
  bool staysWithin(const Linear &start, int64_t length, int64_t extent) const {
    int64_t least = start.constant, most = start.constant;
    for (const Linear::Term &t : start.terms) {
      auto range = t.symbol == Linear::Symbol::Counter ? forms_.counter(t.var) : std::nullopt;
      if (!range || !range->last)
        return false;
      int64_t a = 0, b = 0;
      if (__builtin_mul_overflow(t.factor, range->lo, &a) ||
          __builtin_mul_overflow(t.factor, *range->last, &b) ||
          __builtin_add_overflow(least, std::min(a, b), &least) ||
          __builtin_add_overflow(most, std::max(a, b), &most))
        return false;
    }
    return least >= 0 && length <= extent && most <= extent - length;
  }

  bool isWholeMultiple(const Linear &start, int64_t n) const {
    if (start.constant < 0 || start.constant % n)
      return false;
    for (const Linear::Term &t : start.terms) {
      if (t.factor < 0)
        return false;
      switch (t.symbol) {
      case Linear::Symbol::BlockX:
      case Linear::Symbol::BlockY:
      case Linear::Symbol::BlockZ:
        if (t.factor % n)
          return false;
        break;
      case Linear::Symbol::Counter: {
        auto range = forms_.counter(t.var);
        if (!range || range->lo < 0 ||
            std::gcd(range->lo, range->step) % std::max<int64_t>(1, n / std::gcd(n, t.factor)))
          return false;
        break;
      }
      default:
        return false;
      }
    }
    return true;
  }

  const TypedKernel &kernel_;
  LinearForms forms_;
};

class FillWalk {
public:
  FillWalk(const TypedKernel &kernel, Diagnostics &diags) : kernel_(kernel), diags_(diags), bounds_(kernel) {}

  void run() {
    vars_.resize(kernel_.vars.size());
    block(kernel_.body);
  }

private:
  /// Steps after which the walk ends: a warning is not worth more in a kernel made to take long.
  static constexpr int64_t kSteps = 20'000'000;
  using State = std::vector<Marks>;

  bool join(State &a, const State &b) {
    bool grew = false;
    steps_ -= static_cast<int64_t>(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      grew |= a[i].join(b[i]);
    return grew;
  }

  void block(const Block &b) {
    for (StmtP s : b.statements)
      if (steps_ > 0)
        statement(*s);
  }

  void statement(const Stmt &s) {
    for (const Subscript &sub : s.subscripts)
      expr(sub.start);
    for (ExprP e : {s.mask, s.lo, s.hi, s.step})
      if (e)
        expr(e);
    switch (s.kind) {
    case Stmt::Kind::Assign:
      vars_[s.var] = expr(s.value);
      break;
    case Stmt::Kind::If: {
      expr(s.value);
      State before = vars_;
      block(s.body);
      std::swap(before, vars_);
      block(s.orElse);
      join(vars_, before);
      break;
    }
    case Stmt::Kind::For:
    case Stmt::Kind::While:
      loop(s);
      break;
    case Stmt::Kind::Return:
      if (s.value && !results_.empty())
        results_.back().join(expr(s.value));
      break;
    case Stmt::Kind::Break:
    case Stmt::Kind::Continue:
      if (!exits_.empty())
        join(exits_.back(), vars_);
      break;
    default:
      if (s.value)
        expr(s.value);
      block(s.body);
    }
  }

  void loop(const Stmt &s) {
    State head = vars_; // grows by what each round brings round
    bool grew = false;
    do {
      exits_.push_back(head);
      vars_ = head;
      if (s.kind == Stmt::Kind::While)
        expr(s.value);
      block(s.body);
      join(exits_.back(), vars_);
      State end = std::move(exits_.back());
      exits_.pop_back();
      grew = join(head, end);
    } while (grew && steps_ > 0);
    vars_ = std::move(head);
  }

  // ---- expressions

  Marks expr(ExprP p) {
    const Expr &e = *p;
    --steps_;
    if (e.op == Op::Call)
      return call(e);
    std::vector<Marks> args;
    for (ExprP a : e.args)
      args.push_back(expr(a));
    for (const Subscript &s : e.subscripts)
      expr(s.start);
    switch (e.op) {
    case Op::Var:
      return e.type.isTile() ? vars_[e.var] : Marks();
    case Op::Load:
      return e.type.isTile() && e.args.empty() ? slice(e) : Marks();
    case Op::Where:
    case Op::Iota:
    case Op::Rand:
      return {};
    case Op::Broadcast:
      return broadcast(e, args[0]);
    case Op::Transpose:
      return {{args[0].axes[1], args[0].axes[0]}};
    case Op::Reshape: {
      ExprP any = args[0].axes[0] ? args[0].axes[0] : args[0].axes[1];
      return {{any, e.type.rank() > 1 ? any : nullptr}};
    }
    case Op::TileSlice:
      return tileSlice(e, args[0]);
    case Op::InsertSlice:
      return inserted(e, args);
    case Op::Dot:
      return {{args[0].axes[0], args[1].axes[e.transposeB ? 0 : 1]}};
    case Op::Reduce:
    case Op::ArgReduce:
      return reduce(e, args[0]);
    case Op::Scan:
      if (ExprP source = args[0].axes[e.axis == 0 ? 0 : 1]; source && e.reduction != Reduction::Sum)
        warn(e, source);
      return args[0];
    default:
      break;
    }
    Marks out;
    if (e.type.isTile())
      for (const Marks &m : args)
        out.join(m);
    return out;
  }

  Marks slice(const Expr &e) {
    Marks out;
    const Param &tensor = kernel_.params[e.param];
    size_t axis = 0;
    for (size_t i = 0; i < e.subscripts.size(); ++i) {
      if (e.subscripts[i].isPoint)
        continue;
      if (axis < 2 && !bounds_.isInside(tensor, i, e.subscripts[i]))
        out.axes[axis] = &e;
      ++axis;
    }
    return out;
  }

  static Marks broadcast(const Expr &e, Marks m) {
    bool addsAxis = e.args[0]->type.rank() == 1 && e.type.rank() == 2;
    return addsAxis ? Marks{{nullptr, m.axes[0]}} : m;
  }

  static Marks tileSlice(const Expr &e, Marks m) {
    Marks out;
    size_t axis = 0;
    for (size_t i = 0; i < e.dropped.size() && i < 2; ++i)
      if (!e.dropped[i] && axis < 2)
        out.axes[axis++] = m.axes[i];
    return out;
  }

  static Marks inserted(const Expr &e, const std::vector<Marks> &args) {
    Marks out = args[0];
    size_t axis = 0;
    for (size_t i = 0; i < e.dropped.size() && i < 2; ++i)
      if (!e.dropped[i] && axis < 2) {
        Marks one;
        one.axes[i] = args[1].axes[axis++];
        out.join(one);
      }
    return out;
  }

  Marks reduce(const Expr &e, Marks m) {
    bool zeroIsNeutral = e.op == Op::Reduce && e.reduction == Reduction::Sum;
    ExprP source = e.axis < 0   ? (m.axes[0] ? m.axes[0] : m.axes[1])
                   : e.axis < 2 ? m.axes[static_cast<size_t>(e.axis)]
                                : nullptr;
    if (source && !zeroIsNeutral)
      warn(e, source);
    if (e.axis >= 0 && e.axis < 2)
      m.axes[static_cast<size_t>(e.axis)] = nullptr;
    return e.type.isTile() ? m : Marks();
  }

  Marks call(const Expr &e) {
    std::vector<Marks> args;
    for (ExprP a : e.args)
      args.push_back(expr(a));
    for (size_t i = 0; i < args.size() && i < e.call->params.size(); ++i)
      vars_[e.call->params[i]] = args[i];
    std::vector<State> exits;
    exits_.swap(exits);
    results_.emplace_back();
    calls_.push_back(&e);
    block(e.call->body);
    calls_.pop_back();
    exits_.swap(exits);
    Marks result = results_.back();
    results_.pop_back();
    return e.type.isTile() ? result : Marks();
  }

  // ---- the warning

  static const char *nameOf(const Expr &e) {
    bool max = e.reduction == Reduction::Max;
    if (e.op == Op::ArgReduce)
      return max ? "the place of the largest element" : "the place of the smallest element";
    return e.reduction == Reduction::Prod ? "a product" : max ? "a maximum" : "a minimum";
  }

  /// The value that changes no result.
  static std::string neutral(const Expr &e) {
    ScalarType t = e.args[0]->type.elem;
    if (e.op != Op::ArgReduce && e.reduction == Reduction::Prod)
      return isFloat(t) ? "1.0" : "1";
    bool max = e.reduction == Reduction::Max;
    if (t == ScalarType::F8E4M3 || t == ScalarType::F8E5M2) // no infinite literal is one of theirs
      return std::string(max ? "-" : "") + (t == ScalarType::F8E4M3 ? "448.0" : "57344.0");
    if (isFloat(t))
      return max ? "-inf" : "inf";
    if (!isSigned(t))
      return max ? "0" : t == ScalarType::U8 ? "255" : "4294967295";
    switch (t) {
    case ScalarType::I8:
      return max ? "-128" : "127";
    case ScalarType::I32:
      return max ? "-2147483648" : "2147483647";
    default:
      return max ? "-9223372036854775808" : "9223372036854775807";
    }
  }

  void warn(const Expr &e, ExprP source) {
    // In the stdlib nobody can mend it: the call is the place.
    SourceRange at = e.range;
    bool away = false;
    for (size_t i = calls_.size(); i-- > 0 && at.file != kernel_.range.file; away = true)
      at = calls_[i]->range;
    auto report = diags_.report(diag::FillZerosReduced, at, nameOf(e), kernel_.params[source->param].name);
    report.note(source->range, "this slice may reach past the end, where it reads zeros");
    if (!away)
      for (size_t i = calls_.size(), n = 0; i-- > 0 && n < 8; ++n)
        report.note(calls_[i]->range, "in '" + calls_[i]->call->name + "' as it is called here");
    report.help("read it with 'load(" + kernel_.params[source->param].name + "[..], fill = " + neutral(e) +
                ")', or put 'where(inside, .., " + neutral(e) + ")' around it");
  }

  const TypedKernel &kernel_;
  Diagnostics &diags_;
  Bounds bounds_;
  State vars_;
  std::vector<State> exits_; ///< of the loops around: what a break or continue carries out
  std::vector<Marks> results_;
  std::vector<const Expr *> calls_;
  int64_t steps_ = kSteps;
};

bool mayWarn(const TypedKernel &kernel) {
  return std::any_of(kernel.exprs.begin(), kernel.exprs.end(), [](const Expr &e) {
    return e.op == Op::ArgReduce ||
           ((e.op == Op::Reduce || e.op == Op::Scan) && e.reduction != Reduction::Sum);
  });
}

} // namespace

void warnFillZeros(const TypedKernel &kernel, Diagnostics &diags) {
  if (mayWarn(kernel))
    FillWalk(kernel, diags).run();
}

} // namespace phobos::sema
