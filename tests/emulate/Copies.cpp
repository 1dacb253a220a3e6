// cp.async: copies land as late as they may, when their thread waits for them; until then the destination is
// garbage, as what may be read there is neither the old nor surely the new.
#include "tests/emulate/Operations.h"
#include <cstring>

namespace phobos::emulate {

void finishCopies(Machine &m, const Operation &op, std::vector<Copy> &copies) {
  for (const Copy &c : copies) {
    auto *to = reinterpret_cast<unsigned char *>(c.to);
    std::memset(to + c.bytes, 0, 16 - c.bytes);
    std::memcpy(to, reinterpret_cast<const void *>(c.from), c.bytes);
    m.races.endCopy(m.current(), m.memory.history(true, c.to), 16);
  }
  copies.clear();
}

namespace {

// PTX ISA, "cp.async": 16 bytes, of which src-size are read and the rest is zero; both addresses are
// multiples of 16, even where nothing is read.
void begin(Machine &m, const Operation &op, const uint64_t *in, uint64_t bytes) {
  if (bytes > 16)
    m.fail(op, "a copy of " + std::to_string(bytes) + " bytes");
  const Access to{.bytes = 16, .align = 16, .isWrite = true, .isShared = true, .isOrdered = true};
  m.check(op, to, in[0]);
  if (std::string why = m.races.beginCopy(m.current(), m.memory.history(true, in[0]), 16, op.line);
      !why.empty())
    m.fail(op, "a race: " + m.memory.text(to, in[0]) + ", " + why);
  if (in[1] % 16)
    m.fail(op, "a copy from an address that is no multiple of 16");
  m.check(op, {.bytes = bytes, .align = 16}, in[1]);
  std::memset(reinterpret_cast<void *>(in[0]), 0x7f, 16);
  m.self().copies.push_back({in[0], in[1], bytes});
}
void whole(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) { begin(m, op, in, 16); }
void cut(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  begin(m, op, in, fromWord<uint32_t>(in[2]));
}

void commit(Machine &m, const Operation &, const uint64_t *, uint64_t *) {
  m.self().groups.push_back(std::move(m.self().copies));
  m.self().copies.clear();
}

void wait(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  auto &groups = m.self().groups;
  for (; groups.size() > in[0]; groups.pop_front())
    finishCopies(m, op, groups.front());
}

void waitAll(Machine &m, const Operation &op, const uint64_t *, uint64_t *) {
  auto &groups = m.self().groups;
  for (; !groups.empty(); groups.pop_front())
    finishCopies(m, op, groups.front());
  finishCopies(m, op, m.self().copies);
}

} // namespace

bool findCopy(std::string_view text, Operation &op) {
  static constexpr std::pair<std::string_view, Operation::Handler> known[] = {
      {"cp.async.cg.shared.global.16", whole}, {"cp.async.cg.shared.global.16.s", cut},
      {"cp.async.commit.group", commit},       {"cp.async.wait.group", wait},
      {"cp.async.wait.all", waitAll},
  };
  return findIn(known, text, op);
}

} // namespace phobos::emulate
