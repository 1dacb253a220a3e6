// The device's memory: arrays of the launch, and a block's shared memory, with what may be touched of them.
#pragma once
#include "runtime/contract/Contract.h"
#include "tests/emulate/Races.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace phobos::emulate {

/// Of an access: what the instruction says of itself.
struct Access {
  uint64_t bytes = 0, align = 1;
  bool isWrite = false, isAtomic = false, isShared = false;
  bool isOrdered = false; ///< by what it is: no race
};

class Memory {
public:
  Memory();
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// An array that a kernel may touch the elements of, and nothing between or around them. Its first byte is
  /// at `offset` from a multiple of 256.
  struct Array {
    std::string name;
    uint64_t address = 0, bytes = 0; ///< of all, with what is between the rows
    bool isWritable = false;
    std::unique_ptr<unsigned char[]> storage;
    std::vector<uint8_t> isElement; ///< of each byte
    std::vector<Races::Byte> history;
  };
  Array &add(std::string name, uint64_t bytes, uint64_t offset, bool isWritable);
  void removeAll() { arrays_.clear(); }

  /// Shared memory begins as garbage. `bytes` are the block's.
  void beginBlock(uint64_t bytes, uint8_t garbage);
  static constexpr uint64_t kSharedBytes = uint64_t(1) << 18;
  /// Below 2^32 and at a multiple of kSharedBytes, so that the low bits of an address are the hardware's.
  uint64_t shared() const { return shared_; }
  uint64_t sharedOf(uint64_t address) const { return shared_ + (address & (kSharedBytes - 1)); }

  /// What is wrong with an access; empty where nothing is.
  std::string judge(const Access &access, uint64_t address);
  /// `a load of 4 bytes at byte 16 of A`, of an access that was judged.
  std::string text(const Access &access, uint64_t address) const;
  /// What is known of the bytes from `address` on, of an access that was judged.
  Races::Byte *history(bool isShared, uint64_t address);

private:
  void *mapped_ = nullptr;
  uint64_t shared_ = 0, sharedBytes_ = 0;
  std::vector<std::unique_ptr<Array>> arrays_;
  Array *last_ = nullptr; ///< found before
  std::vector<Races::Byte> sharedHistory_;
};

} // namespace phobos::emulate
