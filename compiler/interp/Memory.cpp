// Loads, stores and atomics.
#include "compiler/interp/Arithmetic.h"
#include "compiler/interp/Machine.h"
#include "runtime/contract/Numeric.h"

namespace phobos::interp {

using sema::Expr;
using sema::Stmt;
using sema::Subscript;

static bool isPoint(const std::vector<Subscript> &subscripts) {
  return std::all_of(subscripts.begin(), subscripts.end(), [](const Subscript &s) { return s.isPoint; });
}

static bool areShared(const std::vector<Value> &values) {
  return std::all_of(values.begin(), values.end(), [](const Value &v) { return v.isSplat(); });
}

std::vector<Value> Machine::starts(const std::vector<Subscript> &subscripts) {
  std::vector<Value> values;
  for (const Subscript &s : subscripts)
    values.push_back(evaluate(s.start));
  return values;
}

std::optional<int64_t> Machine::pointOffset(const Tensor &t, const std::vector<Subscript> &subscripts,
                                            const std::vector<Value> &starts, unsigned lane, int thread) {
  int64_t offset = 0;
  for (unsigned axis = 0; axis < t.rank; ++axis) {
    int64_t i = starts[axis].intAt(lane);
    if (i < 0 || i >= t.extents[axis]) {
      if (shadow_) {
        std::vector<int64_t> indices;
        for (const Value &v : starts)
          indices.push_back(v.intAt(lane));
        shadow_->outside(t, indices, axis, thread, subscripts[axis].range);
      }
      return std::nullopt;
    }
    offset += i * t.strides[axis];
  }
  return offset;
}

Window Machine::window(const Tensor &t, const std::vector<Subscript> &subscripts,
                       const std::vector<Value> &starts) {
  Window w;
  bool isEmpty = false;
  int slices = 0;
  for (const Subscript &s : subscripts)
    slices += !s.isPoint;
  int seen = 0;
  for (unsigned axis = 0; axis < t.rank; ++axis) {
    int64_t start = *uniform(starts[axis]).ints(), extent = t.extents[axis];
    if (subscripts[axis].isPoint) {
      if (start < 0 || start >= extent) {
        if (shadow_) {
          std::vector<int64_t> indices;
          for (const Value &v : starts)
            indices.push_back(*uniform(v).ints());
          shadow_->outside(t, indices, axis, actor(), subscripts[axis].range);
        }
        isEmpty = true;
        continue;
      }
      w.base += start * t.strides[axis];
      continue;
    }
    // [first, last) of [0, length) lies inside: start + first >= 0, start + last <= extent.
    int64_t length = subscripts[axis].length, first = 0, last = length;
    if (start >= extent || start <= -length) {
      isEmpty = true;
      first = last = 0;
    } else {
      first = std::max<int64_t>(0, -start);
      last = std::min(length, extent - start);
      w.base += start * t.strides[axis];
    }
    bool isColumn = ++seen == slices;
    (isColumn ? w.columns : w.rows) = length;
    (isColumn ? w.column0 : w.row0) = first;
    (isColumn ? w.column1 : w.row1) = last;
    (isColumn ? w.columnStride : w.rowStride) = t.strides[axis];
  }
  if (isEmpty)
    w.clear();
  return w;
}

// Loads ------------------------------------------------------------

Value Machine::evaluateLoad(const Expr &e) {
  const Tensor &t = tensors_[e.param];
  std::vector<Value> at = starts(e.subscripts);
  Value fill = e.args.empty() ? Value::zero() : evaluate(e.args[0]);
  if (isPoint(e.subscripts) && areShared(at)) {
    std::optional<int64_t> offset = pointOffset(t, e.subscripts, at, 0, actor());
    if (!offset)
      return fill;
    if (shadow_)
      shadow_->read(t, *offset, actor(), e.range);
    Value v(1);
    readCells(t, *offset, 1, 1, v, 0);
    return v;
  }
  if (isPoint(e.subscripts)) {
    Value v = fill.expanded(threads_);
    v.own();
    mask_.forEach([&](unsigned lane) {
      std::optional<int64_t> offset = pointOffset(t, e.subscripts, at, lane, static_cast<int>(lane));
      if (!offset)
        return;
      if (shadow_)
        shadow_->read(t, *offset, static_cast<int>(lane), e.range);
      readCells(t, *offset, 1, 1, v, lane);
    });
    return v;
  }
  Window w = window(t, e.subscripts, at);
  Value v = uniform(fill).expanded(static_cast<size_t>(w.rows * w.columns));
  v.own();
  for (int64_t r = w.row0; r < w.row1 && !w.isEmpty(); ++r) {
    int64_t offset = w.base + r * w.rowStride + w.column0 * w.columnStride;
    readCells(t, offset, w.columnStride, w.column1 - w.column0, v,
              static_cast<size_t>(r * w.columns + w.column0));
    for (int64_t c = w.column0; shadow_ && c < w.column1; ++c, offset += w.columnStride)
      shadow_->read(t, offset, -1, e.range);
  }
  return v;
}

// Stores ------------------------------------------------------------

void Machine::executeStore(const Stmt &s) {
  const Tensor &t = tensors_[s.param];
  std::vector<Value> at = starts(s.subscripts);
  Value value = evaluate(s.value), mask;
  if (s.mask)
    mask = evaluate(s.mask);
  if (isPoint(s.subscripts)) {
    auto store = [&](unsigned lane, int thread) {
      if (s.mask && !mask.intAt(lane))
        return;
      std::optional<int64_t> offset = pointOffset(t, s.subscripts, at, lane, thread);
      if (!offset)
        return;
      if (shadow_)
        shadow_->write(t, *offset, thread, s.range);
      writeCells(t, *offset, 1, 1, value, value.isSplat() ? 0 : lane);
    };
    bool once = s.oncePerBlock || !kernel_.usesThreads;
    if (once)
      store(mask_.first(), actor());
    else
      mask_.forEach([&](unsigned lane) { store(lane, static_cast<int>(lane)); });
    return;
  }
  Window w = window(t, s.subscripts, at);
  value = value.expanded(static_cast<size_t>(w.rows * w.columns));
  for (int64_t r = w.row0; r < w.row1 && !w.isEmpty(); ++r) {
    int64_t offset = w.base + r * w.rowStride + w.column0 * w.columnStride;
    size_t cell = static_cast<size_t>(r * w.columns + w.column0);
    if (!s.mask)
      writeCells(t, offset, w.columnStride, w.column1 - w.column0, value, cell);
    if (!s.mask && !shadow_)
      continue;
    for (int64_t c = w.column0; c < w.column1; ++c, ++cell, offset += w.columnStride) {
      if (s.mask && !mask.intAt(cell))
        continue;
      if (s.mask)
        writeCells(t, offset, 1, 1, value, cell);
      if (shadow_)
        shadow_->write(t, offset, -1, s.range);
    }
  }
}

// Atomics ------------------------------------------------------------

/// What an atomic leaves in memory that held `old`: `a` is the value, or what is expected there, and then `b`
/// replaces it.
static Value updated(sema::AtomicOp op, ScalarType elem, const Value &old, const Value &a, const Value &b) {
  switch (op) {
  case sema::AtomicOp::Add:
    return binary(sema::Op::Add, elem, old, a);
  case sema::AtomicOp::Max:
    return binary(sema::Op::Max, elem, old, a);
  case sema::AtomicOp::Min:
    return binary(sema::Op::Min, elem, old, a);
  case sema::AtomicOp::Cas:
    break;
  }
  bool same = isFloat(elem) ? numeric::bitsOf(elem, *old.floats()) == numeric::bitsOf(elem, *a.floats())
                            : *old.ints() == *a.ints();
  return same ? b : old;
}

Value Machine::evaluateAtomic(const Expr &e) {
  const Tensor &t = tensors_[e.param];
  std::vector<Value> at = starts(e.subscripts);
  Value a = evaluate(e.args[0]), b = e.args.size() > 1 ? evaluate(e.args[1]) : Value();
  bool once = e.oncePerBlock || !kernel_.usesThreads;
  Value result = Value::zero().expanded(once ? 1 : threads_);
  auto act = [&](unsigned lane, int thread) {
    std::optional<int64_t> offset = pointOffset(t, e.subscripts, at, lane, thread);
    if (!offset)
      return;
    if (shadow_)
      shadow_->atomic(t, *offset, thread, e.range);
    Value old(1);
    readCells(t, *offset, 1, 1, old, 0);
    writeCells(t, *offset, 1, 1, updated(e.atomic, t.elem, old, a.cell(lane), b.size() ? b.cell(lane) : b),
               0);
    result.copyFrom(once ? 0 : lane, old, 0, 1);
  };
  if (once)
    act(mask_.first(), actor());
  else
    mask_.forEach([&](unsigned lane) { act(lane, static_cast<int>(lane)); });
  return result;
}

} // namespace phobos::interp
