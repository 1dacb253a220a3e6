// What threads of a block wait for: numbered barriers and mbarriers. Fences order what is in order here.
#include "tests/emulate/Operations.h"
#include <algorithm>

namespace phobos::emulate {

namespace {

void complete(Machine &m, const Operation &op, Barrier &b) {
  // PTX ISA, "barrier": .aligned says that all threads of a warp come, by the same instruction.
  std::sort(b.all.begin(), b.all.end());
  for (size_t k = 0; k < b.all.size(); k += 32)
    if (b.all[k] % 32 || k + 32 > b.all.size() || b.all[k + 31] != b.all[k] + 31)
      m.fail(op, "not all threads of a warp come to a barrier (thread " + std::to_string(b.all[k]) + ")");
  for (uint64_t *out : b.outs)
    *out = b.anyOf;
  for (unsigned t : b.waiting) {
    m.races.acquire(t, b.clock);
    m.thread(t).isProxyFenced = false;
    m.wake(t);
  }
  b = {};
}

/// Thread `m.current()` comes to barrier `id` for `count` threads, and waits where it `waits`.
void arrive(Machine &m, const Operation &op, uint64_t id, uint64_t count, bool waits) {
  if (id >= 16 || count == 0 || count % 32 || count > m.grid().threads)
    m.fail(op, "barrier " + std::to_string(id) + " of " + std::to_string(count) + " threads");
  Barrier &b = m.barrier(static_cast<unsigned>(id));
  if (b.arrived && b.expected != count)
    m.fail(op, "barrier " + std::to_string(id) + " is one of " + std::to_string(b.expected) +
                   " threads for some and of " + std::to_string(count) + " for others");
  if (std::find(b.all.begin(), b.all.end(), m.current()) != b.all.end())
    m.fail(op, "a thread comes twice to barrier " + std::to_string(id));
  b.expected = static_cast<unsigned>(count);
  ++b.arrived;
  b.all.push_back(m.current());
  m.races.release(m.current(), b.clock);
  if (waits)
    b.waiting.push_back(m.current());
  if (b.arrived == b.expected)
    return complete(m, op, b);
  if (waits)
    m.sleep(op);
}

void syncAll(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  arrive(m, op, in[0], m.grid().threads, true);
}
void syncCount(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  arrive(m, op, in[0], in[1], true);
}
void arriveCount(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  arrive(m, op, in[0], in[1], false);
}
void vote(Machine &m, const Operation &op, uint64_t id, uint64_t count, bool holds, uint64_t *out) {
  Barrier &b = m.barrier(static_cast<unsigned>(id & 15));
  b.anyOf |= holds;
  b.outs.push_back(out);
  arrive(m, op, id, count, true);
}
void orAll(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  vote(m, op, in[0], m.grid().threads, in[1], out);
}
void orCount(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  vote(m, op, in[0], in[1], in[2], out);
}

Signal &signalAt(Machine &m, const Operation &op, uint64_t address) {
  m.check(op, {.bytes = 8, .align = 8, .isWrite = true, .isShared = true, .isOrdered = true}, address);
  auto found = m.signals().find(address);
  if (found == m.signals().end())
    m.fail(op, "there is no mbarrier at byte " + std::to_string(address - m.memory.shared()));
  return found->second;
}

void init(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  m.check(op, {.bytes = 8, .align = 8, .isWrite = true, .isShared = true, .isOrdered = true}, in[0]);
  if (m.signals().count(in[0]))
    m.fail(op, "an mbarrier is made where one is");
  const auto count = fromWord<uint32_t>(in[1]);
  m.signals()[in[0]] = {count, count, 0, {}, {}, {}};
}

void invalidate(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  if (!signalAt(m, op, in[0]).waiting.empty())
    m.fail(op, "an mbarrier ends while threads wait for it");
  m.signals().erase(in[0]);
}

// PTX ISA, "Phase completion of the mbarrier object": with no arrival pending the phase is over and the next
// begins with as many as expected.
void arriveAt(Machine &m, const Operation &op, uint64_t address) {
  Signal &s = signalAt(m, op, address);
  if (s.pending == 0)
    m.fail(op, "an mbarrier gets more arrivals than it expects");
  m.races.release(m.current(), s.clock);
  if (--s.pending)
    return;
  ++s.phase;
  s.over = s.clock;
  s.pending = s.expected;
  for (unsigned t : s.waiting)
    m.wake(t);
  s.waiting.clear();
}

/// `@$1 mbarrier.arrive.shared.b64 _, [$0];`
void arriveIf(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  if (in[1])
    arriveAt(m, op, m.memory.sharedOf(in[0]));
}

// The copies of this thread land, then it counts as one of those expected (.noinc).
void arriveAfterCopies(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  for (auto &group : m.self().groups)
    finishCopies(m, op, group);
  m.self().groups.clear();
  finishCopies(m, op, m.self().copies);
  arriveAt(m, op, in[0]);
}

/// True once the phase of the parity is over. It waits here, and looks again after it is woken as the loop
/// around it would: a phase that comes and goes in between is missed.
void await(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  const uint64_t parity = in[1] & 0xffffffff;
  if (parity > 1)
    m.fail(op, "a parity of " + std::to_string(parity));
  while ((signalAt(m, op, in[0]).phase & 1) == parity) {
    signalAt(m, op, in[0]).waiting.push_back(m.current());
    m.sleep(op);
  }
  m.races.acquire(m.current(), signalAt(m, op, in[0]).over);
  m.self().isProxyFenced = false;
  out[0] = 1;
}

void fenceProxies(Machine &m, const Operation &, const uint64_t *, uint64_t *) {
  m.self().isProxyFenced = true;
}
void nothing(Machine &, const Operation &, const uint64_t *, uint64_t *) {}

// Of a warp's own lanes: products count on it for no more than the order in which registers are filled.
void syncWarp(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  if ((in[0] & 0xffffffff) != 0xffffffff)
    m.fail(op, "not all lanes of a warp");
}

} // namespace

bool findBarrier(std::string_view text, Operation &op) {
  static constexpr std::pair<std::string_view, Operation::Handler> known[] = {
      {"barrier.cta.sync.aligned.all", syncAll},
      {"barrier.cta.sync.aligned.count", syncCount},
      {"barrier.cta.arrive.aligned.count", arriveCount},
      {"barrier.cta.red.or.aligned.all", orAll},
      {"barrier.cta.red.or.aligned.count", orCount},
      {"bar.warp.sync", syncWarp},
      {"mbarrier.init.shared", init},
      {"mbarrier.inval.shared", invalidate},
      {"mbarrier.try.wait.parity.scope.cta.space.cta", await},
      {"cp.async.mbarrier.arrive.noinc.shared", arriveAfterCopies},
      {"@$1 mbarrier.arrive.shared.b64 _, [$0];", arriveIf},
      {"fence.proxy.async.shared_cta", fenceProxies},
      {"setmaxnreg.inc.sync.aligned.u32", nothing},
      {"setmaxnreg.dec.sync.aligned.u32", nothing},
  };
  return findIn(known, text, op);
}

} // namespace phobos::emulate
