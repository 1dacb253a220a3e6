#include "tests/emulate/Machine.h"
#include "tests/emulate/Wgmma.h"
#include <algorithm>
#include <numeric>

namespace phobos::emulate {

Machine::Machine() = default;
Machine::~Machine() = default;

std::string Machine::placeText(const Operation &op) const {
  return op.name + (op.line ? " at line " + std::to_string(op.line) : "");
}

void Machine::fail(const Operation &op, const std::string &what) {
  fault_ = "thread " + std::to_string(current_) + " of block " + std::to_string(block_[0]) + ", " +
           std::to_string(block_[1]) + ", " + std::to_string(block_[2]) + ": " + what + " (" + placeText(op) +
           ")";
  for (;;)
    fibers_->leave(current_); // never resumed
}

void Machine::check(const Operation &op, const Access &access, uint64_t address, unsigned thread) {
  if (std::string why = memory.judge(access, address); !why.empty())
    fail(op, why);
  if (banks && access.isShared && thread == current_ && access.bytes <= 16)
    banks->access(op, thread, address, access.bytes);
  if (access.isOrdered || access.bytes == 0)
    return;
  std::string why = races.access(thread, memory.history(access.isShared, address), access.bytes, op.line,
                                 access.isWrite, access.isAtomic);
  if (!why.empty())
    fail(op, "a race: " + memory.text(access, address) + ", " + why);
}

void Machine::sleep(const Operation &op) {
  Thread &t = threads_[current_];
  t.state = Thread::State::Waiting;
  t.at = &op;
  fibers_->leave(current_);
  t.at = nullptr;
}

Meeting *Machine::meet(const Operation &op, unsigned count, const uint64_t *in, uint64_t *out) {
  Meeting &m = (count == 32 ? warps_ : groups_)[current_ / count];
  const unsigned first = current_ / count * count;
  if (first + count > grid_.threads)
    fail(op, "the block ends within a group of " + std::to_string(count) + " threads");
  if (m.arrived == 0)
    m.at = &op;
  else if (m.at != &op)
    fail(op, "the threads of a " + std::string(count == 32 ? "warp" : "warpgroup") +
                 " part: another one is at " + placeText(*m.at));
  m.in.resize(count), m.out.resize(count);
  m.in[current_ - first] = in, m.out[current_ - first] = out;
  return ++m.arrived == count ? &m : nullptr;
}

void Machine::dismiss(Meeting &all, unsigned first, unsigned count) {
  all.arrived = 0;
  for (unsigned k = first; k < first + count; ++k)
    if (k != current_)
      wake(k);
}

Warpgroup &Machine::warpgroup(unsigned k) { return *warpgroups_[k]; }

void Machine::body(void *argument) {
  auto *m = static_cast<Machine *>(argument);
  m->kernel_(m->arguments_);
  const unsigned me = m->current_; // current_ is this one's while it runs
  m->threads_[me].state = Thread::State::Done;
  m->fibers_->leave(me);
}

/// Where threads wait, how many at each place.
std::string Machine::stuck() const {
  std::map<const Operation *, std::vector<unsigned>> at;
  unsigned done = 0;
  for (unsigned k = 0; k < grid_.threads; ++k)
    if (threads_[k].state == Thread::State::Waiting)
      at[threads_[k].at].push_back(k);
    else
      ++done;
  std::string text = "no thread of block " + std::to_string(block_[0]) + ", " + std::to_string(block_[1]) +
                     ", " + std::to_string(block_[2]) + " can go on: ";
  for (const auto &[op, who] : at)
    text += std::to_string(who.size()) + " (from thread " + std::to_string(who.front()) + ") at " +
            placeText(*op) + ", ";
  return text + std::to_string(done) + " have left";
}

std::string Machine::runBlock() {
  races.begin(grid_.threads);
  memory.beginBlock(grid_.sharedBytes, order_ == Order::Backward ? 0xff : 0x7f);
  std::vector<unsigned> turn(grid_.threads);
  std::iota(turn.begin(), turn.end(), 0);
  if (order_ == Order::Backward)
    std::reverse(turn.begin(), turn.end());
  for (unsigned k = 0; k < grid_.threads; ++k) {
    threads_[k] = {};
    threads_[k].state = Thread::State::Ready;
    fibers_->start(k, body, this);
  }
  for (Meeting &m : warps_)
    m.arrived = 0;
  for (Meeting &m : groups_)
    m.arrived = 0;
  barriers_ = {};
  signals_.clear();
  for (auto &w : warpgroups_)
    *w = {};
  unsigned left = grid_.threads;
  while (left) {
    if (order_ == Order::Shuffled)
      for (size_t k = turn.size(); k > 1; --k) {
        random_ = random_ * 6364136223846793005u + 1442695040888963407u;
        std::swap(turn[k - 1], turn[(random_ >> 33) % k]);
      }
    bool anyRan = false;
    for (unsigned k : turn) {
      if (threads_[k].state != Thread::State::Ready)
        continue;
      anyRan = true;
      current_ = k;
      fibers_->resume(k);
      if (!fault_.empty())
        return fault_;
      left -= threads_[k].state == Thread::State::Done;
    }
    if (!anyRan)
      return stuck();
  }
  if (banks)
    banks->endBlock();
  return {};
}

std::string Machine::run(Kernel kernel, const uint64_t *arguments, const Grid &grid, Order order,
                         uint64_t seed) {
  if (!fibers_ || threads_.size() < grid.threads) {
    fibers_ = std::make_unique<Fibers>(grid.threads);
    threads_.resize(grid.threads);
  }
  kernel_ = kernel;
  arguments_ = arguments;
  grid_ = grid;
  order_ = order;
  random_ = seed;
  fault_.clear();
  warps_.resize((grid.threads + 31) / 32);
  groups_.resize((grid.threads + 127) / 128);
  while (warpgroups_.size() < groups_.size())
    warpgroups_.push_back(std::make_unique<Warpgroup>());
  const uint64_t blocks = uint64_t(grid.extents[0]) * grid.extents[1] * grid.extents[2];
  for (uint64_t k = 0; k < blocks; ++k) {
    // Blocks are in no order, either.
    const uint64_t n = order == Order::Backward ? blocks - 1 - k : k;
    block_ = {static_cast<uint32_t>(n % grid.extents[0]),
              static_cast<uint32_t>(n / grid.extents[0] % grid.extents[1]),
              static_cast<uint32_t>(n / grid.extents[0] / grid.extents[1])};
    if (std::string why = runBlock(); !why.empty())
      return why;
  }
  return {};
}

} // namespace phobos::emulate
