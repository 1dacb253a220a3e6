// Windows of tensors in host memory: what a slice, a point or a row of one covers, and the transfers to and
// from cells.
#pragma once
#include "compiler/host/HostArray.h"
#include "compiler/interp/Value.h"
#include <array>

namespace phobos::interp {

/// A dense tensor argument.
struct Tensor {
  ScalarType elem = ScalarType::F32;
  char *data = nullptr;
  unsigned rank = 0;
  std::array<int64_t, 5> extents{}, strides{}; ///< strides in elements
  size_t param = 0;
};
Tensor tensorOf(HostArray &array, size_t param);

/// The part of an access that lies inside the tensor, as rows of a [rows, columns] tile (a point is [1, 1], a
/// rank 1 slice one row): rows [row0, row1), in each the columns [column0, column1); element (r, c) is at
/// base + r * rowStride + c * columnStride.
struct Window {
  int64_t rows = 1, columns = 1;
  int64_t row0 = 0, row1 = 1, column0 = 0, column1 = 1;
  int64_t base = 0, rowStride = 0, columnStride = 0;
  bool isEmpty() const { return row0 >= row1 || column0 >= column1; }
  void clear() { row1 = row0; }
};

/// Elements offset, offset + stride, .. to `n` cells, and back: values rounded or wrapped to the type
/// already.
void readCells(const Tensor &t, int64_t offset, int64_t stride, int64_t n, Value &into, size_t at);
void writeCells(const Tensor &t, int64_t offset, int64_t stride, int64_t n, const Value &from, size_t at);

} // namespace phobos::interp
