#include "compiler/interp/Tensor.h"
#include "runtime/contract/Numeric.h"

namespace phobos::interp {

Tensor tensorOf(HostArray &array, size_t param) {
  Tensor t;
  t.elem = array.elem();
  t.data = static_cast<char *>(array.data());
  t.rank = static_cast<unsigned>(array.extents().size());
  t.param = param;
  int64_t stride = 1;
  for (unsigned i = t.rank; i-- > 0;) {
    t.extents[i] = array.extents()[i];
    t.strides[i] = stride;
    stride *= std::max<int64_t>(t.extents[i], 1);
  }
  return t;
}

template <typename Memory, typename Decode, typename Cell>
static void readAs(const Tensor &t, int64_t offset, int64_t stride, int64_t n, Cell *out, Decode decode) {
  const char *p = t.data + offset * static_cast<int64_t>(sizeof(Memory));
  for (int64_t i = 0; i < n; ++i) {
    Memory m;
    std::memcpy(&m, p + i * stride * static_cast<int64_t>(sizeof(Memory)), sizeof m);
    out[i] = static_cast<Cell>(decode(m));
  }
}

template <typename Memory, typename Encode, typename Cell>
static void writeAs(const Tensor &t, int64_t offset, int64_t stride, int64_t n, const Cell *in, int64_t step,
                    Encode encode) {
  char *p = t.data + offset * static_cast<int64_t>(sizeof(Memory));
  for (int64_t i = 0; i < n; ++i) {
    Memory m = static_cast<Memory>(encode(in[i * step]));
    std::memcpy(p + i * stride * static_cast<int64_t>(sizeof(Memory)), &m, sizeof m);
  }
}

void readCells(const Tensor &t, int64_t offset, int64_t stride, int64_t n, Value &into, size_t at) {
  auto same = [](auto m) { return m; };
  auto decode = [&](auto bits) { return numeric::decodeFloat(t.elem, bits); };
  double *f = into.floats() + at;
  int64_t *i = into.ints() + at;
  switch (t.elem) {
  case ScalarType::Bool: // any byte but 0 is true
    return readAs<uint8_t>(t, offset, stride, n, i, [](uint8_t m) { return m != 0; });
  case ScalarType::U8:
    return readAs<uint8_t>(t, offset, stride, n, i, same);
  case ScalarType::I8:
    return readAs<int8_t>(t, offset, stride, n, i, same);
  case ScalarType::I32:
    return readAs<int32_t>(t, offset, stride, n, i, same);
  case ScalarType::U32:
    return readAs<uint32_t>(t, offset, stride, n, i, same);
  case ScalarType::I64:
  case ScalarType::Index:
    return readAs<int64_t>(t, offset, stride, n, i, same);
  case ScalarType::F8E4M3:
  case ScalarType::F8E5M2:
    return readAs<uint8_t>(t, offset, stride, n, f, decode);
  case ScalarType::F16:
  case ScalarType::BF16:
    return readAs<uint16_t>(t, offset, stride, n, f, decode);
  case ScalarType::F32:
    return readAs<float>(t, offset, stride, n, f, same);
  case ScalarType::F64:
    return readAs<double>(t, offset, stride, n, f, same);
  }
}

void writeCells(const Tensor &t, int64_t offset, int64_t stride, int64_t n, const Value &from, size_t at) {
  auto same = [](auto m) { return m; };
  auto encode = [&](double x) { return numeric::bitsOf(t.elem, x); };
  int64_t step = from.isSplat() ? 0 : 1;
  const double *f = from.floats() + (step ? at : 0);
  const int64_t *i = from.ints() + (step ? at : 0);
  switch (t.elem) {
  case ScalarType::Bool:
  case ScalarType::I8:
  case ScalarType::U8:
    return writeAs<uint8_t>(t, offset, stride, n, i, step, same);
  case ScalarType::I32:
  case ScalarType::U32:
    return writeAs<uint32_t>(t, offset, stride, n, i, step, same);
  case ScalarType::I64:
  case ScalarType::Index:
    return writeAs<int64_t>(t, offset, stride, n, i, step, same);
  case ScalarType::F8E4M3:
  case ScalarType::F8E5M2:
    return writeAs<uint8_t>(t, offset, stride, n, f, step, encode);
  case ScalarType::F16:
  case ScalarType::BF16:
    return writeAs<uint16_t>(t, offset, stride, n, f, step, encode);
  case ScalarType::F32:
    return writeAs<float>(t, offset, stride, n, f, step, same);
  case ScalarType::F64:
    return writeAs<double>(t, offset, stride, n, f, step, same);
  }
}

} // namespace phobos::interp
