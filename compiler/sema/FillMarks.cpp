#include "compiler/sema/FillMarks.h"
#include "compiler/sema/Linear.h"
#include "compiler/sema/TreeWalk.h"
#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace phobos::sema {

namespace {

/// Of one axis of a tile.
struct Mark {
  ExprP source = nullptr; ///< the slice whose fill zeros it may hold; null where it cannot
  ExprP made = nullptr;   ///< what has surely made something else of them; null where they may still be zeros
  explicit operator bool() const { return source != nullptr; }
};

struct Marks {
  std::array<Mark, 2> axes{};
  /// False if that changed nothing.
  bool join(const Marks &o) {
    bool grew = false;
    for (size_t i = 0; i < 2; ++i) {
      if (!axes[i] && o.axes[i]) {
        axes[i] = o.axes[i];
        grew = true;
      } else if (axes[i] && !axes[i].made && o.axes[i].made) {
        axes[i].made = o.axes[i].made;
        grew = true;
      }
    }
    return grew;
  }
};

bool isZero(const Expr &e) {
  return (e.op == Op::Int && e.intValue == 0) || (e.op == Op::Float && e.floatValue == 0);
}

/// Whether the elements along `axis` are all one value that is not written as 0.
bool isOneValue(ExprP e, size_t axis) {
  while (e->op == Op::Convert || e->op == Op::Neg)
    e = e->args[0];
  if (e->op != Op::Broadcast || isZero(*e->args[0]))
    return false;
  const Type &from = e->args[0]->type;
  if (from.isScalar())
    return true;
  const size_t added = e->type.rank() - from.rank(); // leading axes that `from` lacks
  return axis < added || from.shape[axis - added] == 1;
}

/// What an elementwise operation surely makes of zeros along `axis`: null where they may stay zeros, itself
/// where they become something else, what did that before where it is handed on. A sum of two tiles is left
/// out, for one may well be padded with zeros to the other, and so is a product with a tile, which may be a
/// mask.
ExprP madeBy(const Expr &e, const std::vector<Marks> &args, size_t axis) {
  auto mark = [&](size_t i) { return args[i].axes[axis]; };
  auto product = [&]() -> Mark { // of the first two
    for (size_t i = 0; i < 2; ++i)
      if (mark(i) && !mark(i).made)
        return mark(i);
    for (size_t i = 0; i < 2; ++i)
      if (mark(i) && (mark(1 - i) || isOneValue(e.args[1 - i], axis)))
        return mark(i);
    return {mark(0) ? mark(0).source : mark(1).source, nullptr};
  };
  auto plus = [&](const Mark &a, ExprP other, const Mark &b) -> ExprP {
    if (a.made || b.made)
      return a.made ? a.made : b.made;
    return a && !b && isOneValue(other, axis) ? &e : nullptr;
  };
  switch (e.op) {
  case Op::Exp:
  case Op::Exp2:
  case Op::Log:
  case Op::Log2:
  case Op::Rsqrt:
  case Op::Cos:
  case Op::Sigmoid:
    return mark(0).made ? mark(0).made : &e;
  case Op::Neg:
  case Op::Abs:
  case Op::Floor:
  case Op::Ceil:
  case Op::Round:
  case Op::Sqrt:
  case Op::Tanh:
  case Op::Erf:
  case Op::Sin:
  case Op::Convert:
    return mark(0).made;
  case Op::Add:
  case Op::Sub:
    return mark(0) ? plus(mark(0), e.args[1], mark(1)) : plus(mark(1), e.args[0], mark(0));
  case Op::Mul:
    return product().made;
  case Op::Div:
    return mark(0) ? mark(0).made : isOneValue(e.args[0], axis) ? &e : nullptr;
  case Op::Fma:
    return plus(product(), e.args[2], mark(2));
  default:
    return nullptr;
  }
}

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
      const Mark any = args[0].axes[0] ? args[0].axes[0] : args[0].axes[1];
      return {{any, e.type.rank() > 1 ? any : Mark()}};
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
      if (const Mark m = args[0].axes[e.axis == 0 ? 0 : 1]; m && e.reduction != Reduction::Sum)
        warn(e, m);
      return args[0];
    default:
      break;
    }
    Marks out;
    if (!e.type.isTile())
      return out;
    for (size_t axis = 0; axis < 2; ++axis) {
      for (const Marks &m : args)
        if (!out.axes[axis])
          out.axes[axis].source = m.axes[axis].source;
      if (out.axes[axis])
        out.axes[axis].made = madeBy(e, args, axis);
    }
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
        out.axes[axis].source = &e;
      ++axis;
    }
    return out;
  }

  static Marks broadcast(const Expr &e, Marks m) {
    bool addsAxis = e.args[0]->type.rank() == 1 && e.type.rank() == 2;
    return addsAxis ? Marks{{Mark(), m.axes[0]}} : m;
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
    const bool zeroIsNeutral = e.op == Op::Reduce && e.reduction == Reduction::Sum;
    auto counts = [&](const Mark &mark) { return zeroIsNeutral ? mark.made != nullptr : bool(mark); };
    if (e.axis < 0)
      warnIf(e, counts(m.axes[0]) ? m.axes[0] : m.axes[1], counts);
    else if (e.axis < 2)
      warnIf(e, std::exchange(m.axes[static_cast<size_t>(e.axis)], Mark()), counts);
    return e.type.isTile() ? m : Marks();
  }

  template <typename Counts> void warnIf(const Expr &e, const Mark &mark, Counts counts) {
    if (counts(mark))
      warn(e, mark);
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
    return e.reduction == Reduction::Sum    ? "a sum"
           : e.reduction == Reduction::Prod ? "a product"
           : max                            ? "a maximum"
                                            : "a minimum";
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

  void warn(const Expr &e, const Mark &mark) {
    const ExprP source = mark.source;
    const bool isSum = e.op == Op::Reduce && e.reduction == Reduction::Sum;
    // Who mends the fill of a maximum mends the sum of what is made of it too: softmax.
    if (!warned_.insert(source).second && isSum)
      return;
    // In the stdlib nobody can mend it: the call is the place.
    SourceRange at = e.range;
    bool away = false;
    for (size_t i = calls_.size(); i-- > 0 && at.file != kernel_.range.file; away = true)
      at = calls_[i]->range;
    const std::string &tensor = kernel_.params[source->param].name;
    auto report = diags_.report(diag::FillZerosReduced, at, nameOf(e), tensor);
    report.note(source->range, "this slice may reach past the end, where it reads zeros");
    if (isSum && mark.made->range.file == kernel_.range.file)
      report.note(mark.made->range, "which are no zeros any more after this");
    if (!away)
      for (size_t i = calls_.size(), n = 0; i-- > 0 && n < 8; ++n)
        report.note(calls_[i]->range, "in '" + calls_[i]->call->name + "' as it is called here");
    if (isSum)
      report.help("put 'where(inside, .., " + std::string(isFloat(e.args[0]->type.elem) ? "0.0" : "0") +
                  ")' around what is summed");
    else
      report.help("read it with 'load(" + tensor + "[..], fill = " + neutral(e) +
                  ")', or put 'where(inside, .., " + neutral(e) + ")' around it");
  }

  const TypedKernel &kernel_;
  Diagnostics &diags_;
  Bounds bounds_;
  State vars_;
  std::vector<State> exits_; ///< of the loops around: what a break or continue carries out
  std::vector<Marks> results_;
  std::vector<const Expr *> calls_;
  std::set<ExprP> warned_; ///< slices of which something has been said
  int64_t steps_ = kSteps;
};

bool mayWarn(const TypedKernel &kernel) {
  return std::any_of(kernel.exprs.begin(), kernel.exprs.end(), [](const Expr &e) {
    return e.op == Op::ArgReduce || e.op == Op::Reduce || (e.op == Op::Scan && e.reduction != Reduction::Sum);
  });
}

} // namespace

void warnFillZeros(const TypedKernel &kernel, Diagnostics &diags) {
  if (mayWarn(kernel))
    FillWalk(kernel, diags).run();
}

} // namespace phobos::sema
