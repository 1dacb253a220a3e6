#include "compiler/interp/Shape.h"

namespace phobos::interp {

/// Rows and columns of a tile; rank 1 is one row, a scalar one element.
static std::pair<size_t, size_t> grid(const Type &t) {
  if (t.rank() == 2)
    return {static_cast<size_t>(t.shape[0]), static_cast<size_t>(t.shape[1])};
  return {1, t.rank() == 1 ? static_cast<size_t>(t.shape[0]) : 1};
}

Value broadcast(const Value &a, const Type &from, const Type &to) {
  if (a.isSplat())
    return a;
  auto [fromRows, fromColumns] = grid(from);
  auto [rows, columns] = grid(to);
  if (fromRows == rows && fromColumns == columns)
    return a;
  Value r(rows * columns);
  for (size_t i = 0; i < rows; ++i) {
    size_t row = fromRows == 1 ? 0 : i * fromColumns;
    if (fromColumns == 1)
      r.copyFrom(i * columns, a.cell(row), 0, columns);
    else
      r.copyFrom(i * columns, a, row, columns);
  }
  return r;
}

Value transpose(const Value &a, const Type &from) {
  auto [rows, columns] = grid(from);
  if (a.isSplat() || rows == 1 || columns == 1)
    return a;
  Value r(rows * columns);
  for (size_t j = 0; j < columns; ++j)
    for (size_t i = 0; i < rows; ++i)
      r.copyFrom(j * rows + i, a, i * columns + j, 1);
  return r;
}

Value iota(const Type &type, int axis) {
  auto [rows, columns] = grid(type);
  Value r(rows * columns);
  bool alongColumns = type.rank() == 1 || axis == 1;
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      r.ints()[i * columns + j] = static_cast<int64_t>(alongColumns ? j : i);
  return r;
}

Value cat(const Value &a, const Type &aType, const Value &b, const Type &bType, int axis) {
  auto [aRows, aColumns] = grid(aType);
  auto [bRows, bColumns] = grid(bType);
  Value r(aRows * aColumns + bRows * bColumns);
  if (aType.rank() == 1 || axis == 0) {
    r.copyFrom(0, a, 0, aRows * aColumns);
    r.copyFrom(aRows * aColumns, b, 0, bRows * bColumns);
    return r;
  }
  for (size_t i = 0; i < aRows; ++i) {
    r.copyFrom(i * (aColumns + bColumns), a, i * aColumns, aColumns);
    r.copyFrom(i * (aColumns + bColumns) + aColumns, b, i * bColumns, bColumns);
  }
  return r;
}

namespace {
/// The rows and columns of a tile that a slice takes.
struct Part {
  size_t row = 0, rows = 1, column = 0, columns = 1;
};
} // namespace

static Part partOf(const sema::Expr &e) {
  Part p;
  size_t last = e.offsets.size() - 1;
  p.column = static_cast<size_t>(e.offsets[last]), p.columns = static_cast<size_t>(e.lengths[last]);
  if (last == 1)
    p.row = static_cast<size_t>(e.offsets[0]), p.rows = static_cast<size_t>(e.lengths[0]);
  return p;
}

Value tileSlice(const sema::Expr &e, const Value &a, const Type &whole) {
  if (a.isSplat())
    return a;
  Part p = partOf(e);
  size_t width = grid(whole).second;
  Value r(p.rows * p.columns);
  for (size_t i = 0; i < p.rows; ++i)
    r.copyFrom(i * p.columns, a, (p.row + i) * width + p.column, p.columns);
  return r;
}

Value insertSlice(const sema::Expr &e, Value tile, const Value &value) {
  Part p = partOf(e);
  auto [height, width] = grid(e.type);
  tile = tile.expanded(height * width);
  tile.own();
  for (size_t i = 0; i < p.rows; ++i)
    tile.copyFrom((p.row + i) * width + p.column, value, i * p.columns, p.columns);
  return tile;
}

Value triangle(const Value &a, const Type &type, bool lower, int64_t k) {
  auto [rows, columns] = grid(type);
  Value r = a.expanded(rows * columns);
  r.own();
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) {
      int64_t d = static_cast<int64_t>(j) - static_cast<int64_t>(i);
      if (lower ? d > k : d < k)
        r.copyFrom(i * columns + j, Value::zero(), 0, 1);
    }
  return r;
}

} // namespace phobos::interp
