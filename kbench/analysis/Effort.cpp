#include "kbench/analysis/Effort.h"
#include "kbench/analysis/Touched.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace phobos::kbench {
namespace {

using sema::ExprP;
using sema::Op;
using sema::StmtP;
using Number = std::optional<double>;

/// How many elements of a tensor accesses reach in one direction, those that several reach counted each time.
struct Reached {
  double certain = 0, all = 0;
  bool isKnown = true; ///< false: one stands in a loop of whose trips nobody knows how many there are
};

/// Walks one block's code with scalars as plain numbers: quotients are not rounded, so a loop over half a
/// tile is half a trip.
class Walker {
public:
  Walker(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims,
         const std::array<int64_t, 3> &grid, const TouchedElements &touched, Effort &effort)
      : kernel_(kernel), dims_(dims), grid_(grid), touched_(touched), effort_(effort),
        values_(kernel.vars.size()), read_(kernel.params.size()), written_(kernel.params.size()) {}

  void walkBlock(std::array<int64_t, 3> block, double weight) {
    block_ = block;
    times_ = weight;
    trips_ = 1;
    std::fill(values_.begin(), values_.end(), std::nullopt);
    walk(kernel_.body);
  }
  const Reached &read(size_t param) const { return read_[param]; }
  const Reached &written(size_t param) const { return written_[param]; }
  Products products() const {
    Products products;
    for (auto &[type, flops] : flopsOf_)
      products.emplace_back(type, effort_.dotFlops > 0 ? flops / effort_.dotFlops : 1);
    return products;
  }

  Number evaluate(ExprP e) {
    auto arg = [&](size_t i) { return evaluate(e->args[i]); };
    switch (e->op) {
    case Op::Int:
    case Op::Bool:
      return static_cast<double>(e->intValue);
    case Op::Var:
      return values_[e->var];
    case Op::Dim:
      return static_cast<double>(dims_[e->dim]);
    case Op::BlockId:
      return static_cast<double>(block_[static_cast<size_t>(e->axis)]);
    case Op::GridDim:
      return static_cast<double>(grid_[static_cast<size_t>(e->axis)]);
    case Op::Convert:
    case Op::Broadcast:
      return e->type.isScalar() ? arg(0) : std::nullopt;
    case Op::Conditional: {
      Number c = arg(1);
      return c ? arg(*c != 0 ? 0 : 2) : std::nullopt;
    }
    default:
      break;
    }
    if (e->args.empty() || e->args.size() > 2 || !e->type.isScalar())
      return std::nullopt;
    Number a = arg(0), b = e->args.size() == 2 ? arg(1) : Number(0);
    return a && b ? arithmetic(e->op, *a, *b) : std::nullopt;
  }

private:
  static Number arithmetic(Op op, double a, double b) {
    switch (op) {
    case Op::Neg:
      return -a;
    case Op::Not:
      return a == 0;
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
    case Op::CDiv:
      return b == 0 ? 0 : a / b;
    case Op::Rem:
      return b == 0 ? a : std::fmod(a, b);
    case Op::Max:
      return std::max(a, b);
    case Op::Min:
      return std::min(a, b);
    case Op::Eq:
      return a == b;
    case Op::Ne:
      return a != b;
    case Op::Lt:
      return a < b;
    case Op::Le:
      return a <= b;
    case Op::Gt:
      return a > b;
    case Op::Ge:
      return a >= b;
    case Op::LogicalAnd:
      return a != 0 && b != 0;
    case Op::LogicalOr:
      return a != 0 || b != 0;
    default:
      return std::nullopt;
    }
  }

  void addSum(double elements, ScalarType type) {
    effort_.longestSum = std::max(effort_.longestSum, elements * trips_);
    effort_.accumulatorRoundoff = std::max(effort_.accumulatorRoundoff, unitRoundoff(type));
  }

  void access(const void *place, sema::ParamId param, const std::vector<sema::Subscript> &subscripts,
              bool reads, bool writes) {
    double elements = times_, threads = 1;
    for (const sema::Subscript &s : subscripts) {
      elements *= s.isPoint ? 1 : static_cast<double>(s.length);
      const double all = static_cast<double>(kernel_.threadCount());
      threads = std::max(threads, s.start->variance == sema::Variance::Thread ? all
                                  : s.start->variance == sema::Variance::Warp ? all / 32
                                                                              : 1);
    }
    const auto found = touched_.dependsOnData.find(place);
    for (Reached *side : {reads ? &read_[param] : nullptr, writes ? &written_[param] : nullptr}) {
      if (!side)
        continue;
      side->all += elements * threads;
      side->certain += found != touched_.dependsOnData.end() && found->second ? 0 : elements * threads;
      side->isKnown = side->isKnown && areTripsKnown_;
    }
  }

  void visit(ExprP e, bool isStored = false) {
    for (ExprP a : e->args)
      visit(a);
    for (const sema::Subscript &s : e->subscripts)
      visit(s.start);
    if (e->call) {
      for (size_t i = 0; i < e->call->params.size() && i < e->args.size(); ++i)
        values_[e->call->params[i]] = e->args[i]->type.isScalar() ? evaluate(e->args[i]) : std::nullopt;
      walk(e->call->body);
    }
    bool rounds = !e->type.isVoid() && isFloat(e->type.elem);
    switch (e->op) {
    case Op::Dot: {
      const auto &a = e->args[0]->type.shape;
      double k = static_cast<double>(a.back()), mn = static_cast<double>(e->type.elements());
      effort_.dotFlops += 2 * mn * k * times_;
      effort_.hasContraction = true;
      flopsOf_[std::string(name(e->args[0]->type.elem))] += 2 * mn * k * times_;
      addSum(k, e->type.elem);
      return;
    }
    case Op::Reduce:
    case Op::Scan: {
      const Type &t = e->args[0]->type;
      double n = static_cast<double>(e->axis < 0 ? t.elements() : t.shape[static_cast<size_t>(e->axis)]);
      if (rounds && e->reduction != sema::Reduction::Max && e->reduction != sema::Reduction::Min)
        addSum(n, e->type.elem);
      return;
    }
    case Op::Load:
      access(e, e->param, e->subscripts, true, false);
      return;
    case Op::Atomic:
      access(e, e->param, e->subscripts, true, true);
      if (rounds)
        addSum(static_cast<double>(grid_[0] * grid_[1] * grid_[2]), e->type.elem);
      return;
    case Op::Exp:
    case Op::Exp2:
    case Op::Pow:
      effort_.hasExponential = true;
      [[fallthrough]];
    case Op::Log:
    case Op::Log2:
    case Op::Sqrt:
    case Op::Rsqrt:
    case Op::Tanh:
    case Op::Sigmoid:
    case Op::Erf:
    case Op::Sin:
    case Op::Cos:
      effort_.functionRoundoff = std::max(effort_.functionRoundoff, unitRoundoff(e->type.elem));
      // exp may be off by 2^-22 + |x| 2^-23, and |x| is below 104 where the result is neither 0 nor infinite.
      if (e->op == Op::Exp && e->type.elem == ScalarType::F32)
        effort_.functionRoundoff = std::max(effort_.functionRoundoff, (0x1p-22 + 104 * 0x1p-23) / 32);
      return;
    case Op::Convert:
      // A rounding to the output's type on its way out is allowed for by the output itself.
      if (rounds && !isStored)
        effort_.middleRoundoff = std::max(effort_.middleRoundoff, unitRoundoff(e->type.elem));
      return;
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Fma:
      if (rounds)
        effort_.middleRoundoff = std::max(effort_.middleRoundoff, unitRoundoff(e->type.elem));
      return;
    default:
      return;
    }
  }

  void walk(const sema::Block &block) {
    for (StmtP s : block.statements)
      walk(*s);
  }

  // What a body assigns is not known before its first statement again.
  void forget(const sema::Block &block) {
    for (StmtP s : block.statements) {
      if (s->kind == sema::Stmt::Kind::Assign || s->kind == sema::Stmt::Kind::For)
        values_[s->var] = std::nullopt;
      forget(s->body);
      forget(s->orElse);
    }
  }

  void repeat(const sema::Block &body, double trips, bool isKnown) {
    const double times = times_, before = trips_;
    const bool wereKnown = areTripsKnown_;
    areTripsKnown_ = wereKnown && isKnown;
    times_ *= trips;
    trips_ *= std::max(1.0, trips);
    forget(body);
    walk(body);
    forget(body);
    times_ = times;
    trips_ = before;
    areTripsKnown_ = wereKnown;
  }

  void walk(const sema::Stmt &s) {
    using Kind = sema::Stmt::Kind;
    for (const sema::Subscript &sub : s.subscripts)
      visit(sub.start);
    for (ExprP e : {s.mask, s.lo, s.hi, s.step})
      if (e)
        visit(e);
    if (s.value)
      visit(s.value, s.kind == Kind::Store);
    switch (s.kind) {
    case Kind::Store:
      return access(&s, s.param, s.subscripts, false, true);
    case Kind::Assign:
      values_[s.var] = s.value->type.isScalar() ? evaluate(s.value) : std::nullopt;
      return;
    case Kind::If: {
      Number c = evaluate(s.value);
      effort_.isApproximate = effort_.isApproximate || !c;
      if (!c || *c != 0)
        walk(s.body);
      if (!c || *c == 0)
        walk(s.orElse);
      if (!c)
        forget(s.body), forget(s.orElse);
      return;
    }
    case Kind::For: {
      Number lo = evaluate(s.lo), hi = evaluate(s.hi), step = s.step ? evaluate(s.step) : Number(1);
      bool known = lo && hi && step && *step > 0;
      effort_.isApproximate = effort_.isApproximate || !known;
      forget(s.body);
      values_[s.var] = known ? Number((*lo + *hi) / 2) : std::nullopt;
      double trips = known ? std::max(0.0, (*hi - *lo) / *step) : 1;
      if (trips > 0)
        repeat(s.body, trips, known);
      values_[s.var] = std::nullopt;
      return;
    }
    case Kind::While:
      effort_.isApproximate = true;
      repeat(s.body, 1, false);
      return;
    case Kind::Block:
      walk(s.body);
      return;
    default:
      return;
    }
  }

  const sema::TypedKernel &kernel_;
  const std::vector<int64_t> &dims_;
  std::array<int64_t, 3> grid_;
  std::array<int64_t, 3> block_{};
  const TouchedElements &touched_;
  Effort &effort_;
  std::vector<Number> values_;
  std::vector<Reached> read_, written_;   ///< one a parameter
  std::map<std::string, double> flopsOf_; ///< products by the type of their operands
  double times_ = 1;                      ///< how often the current statement runs, over the whole launch
  double trips_ = 1;                      ///< and within one block
  bool areTripsKnown_ = true;
};

/// Elements that are touched: not more than accesses reach, nor than there are in their box.
double elementsOf(const Box &box, double reached, bool isKnown) {
  const double n = box.elements();
  // Of blocks that are sampled, none may have been one that gets there; and sums of fractions round.
  return isKnown && reached > 0 && reached < 0.999 * n ? reached : n;
}

/// The bytes of a tensor, in one direction.
void addTouched(const sema::Param &p, const Touched &touched, const Reached &reached, Effort &effort,
                bool &isUnsure) {
  const double all = elementsOf(touched.all, reached.all, reached.isKnown),
               certain = std::min(all, elementsOf(touched.certain, reached.certain, reached.isKnown));
  effort.bytes += all * byteSize(p.elem);
  effort.unsureBytes += (all - certain) * byteSize(p.elem);
  isUnsure = isUnsure || all > certain;
}

double tensorBytes(const sema::Param &p, const std::vector<int64_t> &dims) {
  double elements = 1;
  for (const sema::Extent &e : p.extents)
    elements *= static_cast<double>(e.fixed ? *e.fixed : dims[e.dim]);
  return elements * byteSize(p.elem);
}

} // namespace

double unitRoundoff(ScalarType t) {
  switch (t) {
  case ScalarType::F8E4M3:
    return 0x1p-4;
  case ScalarType::F8E5M2:
    return 0x1p-3;
  case ScalarType::F16:
    return 0x1p-11;
  case ScalarType::BF16:
    return 0x1p-8;
  case ScalarType::F32:
    return 0x1p-24;
  case ScalarType::F64:
    return 0x1p-53;
  default:
    return 0;
  }
}

Effort measureEffort(const sema::TypedKernel &kernel, const std::vector<int64_t> &dims,
                     const std::array<int64_t, 3> &grid, bool gridFromHost) {
  Effort effort;
  for (const sema::Param &p : kernel.params)
    if (p.isTensor)
      effort.tensorBytes += tensorBytes(p, dims) * (int(p.isRead) + int(p.isWritten));

  // Blocks in fractions, where the kernel says how many it needs.
  const TouchedElements touched = touchedElements(kernel, dims, grid);
  Walker walker(kernel, dims, grid, touched, effort);
  double blocks = 1, whole = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    whole *= static_cast<double>(grid[axis]);
    Number wanted = static_cast<double>(grid[axis]);
    if (!gridFromHost && kernel.grid.axes[axis])
      wanted = walker.evaluate(kernel.grid.axes[axis]);
    blocks *= wanted.value_or(static_cast<double>(grid[axis]));
  }
  if (whole == 0)
    return effort;
  // A few hundred blocks stand for all: evenly spaced, so that loops whose length grows with the block are
  // averaged.
  constexpr int64_t most[] = {64, 4, 1};
  std::array<int64_t, 3> samples{};
  double sampled = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    samples[axis] = std::min(grid[axis], most[axis]);
    sampled *= static_cast<double>(samples[axis]);
  }
  auto place = [&](size_t axis, int64_t i) {
    return i * grid[axis] / samples[axis] + (grid[axis] / samples[axis]) / 2;
  };
  for (int64_t z = 0; z < samples[2]; ++z)
    for (int64_t y = 0; y < samples[1]; ++y)
      for (int64_t x = 0; x < samples[0]; ++x)
        walker.walkBlock({place(0, x), place(1, y), place(2, z)}, blocks / sampled);
  effort.products = walker.products();
  for (size_t p = 0; p < kernel.params.size(); ++p) {
    bool isUnsure = false;
    addTouched(kernel.params[p], touched.params[p].read, walker.read(p), effort, isUnsure);
    addTouched(kernel.params[p], touched.params[p].written, walker.written(p), effort, isUnsure);
    if (isUnsure)
      effort.unsure.push_back(kernel.params[p].name);
  }
  return effort;
}

} // namespace phobos::kbench
