// What `phobos-run --check` remembers of each element of the tensors that the kernel writes: who stored it
// last, who read it.
#pragma once
#include "compiler/interp/Tensor.h"
#include "compiler/sema/Typed.h"
#include "compiler/support/Diagnostics.h"
#include <set>

namespace phobos::interp {

/// Told of every access, in the order in which the interpreter does them; reports each kind of fault once a
/// place.
///
/// Races between threads follow the spec (memory.order): what one thread stores, another thread or the whole
/// block (thread -1: tiles, uniform scalars) may touch only after a barrier, and so may a thread read what
/// the whole block stored. Accesses of the whole block are in program order, and what a tile has read later
/// stores do not change.
class Shadow {
public:
  /// About, for every element of a tensor that the kernel writes.
  static constexpr uint64_t bytesAnElement = 104;

  Shadow(const sema::TypedKernel &kernel, const std::array<int64_t, 3> &grid, Diagnostics &diags);
  void addTensor(const Tensor &t, int64_t elements);

  void beginBlock(const std::array<int64_t, 3> &block);
  void barrier() { ++epoch_; }
  void read(const Tensor &t, int64_t offset, int thread, SourceRange range);
  void write(const Tensor &t, int64_t offset, int thread, SourceRange range);
  void atomic(const Tensor &t, int64_t offset, int thread, SourceRange range);
  /// A point access whose position `indices` leaves the tensor along `axis`.
  void outside(const Tensor &t, const std::vector<int64_t> &indices, unsigned axis, int thread,
               SourceRange range);
  /// After the last block: the elements that nobody stored.
  void finish();

private:
  struct Access {
    int64_t block = -1;
    uint32_t epoch = 0;
    int16_t thread = -1;
    bool isAtomic = false;
    bool bySeveral = false; ///< reads: several threads of the block in this epoch
    SourceRange range;
  };
  struct Element {
    Access write, read;
    Access plain;              ///< the last store that was no atomic
    bool isStored = false;     ///< by a plain store
    bool readByBlocks = false; ///< by several blocks
  };
  struct Memory {
    std::vector<Element> elements; ///< empty where the kernel does not write the tensor
    bool hasPlainStore = false;
  };
  Element *find(const Tensor &t, int64_t offset);
  void judgeStores(const Tensor &t, int64_t offset, const Access &before, const Access &now);
  void judgeWrite(const Tensor &t, int64_t offset, Element &e, const Access &now);
  bool isNew(diag id, SourceRange range) {
    return reported_.emplace(static_cast<int>(id), range.begin, range.file).second;
  }
  std::string elementName(const Tensor &t, int64_t offset) const;
  std::string who(int64_t block, int thread) const;

  const sema::TypedKernel &kernel_;
  std::array<int64_t, 3> grid_;
  Diagnostics &diags_;
  std::vector<Memory> memory_; ///< by parameter
  std::vector<Tensor> tensors_;
  int64_t block_ = 0;
  uint32_t epoch_ = 0;
  std::set<std::tuple<int, uint32_t, uint32_t>> reported_;
};

} // namespace phobos::interp
