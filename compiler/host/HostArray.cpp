#include "compiler/host/HostArray.h"
#include "runtime/contract/Numeric.h"
#include <cstdlib>
#include <cstring>
#include <limits>
#include <unistd.h>

namespace phobos {

void HostArray::Free::operator()(void *p) const { std::free(p); }

/// The element count, or nullopt where it or the bytes do not fit 63 bits or an extent is negative.
static std::optional<int64_t> countElements(ScalarType elem, const std::vector<int64_t> &extents) {
  int64_t n = 1;
  bool isEmpty = false;
  for (int64_t e : extents) {
    if (e < 0)
      return std::nullopt;
    isEmpty |= e == 0;
  }
  if (isEmpty)
    return 0;
  for (int64_t e : extents)
    if (__builtin_mul_overflow(n, e, &n) || n > std::numeric_limits<int64_t>::max() / 16)
      return std::nullopt;
  return n * byteSize(elem) < 0 ? std::nullopt : std::optional(n);
}

HostArray::HostArray(ScalarType elem, std::vector<int64_t> extents)
    : elem_(elem), extents_(std::move(extents)) {
  size_ = countElements(elem_, extents_).value_or(0);
  size_t rounded = (std::max<size_t>(bytes(), 1) + 63) / 64 * 64;
  data_.reset(std::aligned_alloc(64, rounded));
  if (!data_)
    std::abort(); // tryCreate is for extents that nobody has judged yet
  std::memset(data_.get(), 0, rounded);
}

std::optional<HostArray> HostArray::tryCreate(ScalarType elem, std::vector<int64_t> extents,
                                              std::string &error) {
  std::optional<int64_t> n = countElements(elem, extents);
  if (!n) {
    error = "the array has too many elements";
    return std::nullopt;
  }
  uint64_t bytes = static_cast<uint64_t>(*n) * byteSize(elem);
  uint64_t memory =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  if (bytes > memory / 10 * 9) {
    error = "the array takes " + std::to_string(bytes >> 20) + " MiB, but the machine has " +
            std::to_string(memory >> 20) + " MiB";
    return std::nullopt;
  }
  return HostArray(elem, std::move(extents));
}

HostArray::HostArray(const HostArray &other)
    : elem_(other.elem_), extents_(other.extents_), size_(other.size_) {
  if (!other.data_)
    return;
  size_t rounded = (std::max<size_t>(bytes(), 1) + 63) / 64 * 64;
  data_.reset(std::aligned_alloc(64, rounded));
  if (!data_)
    std::abort();
  std::memcpy(data_.get(), other.data_.get(), bytes());
}

HostArray &HostArray::operator=(const HostArray &other) {
  if (this != &other)
    *this = HostArray(other);
  return *this;
}

uint64_t HostArray::getBits(int64_t i) const {
  uint64_t bits = 0; // little-endian hosts only, as everything that Phobos targets
  unsigned width = byteSize(elem_);
  std::memcpy(&bits, static_cast<const char *>(data_.get()) + static_cast<size_t>(i) * width, width);
  return bits;
}

void HostArray::setBits(int64_t i, uint64_t bits) {
  unsigned width = byteSize(elem_);
  std::memcpy(static_cast<char *>(data_.get()) + static_cast<size_t>(i) * width, &bits, width);
}

double HostArray::getFloat(int64_t i) const {
  return isFloat(elem_) ? numeric::decodeFloat(elem_, getBits(i)) : static_cast<double>(getInt(i));
}

int64_t HostArray::getInt(int64_t i) const {
  return isFloat(elem_) ? numeric::floatToInt(ScalarType::I64, getFloat(i))
                        : numeric::wrapTo(elem_, static_cast<int64_t>(getBits(i)));
}

void HostArray::setFloat(int64_t i, double value) {
  if (isFloat(elem_))
    setBits(i, numeric::encodeFloat(elem_, value));
  else
    setBits(i, static_cast<uint64_t>(numeric::floatToInt(elem_, value)));
}

void HostArray::setInt(int64_t i, int64_t value) {
  if (isFloat(elem_))
    setBits(i, numeric::encodeFloat(elem_, numeric::intToFloat(elem_, value)));
  else
    setBits(i, static_cast<uint64_t>(numeric::wrapTo(elem_, value)));
}

} // namespace phobos
