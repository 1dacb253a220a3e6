// Special registers, shuffles, and loads and stores under a predicate, which are inline assembly.
#include "tests/emulate/Operations.h"
#include <cstring>

namespace phobos::emulate {

namespace {

void threadNumber(Machine &m, const Operation &, const uint64_t *, uint64_t *out) { out[0] = m.current(); }
void blockNumber(Machine &m, const Operation &op, const uint64_t *, uint64_t *out) {
  out[0] = m.block()[static_cast<size_t>(op.numbers[0])];
}
void blockCount(Machine &m, const Operation &op, const uint64_t *, uint64_t *out) {
  out[0] = m.grid().extents[static_cast<size_t>(op.numbers[0])];
}

/// PTX ISA, "shfl.sync": operands mask, value, lane or lane mask, clamp. All lanes take part, the width is a
/// warp's.
void shuffle(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  if (static_cast<uint32_t>(in[0]) != ~0u || (in[3] & 31) != 31)
    m.fail(op, "not emulated: a shuffle among a part of the warp");
  m.together(op, 32, in, out, [&](Meeting &all, unsigned) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto by = static_cast<unsigned>(all.in[lane][2]);
      *all.out[lane] = all.in[(op.numbers[0] ? lane ^ by : by) & 31][1];
    }
  });
}

/// Operands predicate, address, what it is otherwise.
void load(Machine &m, const Operation &op, const uint64_t *in, uint64_t *out) {
  const auto bytes = static_cast<uint64_t>(op.numbers[0]);
  out[0] = in[2];
  if (!in[0])
    return;
  m.check(op, {.bytes = bytes, .align = bytes}, in[1]);
  out[0] = 0;
  std::memcpy(out, reinterpret_cast<const void *>(in[1]), bytes);
}

void store(Machine &m, const Operation &op, const uint64_t *in, uint64_t *) {
  const auto bytes = static_cast<uint64_t>(op.numbers[0]);
  if (!in[0])
    return;
  m.check(op, {.bytes = bytes, .align = bytes, .isWrite = true}, in[1]);
  std::memcpy(reinterpret_cast<void *>(in[1]), &in[2], bytes);
}

void move(Machine &, const Operation &, const uint64_t *in, uint64_t *out) { out[0] = in[0]; }
void signs(Machine &, const Operation &op, const uint64_t *in, uint64_t *out) {
  out[0] = op.numbers[0] == 8 ? static_cast<uint64_t>(static_cast<int64_t>(in[0]) >> 63)
                              : static_cast<uint32_t>(fromWord<int32_t>(in[0]) >> 31);
}

/// Bytes of `b32, ..`.
bool takeWidth(std::string_view text, Operation &op) {
  for (auto [name, bytes] : {std::pair{"b8 ", 1}, {"b16 ", 2}, {"b32 ", 4}, {"b64 ", 8}})
    if (text.starts_with(name)) {
      op.numbers = {bytes};
      return true;
    }
  return false;
}

} // namespace

bool findSpecial(std::string_view text, Operation &op) {
  if (takePrefix(text, "read.ptx.sreg.")) {
    const auto axis = static_cast<int64_t>(text.back() - 'x');
    op.numbers = {axis};
    op.handler = text == "tid.x"                  ? threadNumber
                 : text.substr(0, 6) == "ctaid."  ? blockNumber
                 : text.substr(0, 7) == "nctaid." ? blockCount
                                                  : nullptr;
    return op.handler != nullptr;
  }
  if (text == "shfl.sync.bfly.i32" || text == "shfl.sync.idx.i32") {
    op.numbers = {text == "shfl.sync.bfly.i32"};
    op.handler = shuffle;
    return true;
  }
  if (text == "mov.b32 $0, $1;" || text == "mov.b64 $0, $1;") {
    op.handler = move;
    return true;
  }
  if (text == "shr.s32 $0, $1, 31;" || text == "shr.s64 $0, $1, 63;") {
    op.numbers = {text[5] == '6' ? 8 : 4};
    op.handler = signs;
    return true;
  }
  if (takePrefix(text, "@$0 st.global.")) {
    op.handler = store;
    return takeWidth(text, op) && text.ends_with(" [$1], $2;");
  }
  const size_t at = text.find("@$1 ld.global.");
  if (text.starts_with("mov.b") && at != std::string_view::npos) {
    text.remove_prefix(at + 14);
    op.handler = load;
    return takeWidth(text, op) && text.ends_with(" $0, [$2];");
  }
  return false;
}

bool findOperation(std::string_view text, Operation &op) {
  for (auto *find : {findSpecial, findNumber, findBarrier, findCopy, findMatrix, findProduct}) {
    op.numbers.clear();
    if (find(text, op))
      return true;
  }
  return false;
}

} // namespace phobos::emulate
