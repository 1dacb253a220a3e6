// Reductions, scans and dot. Floats accumulate in double and f64 in long double, and are rounded once;
// integers wrap.
#include "compiler/interp/Arithmetic.h"
#include "compiler/interp/Shape.h"
#include <vector>

namespace phobos::interp {

using sema::Expr;
using sema::Reduction;

namespace {
/// The vectors of a tile along an axis: vector `v` starts at first(v) and its elements are `step` apart.
struct Vectors {
  size_t count = 1, length = 1, step = 1, stride = 1;
  size_t first(size_t v) const { return v * stride; }
};
} // namespace

static Vectors vectorsOf(const Type &t, int axis) {
  size_t n = static_cast<size_t>(t.elements());
  if (axis < 0 || t.rank() < 2)
    return {1, n, 1, n};
  size_t rows = static_cast<size_t>(t.shape[0]), columns = static_cast<size_t>(t.shape[1]);
  return axis == 0 ? Vectors{columns, rows, columns, 1} : Vectors{rows, columns, 1, columns};
}

/// What a reduction of floats carries along.
template <typename Real> static Real combine(Reduction kind, Real a, Real b) {
  switch (kind) {
  case Reduction::Sum:
    return a + b;
  case Reduction::Prod:
    return a * b;
  case Reduction::Max:
    return maxOf(static_cast<double>(a), static_cast<double>(b));
  case Reduction::Min:
    break;
  }
  return minOf(static_cast<double>(a), static_cast<double>(b));
}

static int64_t combine(Reduction kind, int64_t a, int64_t b) {
  uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (kind) {
  case Reduction::Sum:
    return static_cast<int64_t>(x + y);
  case Reduction::Prod:
    return static_cast<int64_t>(x * y);
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::Min:
    break;
  }
  return std::min(a, b);
}

/// Carries `Real` along each vector of `in`; writes every partial result if `all`, else the last.
template <typename Real, typename Cell>
static void fold(const Vectors &vs, Reduction kind, const Cell *in, Cell *out, bool all) {
  for (size_t v = 0; v < vs.count; ++v) {
    Real carried{};
    for (size_t i = 0; i < vs.length; ++i) {
      size_t at = vs.first(v) + i * vs.step;
      carried = i == 0 ? Real(in[at]) : combine(kind, carried, Real(in[at]));
      if (all)
        out[at] = static_cast<Cell>(carried);
    }
    if (!all)
      out[v] = static_cast<Cell>(carried);
  }
}

static Value foldValue(const Expr &e, const Value &a, const Type &type, bool all) {
  Value in = a.expanded(static_cast<size_t>(type.elements()));
  Vectors vs = vectorsOf(type, e.axis);
  Value r(all ? in.size() : vs.count);
  if (!isFloat(type.elem)) {
    fold<int64_t>(vs, e.reduction, in.ints(), r.ints(), all);
    wrapCells(e.type.elem, r.ints(), r.size());
  } else {
    type.elem == ScalarType::F64 ? fold<long double>(vs, e.reduction, in.floats(), r.floats(), all)
                                 : fold<double>(vs, e.reduction, in.floats(), r.floats(), all);
    roundCells(e.type.elem, r.floats(), r.size());
  }
  return r;
}

Value reduce(const Expr &e, const Value &a, const Type &type) { return foldValue(e, a, type, false); }
Value scan(const Expr &e, const Value &a, const Type &type) { return foldValue(e, a, type, true); }

/// The position of the first of the largest (or smallest), or of the first NaN.
template <typename Cell>
static int64_t bestOf(const Cell *in, size_t first, size_t step, size_t length, bool largest) {
  size_t best = 0;
  for (size_t i = 0; i < length; ++i) {
    Cell x = in[first + i * step], b = in[first + best * step];
    if (x != x)
      return static_cast<int64_t>(i);
    if (largest ? x > b : x < b)
      best = i;
  }
  return static_cast<int64_t>(best);
}

Value argReduce(const Expr &e, const Value &a, const Type &type) {
  Value in = a.expanded(static_cast<size_t>(type.elements()));
  Vectors vs = vectorsOf(type, e.axis);
  bool largest = e.reduction == Reduction::Max;
  Value r(vs.count);
  for (size_t v = 0; v < vs.count; ++v)
    r.ints()[v] = isFloat(type.elem) ? bestOf(in.floats(), vs.first(v), vs.step, vs.length, largest)
                                     : bestOf(in.ints(), vs.first(v), vs.step, vs.length, largest);
  return r;
}

// Products ------------------------------------------------------------

/// out[m, n] = sum over k of a[m, k] * b[k, n], row by row so that the inner loop runs along memory.
template <typename Sum, typename Cell>
static void multiply(size_t m, size_t n, size_t k, const Cell *a, const Cell *b, Cell *out) {
  std::vector<Sum> row(n);
  for (size_t i = 0; i < m; ++i) {
    std::fill(row.begin(), row.end(), Sum(0));
    for (size_t p = 0; p < k; ++p) {
      Sum x = static_cast<Sum>(a[i * k + p]);
      const Cell *bRow = b + p * n;
      for (size_t j = 0; j < n; ++j)
        row[j] += x * static_cast<Sum>(bRow[j]);
    }
    for (size_t j = 0; j < n; ++j)
      out[i * n + j] = static_cast<Cell>(row[j]);
  }
}

Value dot(const Expr &e, const Value &a, const Value &b) {
  const Type &aType = e.args[0]->type, &bType = e.args[1]->type;
  size_t m = static_cast<size_t>(e.type.shape[0]), n = static_cast<size_t>(e.type.shape[1]),
         k = static_cast<size_t>(aType.shape[1]);
  Value x = a.expanded(m * k), y = (e.transposeB ? transpose(b, bType) : b).expanded(k * n);
  Value r(m * n);
  if (!isFloat(aType.elem)) {
    multiply<uint64_t>(m, n, k, x.ints(), y.ints(), r.ints());
    wrapCells(e.type.elem, r.ints(), r.size());
  } else {
    aType.elem == ScalarType::F64 ? multiply<long double>(m, n, k, x.floats(), y.floats(), r.floats())
                                  : multiply<double>(m, n, k, x.floats(), y.floats(), r.floats());
    roundCells(e.type.elem, r.floats(), r.size());
  }
  return r;
}

} // namespace phobos::interp
