#include "compiler/interp/Shadow.h"

namespace phobos::interp {

Shadow::Shadow(const sema::TypedKernel &kernel, const std::array<int64_t, 3> &grid, Diagnostics &diags)
    : kernel_(kernel), grid_(grid), diags_(diags), memory_(kernel.params.size()),
      tensors_(kernel.params.size()) {}

void Shadow::addTensor(const Tensor &t, int64_t elements) {
  static_assert(sizeof(Element) <= bytesAnElement);
  tensors_[t.param] = t;
  if (kernel_.params[t.param].isWritten)
    memory_[t.param].elements.resize(static_cast<size_t>(elements));
}

void Shadow::beginBlock(const std::array<int64_t, 3> &block) {
  block_ = (block[2] * grid_[1] + block[1]) * grid_[0] + block[0];
  epoch_ = 0;
}

Shadow::Element *Shadow::find(const Tensor &t, int64_t offset) {
  Memory &m = memory_[t.param];
  return m.elements.empty() ? nullptr : &m.elements[static_cast<size_t>(offset)];
}

// Names ------------------------------------------------------------

static std::string indexText(const std::vector<int64_t> &indices) {
  std::string s = "[";
  for (size_t i = 0; i < indices.size(); ++i)
    s += (i ? ", " : "") + std::to_string(indices[i]);
  return s + "]";
}

std::string Shadow::elementName(const Tensor &t, int64_t offset) const {
  std::vector<int64_t> indices;
  for (unsigned i = 0; i < t.rank; ++i) {
    indices.push_back(offset / t.strides[i]);
    offset %= t.strides[i];
  }
  return "'" + kernel_.params[t.param].name + indexText(indices) + "'";
}

std::string Shadow::who(int64_t block, int thread) const {
  std::string s = "block (" + std::to_string(block % grid_[0]) + ", " +
                  std::to_string(block / grid_[0] % grid_[1]) + ", " +
                  std::to_string(block / grid_[0] / grid_[1]) + ")";
  return thread < 0 ? s : "thread " + std::to_string(thread) + " of " + s;
}

// Accesses ------------------------------------------------------------

void Shadow::read(const Tensor &t, int64_t offset, int thread, SourceRange range) {
  Element *e = find(t, offset);
  if (!e)
    return;
  Access now{block_, epoch_, static_cast<int16_t>(thread), false, false, range};
  const Access &w = e->write;
  if (w.block >= 0 && w.block != block_) {
    if (isNew(diag::ReadOfOtherBlock, range))
      diags_
          .report(diag::ReadOfOtherBlock, range, who(block_, thread), elementName(t, offset),
                  who(w.block, w.thread))
          .note(w.range, "stored here");
  } else if (w.block == block_ && w.epoch == epoch_ && w.thread != thread) {
    if (isNew(diag::ThreadsRace, range))
      diags_
          .report(diag::ThreadsRace, range, w.thread < 0 ? "the whole block" : who(block_, w.thread),
                  thread < 0 ? "the whole block" : "thread " + std::to_string(thread), elementName(t, offset))
          .note(w.range, "stored here");
  }
  Access &r = e->read;
  e->readByBlocks |= r.block >= 0 && r.block != block_;
  if (r.block == block_ && r.epoch == epoch_)
    now.bySeveral = r.bySeveral || (r.thread != thread && r.thread >= 0 && thread >= 0);
  if (!(r.block == block_ && r.epoch == epoch_ &&
        thread < 0)) // a tile's read is ordered; a thread's is what can race
    r = now;
}

void Shadow::judgeStores(const Tensor &t, int64_t offset, const Access &w, const Access &now) {
  bool plain = !(w.isAtomic && now.isAtomic);
  if (w.block >= 0 && w.block != block_ && plain) {
    if (isNew(diag::TwoBlocksStore, now.range))
      diags_
          .report(diag::TwoBlocksStore, now.range, who(block_, now.thread), elementName(t, offset),
                  who(w.block, w.thread))
          .note(w.range, "the other store");
  } else if (w.block == block_ && w.epoch == epoch_ && w.thread >= 0 && w.thread != now.thread && plain) {
    if (isNew(diag::ThreadsRace, now.range))
      diags_
          .report(diag::ThreadsRace, now.range, who(block_, w.thread),
                  now.thread < 0 ? "the whole block" : "thread " + std::to_string(now.thread),
                  elementName(t, offset))
          .note(w.range, "the other store");
  }
}

/// Reports what a store or an atomic does to others' accesses of the element.
void Shadow::judgeWrite(const Tensor &t, int64_t offset, Element &e, const Access &now) {
  const Access &r = e.read;
  judgeStores(t, offset, e.write, now);
  if (e.write.isAtomic) // behind it a store may stand that orders nothing
    judgeStores(t, offset, e.plain, now);
  if (r.block >= 0 && (r.block != block_ || e.readByBlocks)) {
    if (isNew(diag::ReadOfOtherBlock, now.range)) {
      std::string reader = r.block != block_ ? who(r.block, r.thread) : "another block";
      diags_.report(diag::ReadOfOtherBlock, r.range, reader, elementName(t, offset), who(block_, now.thread))
          .note(now.range, "stored here");
    }
  } else if (r.block == block_ && r.epoch == epoch_ && r.thread >= 0 &&
             (r.bySeveral || r.thread != now.thread)) {
    if (isNew(diag::ThreadsRace, now.range))
      diags_
          .report(diag::ThreadsRace, now.range, who(block_, r.thread),
                  now.thread < 0 ? "the whole block" : "thread " + std::to_string(now.thread),
                  elementName(t, offset))
          .note(r.range, "read here");
  }
}

void Shadow::write(const Tensor &t, int64_t offset, int thread, SourceRange range) {
  Element *e = find(t, offset);
  if (!e)
    return;
  Access now{block_, epoch_, static_cast<int16_t>(thread), false, false, range};
  judgeWrite(t, offset, *e, now);
  e->write = e->plain = now;
  e->isStored = true;
  memory_[t.param].hasPlainStore = true;
}

void Shadow::atomic(const Tensor &t, int64_t offset, int thread, SourceRange range) {
  Element *e = find(t, offset);
  if (!e)
    return;
  Access now{block_, epoch_, static_cast<int16_t>(thread), true, false, range};
  judgeWrite(t, offset, *e, now);
  e->write = now;
  e->isStored = true;
}

void Shadow::outside(const Tensor &t, const std::vector<int64_t> &indices, unsigned axis, int thread,
                     SourceRange range) {
  if (isNew(diag::PointOutside, range))
    diags_.report(diag::PointOutside, range, who(block_, thread),
                  "'" + kernel_.params[t.param].name + indexText(indices) + "'", axis, t.extents[axis]);
}

void Shadow::finish() {
  for (size_t p = 0; p < memory_.size(); ++p) {
    const Memory &m = memory_[p];
    const sema::Param &param = kernel_.params[p];
    if (!param.isTensor || !param.isWritten ||
        (param.isRead && !m.hasPlainStore)) // atomics alone need not reach every element
      continue;
    int64_t missing = 0, first = 0;
    for (size_t i = m.elements.size(); i-- > 0;)
      if (!m.elements[i].isStored)
        ++missing, first = static_cast<int64_t>(i);
    if (missing)
      diags_.report(param.isRead ? diag::PartlyStored : diag::StoreNeverDone, param.range, missing,
                    m.elements.size(), param.name, elementName(tensors_[p], first));
  }
}

} // namespace phobos::interp
