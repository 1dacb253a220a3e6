#include "tests/emulate/Memory.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace phobos::emulate {

// Twice as much, so that there is a multiple of it in there.
static constexpr size_t kMapped = 2 * Memory::kSharedBytes;

static void *mapLow() {
#ifdef MAP_32BIT
  return mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
#else
  return mmap(reinterpret_cast<void *>(uintptr_t(1) << 30), kMapped, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#endif
}

Memory::Memory() {
  mapped_ = mapLow();
  if (mapped_ == MAP_FAILED)
    std::abort();
  sharedHistory_.resize(kSharedBytes);
  shared_ = (reinterpret_cast<uint64_t>(mapped_) + kSharedBytes - 1) / kSharedBytes * kSharedBytes;
}

Memory::~Memory() { munmap(mapped_, kMapped); }

Memory::Array &Memory::add(std::string name, uint64_t bytes, uint64_t offset, bool isWritable) {
  auto array = std::make_unique<Array>();
  array->name = std::move(name);
  array->bytes = bytes;
  array->isWritable = isWritable;
  array->storage = std::make_unique<unsigned char[]>(bytes + offset + 512);
  const auto start = reinterpret_cast<uint64_t>(array->storage.get());
  array->address = (start + 255) / 256 * 256 + offset;
  array->isElement.assign(bytes, 0);
  array->history.resize(bytes);
  arrays_.push_back(std::move(array));
  last_ = nullptr;
  return *arrays_.back();
}

void Memory::beginBlock(uint64_t bytes, uint8_t garbage) {
  sharedBytes_ = bytes;
  std::memset(reinterpret_cast<void *>(shared_), garbage, std::min(bytes + 1024, kSharedBytes));
}

static std::string accessText(const Access &a) {
  return std::string(a.isAtomic  ? "an atomic of "
                     : a.isWrite ? "a store of "
                                 : "a load of ") +
         std::to_string(a.bytes) + " bytes";
}

std::string Memory::judge(const Access &a, uint64_t address) {
  if (a.bytes == 0)
    return {};
  const bool isAligned = address % a.align == 0;
  if (a.isShared) {
    const uint64_t at = address - shared_;
    if (isAligned && at < sharedBytes_ && a.bytes <= sharedBytes_ - at)
      return {};
    const std::string where = " at byte " + std::to_string(static_cast<int64_t>(at)) + " of shared memory";
    if (!isAligned)
      return accessText(a) + where + ", no multiple of " + std::to_string(a.align) + " as it claims";
    return accessText(a) + where + ", of which the block has " + std::to_string(sharedBytes_);
  }
  auto isIn = [&](const Array &array) {
    return address >= array.address && address - array.address < array.bytes;
  };
  if (!last_ || !isIn(*last_)) {
    auto found =
        std::find_if(arrays_.begin(), arrays_.end(), [&](const auto &array) { return isIn(*array); });
    if (found == arrays_.end()) {
      std::string near;
      for (const auto &array : arrays_) // what it most likely was meant to be in
        if (const auto beside = static_cast<int64_t>(address - array->address);
            std::abs(beside) < int64_t(1) << 20)
          near += (near.empty() ? ": byte " : ", byte ") + std::to_string(beside) + " of " + array->name +
                  ", which has " + std::to_string(array->bytes);
      return accessText(a) + " in no argument's array" + near;
    }
    last_ = found->get();
  }
  const Array &array = *last_;
  const uint64_t at = address - array.address;
  auto said = [&](const std::string &what) {
    return accessText(a) + " at byte " + std::to_string(at) + " of " + array.name + what;
  };
  if (!isAligned)
    return said(", an address that is no multiple of " + std::to_string(a.align) + " as it claims");
  if (a.isWrite && !array.isWritable)
    return said(", which the kernel does not write");
  if (a.bytes > array.bytes - at)
    return said(", which has " + std::to_string(array.bytes));
  for (uint64_t k = 0; k < a.bytes; ++k)
    if (!array.isElement[at + k])
      return said(": byte " + std::to_string(at + k) + " is between the rows");
  return {};
}

std::string Memory::text(const Access &a, uint64_t address) const {
  return accessText(a) + " at byte " + std::to_string(address - (a.isShared ? shared_ : last_->address)) +
         " of " + (a.isShared ? "shared memory" : last_->name);
}

Races::Byte *Memory::history(bool isShared, uint64_t address) {
  return isShared ? &sharedHistory_[address - shared_] : &last_->history[address - last_->address];
}

} // namespace phobos::emulate
